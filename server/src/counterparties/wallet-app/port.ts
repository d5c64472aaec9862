import type { Minor } from '@krapao/contract/money';

/** Permanent refusals of a gift. `NO_RECEIVER`: our phone number has no wallet there, which is a misconfiguration. */
export type GiftRefusal = 'NOT_FOUND' | 'EXPIRED' | 'OWN' | 'OUT_OF_STOCK' | 'NO_RECEIVER';

export type GiftAnswer =
  /** We can still redeem it. `share`: the minimum that we would receive. */
  | { answer: 'REDEEMABLE'; share: Minor }
  /** Redeemed by us: the amount of our own ticket, not of the voucher. */
  | { answer: 'TICKET'; amount: Minor; voucherId: string | null }
  /** Redeemed by us, with an unknown amount. */
  | { answer: 'TICKET_UNREADABLE' }
  | { answer: 'REFUSED'; refusal: GiftRefusal }
  /** No answer, or one that proves nothing. After `redeem` it may have happened or not. */
  | { answer: 'UNKNOWN'; reason: string };

/** Redeems gift links for our account in the wallet app. Nothing here throws on failures of the wallet app. */
export type GiftRedeemer = {
  /** Our phone number there. */
  receiver: string;
  timeoutMs: number;
  /** Read-only inquiry. */
  verify(hash: string): Promise<GiftAnswer>;
  /** Redeems it. Not idempotent: after UNKNOWN only `verify` returns the outcome. */
  redeem(hash: string): Promise<GiftAnswer>;
};
