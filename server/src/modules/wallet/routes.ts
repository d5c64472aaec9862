import { getWallet } from '@krapao/contract/endpoints/wallet';
import type { FastifyInstance } from 'fastify';
import { type RewriteAddress, addressRewriterOf } from '../../platform/http/caller/requested-host.ts';
import { languageOf } from '../../platform/http/caller/language-of.ts';
import { route } from '../../platform/http/registrar.ts';
import { walletReader } from './read-wallet.ts';
import type { WalletDeps, WalletPicture } from './wallet.ts';

/** Registers the call that shows what a member has. */
export function walletRoutes(app: FastifyInstance, deps: WalletDeps): void {
  const readWallet = walletReader(deps);
  route(app, getWallet, async ({ member, request }) => {
    const { slots, ...picture } = await readWallet(member.id, languageOf(request.headers.cookie, deps.variant));
    return {
      status: 200,
      body: { ...picture, slots: slots.map((slot) => withRewrittenLinks(slot, addressRewriterOf(request))) },
    };
  });
}

type Slot = WalletPicture['slots'][number];

/** A game with links that the caller can open. */
function withRewrittenLinks({ web, android, ios, ...slot }: Slot, rewriteAddress: RewriteAddress): Slot {
  const here = (link: string | null): string | null => link && rewriteAddress(link);
  return { ...slot, web: here(web), android: here(android), ios: here(ios) };
}
