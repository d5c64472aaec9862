import type { FastifyInstance } from 'fastify';
import { assertWalletOpen } from './assert-wallet-open.ts';
import { walletRoutes } from './routes.ts';
import type { WalletDeps } from './wallet.ts';

export type WalletModule = {
  /** Throws NO_WALLET when the member's money may not be moved. */
  assertOpen(memberId: string): Promise<void>;
};

/** The picture of everything that a member has. */
export function walletModule({ app, ...deps }: WalletDeps & { app: FastifyInstance }): WalletModule {
  walletRoutes(app, deps);
  return { assertOpen: (memberId) => assertWalletOpen(deps.database, memberId) };
}
