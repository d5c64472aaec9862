import { getWallet } from '@krapao/contract/endpoints/wallet';
import type { FastifyInstance } from 'fastify';
import { requestLanguage } from '../../platform/http/caller.ts';
import { type RewriteAddress, createAddressRewriter } from '../../platform/http/requested-host.ts';
import { route } from '../../platform/http/route.ts';
import { type WalletDeps, walletReader, type WireWallet } from './read-wallet.ts';

/** Registers the endpoint of the wallet. */
export function walletRoutes(app: FastifyInstance, deps: WalletDeps): void {
  const readWallet = walletReader(deps);
  route(app, getWallet, async ({ member, request }) => {
    const { slots, ...wallet } = await readWallet(member.id, requestLanguage(request.headers.cookie, deps.variant));
    return {
      status: 200,
      body: { ...wallet, slots: slots.map((slot) => withRewrittenLinks(slot, createAddressRewriter(request))) },
    };
  });
}

type WireSlot = WireWallet['slots'][number];

/** Rewrites a game's links, so that the caller can open them. */
function withRewrittenLinks({ web, android, ios, ...slot }: WireSlot, rewriteAddress: RewriteAddress): WireSlot {
  const rewriteLink = (link: string | null): string | null => link && rewriteAddress(link);
  return { ...slot, web: rewriteLink(web), android: rewriteLink(android), ios: rewriteLink(ios) };
}
