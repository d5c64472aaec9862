import { getWallet } from '@krapao/contract/endpoints/wallet';
import type { FastifyInstance } from 'fastify';
import { route } from '../../platform/http/registrar.ts';
import { readWallet } from './read-wallet.ts';
import type { WalletDeps } from './wallet.ts';

/** Registers the call that shows what a member has. */
export function walletRoutes(app: FastifyInstance, deps: WalletDeps): void {
  route(app, getWallet, async ({ member }) => ({ status: 200, body: await readWallet(deps, member.id) }));
}
