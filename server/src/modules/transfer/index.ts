import type { Currency, Minor } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import { createResolver } from '../../platform/jobs/resolver.ts';
import { transferRoutes } from './http.ts';
import { transferResolver } from './resolve-leg.ts';
import { sweepMissing, sweepToWallet, sweepTimeoutMs, type SweepFailure } from './sweep-to-wallet.ts';
import type { TransferDeps } from './transfer.ts';

export type { SweepFailure } from './sweep-to-wallet.ts';
export {
  type OperatorRefusal,
  openLegs,
  type OpenLeg,
  type OperatorResult,
  type OperatorAction,
  operateTransfer,
} from './admin.ts';

export { findTransferTimeline, pendingTransfers, selectTransferDurations } from './timeline-queries.ts';

export { transferQueue, hasOpenTransfer, type OpenCredits, selectOpenCredits } from './queries.ts';

export type TransferModule = {
  /** Sweeps the money of all of a member's games into the wallet. @returns games that failed, with reasons */
  sweepToWallet(member: { id: string; currency: Currency }, command: string): Promise<SweepFailure[]>;
  /**
   * Sweeps from the games the amount that the wallet lacks of `target` (minor units), from as few games as possible.
   * @returns games that failed, with reasons; if the wallet still lacks money, also untried games with money
   */
  sweepMissing(
    member: { id: string; currency: Currency },
    options: { command: string; target: Minor },
  ): Promise<SweepFailure[]>;
  /** Maximum duration of either sweep in ms, while this process runs. */
  sweepTimeoutMs: number;
  /** Starts the resolver of unfinished transfers. Call once, after migration. */
  start(): void;
  /** Resolves when pending work is done. Call before closing the ledger and the database. */
  stop(): Promise<void>;
};

export type TransferModuleDeps = Omit<TransferDeps, 'wakeResolver'> & { app: FastifyInstance };

/**
 * Creates the transfer module: transfers between the wallet and game accounts, with endpoints, sweeps and the resolver.
 */
export function transferModule({ app, ...options }: TransferModuleDeps): TransferModule {
  const resolver = createResolver();
  const deps: TransferDeps = { ...options, wakeResolver: resolver.wake };
  transferRoutes(app, deps);
  return {
    sweepToWallet: (member, command) => sweepToWallet(deps, member, command),
    sweepMissing: (member, options) => sweepMissing(deps, member, options),
    sweepTimeoutMs: sweepTimeoutMs(deps),
    start: () => resolver.start(transferResolver(deps)),
    stop: resolver.stop,
  };
}
