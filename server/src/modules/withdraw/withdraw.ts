import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import type { ErrorCode } from '@krapao/contract/errors';
import { type Currency, type Minor, parseAmount, stepOf } from '@krapao/contract/money';
import { isFinal, type WithdrawState, withdrawTransitions } from '@krapao/contract/states';
import type { PayoutOrder } from '../../counterparties/payout/port.ts';
import type { NotBrought } from '../transfer/module.ts';

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
  notBrought: NotBrought[] | null;
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
export function readWithdrawAmount(
  value: unknown,
  currency: Currency,
  { min, max }: Limits,
): Minor | 'AMOUNT_INVALID' | 'WITHDRAW_MINIMUM' | 'WITHDRAW_MAXIMUM' {
  const amount = parseAmount(value);
  if (amount === undefined || amount % stepOf(currency) !== 0n) return 'AMOUNT_INVALID';
  if (amount < min) return 'WITHDRAW_MINIMUM';
  return amount > max ? 'WITHDRAW_MAXIMUM' : amount;
}

export const isOver = (state: WithdrawState): boolean => isFinal(withdrawTransitions, state);

/** The order to the bank. */
export const orderOf = (withdrawal: Withdrawal): PayoutOrder => ({
  reference: withdrawal.reference,
  amount: withdrawal.amount,
  currency: withdrawal.currency,
  to: { bankCode: withdrawal.bankCode, accountNo: withdrawal.accountNo, accountName: withdrawal.accountName },
});
