import type { FastifyInstance } from 'fastify';
import { walletRoutes } from './routes.ts';
import type { WalletDeps } from './wallet.ts';

/** The picture of everything that a member has. */
export function walletModule({ app, ...deps }: WalletDeps & { app: FastifyInstance }): void {
  walletRoutes(app, deps);
}
