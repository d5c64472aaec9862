import type { Minor } from '@krapao/contract/money';

/** Why a gift can't be had, for good. `NO_RECEIVER`: our phone has no wallet there, which is a fault of ours. */
export type GiftRefusal = 'NOT_FOUND' | 'EXPIRED' | 'OWN' | 'OUT_OF_STOCK' | 'NO_RECEIVER';

export type GiftAnswer =
  /** It is still to be had by us. `share`: what we would get at the least. */
  | { answer: 'REDEEMABLE'; share: Minor }
  /** We have it: what our own ticket is worth, not the voucher. */
  | { answer: 'TICKET'; amount: Minor; voucherId: string | null }
  /** We have it, and nobody says how much it was. */
  | { answer: 'TICKET_UNREADABLE' }
  | { answer: 'REFUSED'; refusal: GiftRefusal }
  /** No answer, or one that proves nothing. After `redeem` it may have happened or not. */
  | { answer: 'UNKNOWN'; reason: string };

/** Gift links, as our account in the wallet app redeems them. Nothing here throws for what the wallet app does. */
export type GiftRedeemer = {
  /** Our phone there. */
  receiver: string;
  timeoutMs: number;
  /** Asks, and changes nothing. */
  verify(hash: string): Promise<GiftAnswer>;
  /** Takes it. Not idempotent: after UNKNOWN only `verify` tells. */
  redeem(hash: string): Promise<GiftAnswer>;
};
