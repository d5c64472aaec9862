import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { PayoutBank } from '../../counterparties/payout/port.ts';
import type { IncentiveModule } from '../incentive/module.ts';
import type { OperatorData } from '../lookup/module.ts';
import type { TransferModule } from '../transfer/module.ts';

/** What the use cases of withdrawals work with. */
export type WithdrawWork = {
  database: Database;
  ledger: Ledger;
  clock: Clock;
  payout: PayoutBank;
  transfer: Pick<TransferModule, 'sweepMissing' | 'sweepToWalletWithinMs'>;
  operatorData: () => Promise<OperatorData>;
  /** What is given to a member and what is paid out to them go through one gate. */
  incentive: Pick<IncentiveModule, 'openGate' | 'withdrawCondition'>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Tells the resolver of this process that something fell due. */
  wakeResolver(): void;
};

/** For everything of one step that isn't a call: the ledger, the database, a busy machine. */
const LEASE_MARGIN_MS = 2_000;

/** Lease of the process that sweeps the games. */
export const sweepLeaseMs = ({ transfer }: Pick<WithdrawWork, 'transfer'>): number =>
  transfer.sweepToWalletWithinMs + LEASE_MARGIN_MS;

/** Lease of the process that calls the bank: an inquiry, and a payout that follows it. */
export const callLeaseMs = ({ payout }: Pick<WithdrawWork, 'payout'>): number => 2 * payout.timeoutMs + LEASE_MARGIN_MS;
