import type { Currency, Minor } from '@krapao/contract/money';

/** A transfer as the bank tells it. Numbers and names are masked in the manner of each account's bank. */
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
  /** There is no such transfer, or it is older than the bank remembers. */
  | { outcome: 'no-such-transfer' }
  /** The bank asked for a proof and refused ours; nothing is known. */
  | { outcome: 'refused' }
  /** The bank shows it later. */
  | { outcome: 'later'; inMs: number }
  /** Silence, a bank that is down, or an answer that nobody can read. */
  | { outcome: 'unknown'; reason: string };

/** Who tells what is behind the code of a slip. Nothing here throws for what the outside does. */
export type SlipLookupService = {
  lookUp(transfer: { sendingBank: string; transRef: string }): Promise<SlipLookup>;
  /** One call has certainly ended after this long. */
  patienceMs: number;
};
