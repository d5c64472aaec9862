import type { Currency, Minor } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import { createResolver } from '../../platform/jobs/resolver.ts';
import { sweepMissing, sweepToWallet, sweepTimeoutMs, type SweepFailure } from './sweep-to-wallet.ts';
import { transferResolver } from './resolve-leg.ts';
import { transferRoutes } from './http.ts';
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

export { transferQueue } from './queries.ts';
export { hasOpenTransfer, type OpenCredits, selectOpenCredits } from './queries.ts';

export type TransferModule = {
  /** Brings the money of all of a member's games into the wallet; answers which could not be brought, and why. */
  sweepToWallet(member: { id: string; currency: Currency }, command: string): Promise<SweepFailure[]>;
  /**
   * Sweeps from the games what the wallet lacks of an amount (`wanted`, minor units), from as few games as possible.
   * @returns failed games with reasons; also untried games with money when the wallet still lacks money
   */
  sweepMissing(
    member: { id: string; currency: Currency },
    asked: { command: string; wanted: Minor },
  ): Promise<SweepFailure[]>;
  /** Maximum duration of either sweep in ms, while this process runs. */
  sweepToWalletWithinMs: number;
  /** Starts finishing what was left behind. Once, when the database is there. */
  start(): void;
  /** Ends after what is under way; before the ledger and the database close. */
  stop(): Promise<void>;
};

export type TransferModuleDeps = Omit<TransferDeps, 'wakeResolver'> & { app: FastifyInstance };

/** Moving money between the wallet and game accounts: the member's call, and the resolver of what it leaves open. */
export function transferModule({ app, ...given }: TransferModuleDeps): TransferModule {
  const resolver = createResolver();
  const work: TransferDeps = { ...given, wakeResolver: resolver.wake };
  transferRoutes(app, work);
  return {
    sweepToWallet: (member, command) => sweepToWallet(work, member, command),
    sweepMissing: (member, asked) => sweepMissing(work, member, asked),
    sweepToWalletWithinMs: sweepTimeoutMs(work),
    start: () => resolver.start(transferResolver(work)),
    stop: resolver.stop,
  };
}
