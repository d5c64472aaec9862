import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import type { ErrorCode } from '@krapao/contract/errors';
import { type Currency, type Minor, parseAmount, smallestUnit } from '@krapao/contract/money';
import { isFinal, type WithdrawState, withdrawTransitions } from '@krapao/contract/states';
import type { FastifyBaseLogger } from 'fastify';
import type { PayoutOrder, PayoutBank } from '../../adapters/payout.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/time.ts';
import type { IncentiveModule } from '../incentive/index.ts';
import type { OperatorData } from '../operator-data/index.ts';
import type { SweepFailure, TransferModule } from '../transfer/index.ts';

/** A member's withdrawal, one per idempotency key. */
export type Withdrawal = {
  id: string;
  memberId: string;
  currency: Currency;
  inputHash: Buffer;
  /** True for `withdrawAll`: missing money is swept from the games first. */
  isAll: boolean;
  amount: Minor;
  reference: string;
  /** The member's registered bank account at the time of the request. */
  bankCode: string;
  accountNo: string;
  accountName: string;
  /** Operator's paying bank account, CODE-NUMBER. */
  paidFrom: string;
  state: WithdrawState;
  /** True if the ledger holds the money: the request has succeeded. */
  isHeld: boolean;
  /** Games that could not be swept; null before the sweep. */
  notBrought: SweepFailure[] | null;
  refusalCode: ErrorCode | null;
  refusalDetail: string | null;
  /** Outcome proven by the bank or decided by an operator. */
  proof: PayoutProof | null;
  /** Ledger actor: `resolver`, or `operator:NAME`. */
  proofBy: string | null;
  reason: WithdrawReason | null;
  /** Number of "no such payout" replies. */
  absences: number;
  inquiries: number;
  fence: number;
  /** Time since the last call and since the first call, by the database's clock; null before. */
  sentAgoMs: number | null;
  firstSentAgoMs: number | null;
};

export type PayoutProof = 'PAID' | 'FAILED';
/** Why a request was refused before any money was held. */
export type WithdrawRefusal = { code: ErrorCode; detail?: string };

/** Limits of one withdrawal, in minor units. */
export type WithdrawLimits = { min: bigint; max: bigint };

/** Parses and validates the amount. @returns the amount, or the detail of the refusal */
export function parseWithdrawAmount(
  value: unknown,
  currency: Currency,
  { min, max }: WithdrawLimits,
): Minor | 'AMOUNT_INVALID' | 'WITHDRAW_MINIMUM' | 'WITHDRAW_MAXIMUM' {
  const amount = parseAmount(value);
  if (amount === undefined || amount % smallestUnit(currency) !== 0n) return 'AMOUNT_INVALID';
  if (amount < min) return 'WITHDRAW_MINIMUM';
  return amount > max ? 'WITHDRAW_MAXIMUM' : amount;
}

export const isClosed = (state: WithdrawState): boolean => isFinal(withdrawTransitions, state);

export const payoutOrder = (withdrawal: Withdrawal): PayoutOrder => ({
  reference: withdrawal.reference,
  amount: withdrawal.amount,
  currency: withdrawal.currency,
  to: { bankCode: withdrawal.bankCode, accountNo: withdrawal.accountNo, accountName: withdrawal.accountName },
});

export type WithdrawDeps = {
  database: Database;
  ledger: Ledger;
  clock: Clock;
  payout: PayoutBank;
  transfer: Pick<TransferModule, 'sweepMissing' | 'sweepTimeoutMs'>;
  readOperatorData: () => Promise<OperatorData>;
  /** Grants and payouts of a member are serialized by one lock. */
  incentive: Pick<IncentiveModule, 'createMemberLock' | 'withdrawalRefusal'>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Wakes the resolver of this process, because a withdrawal is due. */
  wakeResolver(): void;
};

/** Margin for the ledger and the database on a busy machine. */
const LEASE_MARGIN_MS = 2_000;

/** Lease of a withdrawal during the sweep. */
export const sweepLeaseMs = ({ transfer }: Pick<WithdrawDeps, 'transfer'>): number =>
  transfer.sweepTimeoutMs + LEASE_MARGIN_MS;

/** Lease of a withdrawal during calls: an inquiry, and a payout after it. */
export const callLeaseMs = ({ payout }: Pick<WithdrawDeps, 'payout'>): number => 2 * payout.timeoutMs + LEASE_MARGIN_MS;
