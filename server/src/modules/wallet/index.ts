import type { FastifyInstance } from 'fastify';
import { walletRoutes } from './http.ts';
import type { WalletDeps } from './read-wallet.ts';

/** Registers the wallet endpoint: balances, games, conditions and profile in one call. */
export function walletModule({ app, ...deps }: WalletDeps & { app: FastifyInstance }): void {
  walletRoutes(app, deps);
}
