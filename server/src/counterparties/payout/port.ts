import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import type { Currency, Minor } from '@krapao/contract/money';
import type { BankCallback } from '../bank-api/verify-callback.ts';

/** An order to pay out. The same reference always has the same order. */
export type PayoutOrder = {
  /** Ours, 1–40 of `[A-Za-z0-9_-]`: the bank pays each reference once, however often it is sent. */
  reference: string;
  amount: Minor;
  currency: Currency;
  to: { bankCode: string; accountNo: string; accountName: string };
};

export type SendOutcome =
  /** The bank has accepted it and processes it. */
  | { outcome: 'accepted' }
  /** Proven: it had and will have no effect. `note`: the bank's code, for operators. */
  | { outcome: 'refused'; reason: WithdrawReason; note: string }
  /** It may have been accepted, or may still be. */
  | { outcome: 'unknown'; note: string };

export type PayoutInquiry =
  | { status: 'ACCEPTED' }
  | { status: 'PAID'; transRef: string }
  | { status: 'FAILED'; reason: WithdrawReason; note: string }
  /** Not accepted so far: a call in flight may still arrive. */
  | { status: 'NOT_FOUND' }
  | { status: 'UNKNOWN'; note: string };

export type PayoutCallback =
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' }
  /** A claim about a payout. Its content is ignored: an inquiry to the bank decides. */
  | { reading: 'CLAIM'; reference: string };

/**
 * A bank that pays members out. Nothing here throws on failures of the outside: a missing or malformed answer is an
 * outcome, because each leads to a different step with the member's money.
 */
export type PayoutBank = {
  /** Timeout of one call. */
  timeoutMs: number;
  /** The account that payouts of a currency are paid from, as `CODE-NUMBER`; undefined when there is none. */
  accountOf(currency: Currency): string | undefined;
  send(order: PayoutOrder): Promise<SendOutcome>;
  inquire(order: PayoutOrder): Promise<PayoutInquiry>;
  readCallback(call: BankCallback): PayoutCallback;
};
