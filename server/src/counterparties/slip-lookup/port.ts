import type { Currency, Minor } from '@krapao/contract/money';

/** A transfer from the bank's answer. Numbers and names are masked in the style of each account's bank. */
export type LookedUpTransfer = {
  amount: Minor;
  currency: Currency;
  sentAt: Date;
  from: { bankCode: string; accountNo: string; name: string };
  /** `BILLER`: a gateway's code was paid; accountNo is the biller's, reference1 that of the code. */
  to: { kind: 'ACCOUNT' | 'BILLER'; bankCode: string; accountNo: string; name: string; reference1: string | null };
};

export type SlipLookup =
  | { outcome: 'found'; transfer: LookedUpTransfer }
  /** There is no such transfer, or it is older than the bank's records. */
  | { outcome: 'no-such-transfer' }
  /** The bank refused our captcha; nothing is known. */
  | { outcome: 'refused' }
  /** The bank will return it later. */
  | { outcome: 'later'; inMs: number }
  /** Timeout, a bank that is down, or a malformed answer. */
  | { outcome: 'unknown'; reason: string };

/** Looks up the transfer of a slip's code. Nothing here throws on failures of the outside. */
export type SlipLookupService = {
  lookUp(transfer: { sendingBank: string; transRef: string }): Promise<SlipLookup>;
  /** Upper bound of the duration of one call. */
  patienceMs: number;
};
