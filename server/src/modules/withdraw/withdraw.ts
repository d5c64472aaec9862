import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import type { ErrorCode } from '@krapao/contract/errors';
import { type Currency, type Minor, parseAmount, smallestUnit } from '@krapao/contract/money';
import { isFinal, type WithdrawState, withdrawTransitions } from '@krapao/contract/states';
import type { PayoutOrder, PayoutBank } from '../../adapters/payout.ts';
import type { SweepFailure, TransferModule } from '../transfer/index.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/index.ts';
import type { Clock } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import type { IncentiveModule } from '../incentive/index.ts';
import type { SiteConfig } from '../lookup/index.ts';

/** What a member asked for, once, under an idempotency key, and how far it has come. */
export type Withdrawal = {
  id: string;
  memberId: string;
  currency: Currency;
  inputHash: Buffer;
  /** The money of the games is brought home first. */
  isAll: boolean;
  amount: Minor;
  reference: string;
  /** The registered account as it was. */
  bankCode: string;
  accountNo: string;
  accountName: string;
  /** CODE-NUMBER of our account that pays. */
  paidFrom: string;
  state: WithdrawState;
  /** The ledger holds the money; from then on the member has been promised an outcome. */
  isHeld: boolean;
  /** Null while it isn't known. */
  notBrought: SweepFailure[] | null;
  refusalCode: ErrorCode | null;
  refusalDetail: string | null;
  /** What is proven of the bank, or decided by an operator. */
  proof: Proof | null;
  /** Actor of the ledger: `resolver`, or `operator:NAME`. */
  proofBy: string | null;
  reason: WithdrawReason | null;
  /** How often the bank has said that there is no such payout. */
  absences: number;
  /** How often the bank was asked. */
  asks: number;
  fence: number;
  /** Since the last call went out, and since the first, by the clock of the database; null before. */
  sentAgoMs: number | null;
  firstSentAgoMs: number | null;
};

export type Proof = 'PAID' | 'FAILED';
/** Why a request came to nothing before any money was held. */
export type WithdrawRefusal = { code: ErrorCode; detail?: string };

/** Least and greatest amount of one withdrawal, of the member's currency. */
export type Limits = { min: bigint; max: bigint };

/** Reads an amount as it came, if the bank can pay it and the operator allows it; else says which word tells the member why not. */
export function parseWithdrawAmount(
  value: unknown,
  currency: Currency,
  { min, max }: Limits,
): Minor | 'AMOUNT_INVALID' | 'WITHDRAW_MINIMUM' | 'WITHDRAW_MAXIMUM' {
  const amount = parseAmount(value);
  if (amount === undefined || amount % smallestUnit(currency) !== 0n) return 'AMOUNT_INVALID';
  if (amount < min) return 'WITHDRAW_MINIMUM';
  return amount > max ? 'WITHDRAW_MAXIMUM' : amount;
}

export const isClosed = (state: WithdrawState): boolean => isFinal(withdrawTransitions, state);

/** The order to the bank. */
export const payoutOrder = (withdrawal: Withdrawal): PayoutOrder => ({
  reference: withdrawal.reference,
  amount: withdrawal.amount,
  currency: withdrawal.currency,
  to: { bankCode: withdrawal.bankCode, accountNo: withdrawal.accountNo, accountName: withdrawal.accountName },
});

/** What the use cases of withdrawals work with. */
export type WithdrawDeps = {
  database: Database;
  ledger: Ledger;
  clock: Clock;
  payout: PayoutBank;
  transfer: Pick<TransferModule, 'sweepMissing' | 'sweepToWalletWithinMs'>;
  operatorData: () => Promise<SiteConfig>;
  /** What is given to a member and what is paid out to them go through one gate. */
  incentive: Pick<IncentiveModule, 'openGate' | 'withdrawCondition'>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Tells the resolver of this process that something fell due. */
  wakeResolver(): void;
};

/** For everything of one step that isn't a call: the ledger, the database, a busy machine. */
const LEASE_MARGIN_MS = 2_000;

/** Lease of the process that sweeps the games. */
export const sweepLeaseMs = ({ transfer }: Pick<WithdrawDeps, 'transfer'>): number =>
  transfer.sweepToWalletWithinMs + LEASE_MARGIN_MS;

/** Lease of the process that calls the bank: an inquiry, and a payout that follows it. */
export const callLeaseMs = ({ payout }: Pick<WithdrawDeps, 'payout'>): number => 2 * payout.timeoutMs + LEASE_MARGIN_MS;
