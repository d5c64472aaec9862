import { getWallet } from '@krapao/contract/endpoints/wallet';
import type { FastifyInstance } from 'fastify';
import { route } from '../../platform/http/registrar.ts';
import { walletReader } from './read-wallet.ts';
import type { WalletDeps } from './wallet.ts';

/** Registers the call that shows what a member has. */
export function walletRoutes(app: FastifyInstance, deps: WalletDeps): void {
  const readWallet = walletReader(deps);
  route(app, getWallet, async ({ member }) => ({ status: 200, body: await readWallet(member.id) }));
}
