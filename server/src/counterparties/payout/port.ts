import type { WithdrawReason } from '@krapao/contract/endpoints/withdraw';
import type { Currency, Minor } from '@krapao/contract/money';
import type { BankCallback } from '../bank-api/verify-callback.ts';

/** What is to be paid out. The same reference always goes with the same order. */
export type PayoutOrder = {
  /** Ours, 1–40 of `[A-Za-z0-9_-]`: the bank pays each reference once, however often it hears of it. */
  reference: string;
  amount: Minor;
  currency: Currency;
  to: { bankCode: string; accountNo: string; accountName: string };
};

export type SendOutcome =
  /** The bank has it and works on it. */
  | { outcome: 'accepted' }
  /** Proven: nothing was done, and nothing will be. `note`: the bank's own word, for operators. */
  | { outcome: 'refused'; reason: WithdrawReason; note: string }
  /** Perhaps it was accepted, perhaps it will be. */
  | { outcome: 'unknown'; note: string };

export type PayoutInquiry =
  | { status: 'ACCEPTED' }
  | { status: 'PAID'; transRef: string }
  | { status: 'FAILED'; reason: WithdrawReason; note: string }
  /** Not accepted so far: a call under way may still arrive. */
  | { status: 'NOT_FOUND' }
  | { status: 'UNKNOWN'; note: string };

export type PayoutCallback =
  | { reading: 'KEY_MISSING' | 'KEY_INVALID' | 'MALFORMED' }
  /** A claim about a payout. Whatever it says is not looked at: the bank is asked. */
  | { reading: 'CLAIM'; reference: string };

/**
 * Who pays members out. Nothing here throws for what the outside does: silence and nonsense are outcomes, because each
 * leads to another step with the member's money.
 */
export type PayoutBank = {
  /** How long one call may take. */
  timeoutMs: number;
  /** The account that payouts of a currency leave, as `CODE-NUMBER`; undefined when there is none. */
  accountOf(currency: Currency): string | undefined;
  send(order: PayoutOrder): Promise<SendOutcome>;
  inquire(order: PayoutOrder): Promise<PayoutInquiry>;
  readCallback(call: BankCallback): PayoutCallback;
};
