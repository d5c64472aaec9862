import { WALLET_APP_MINIMUM } from '@krapao/contract/constants';
import { type Minor, minor } from '@krapao/contract/money';
import type { GiftState } from '@krapao/contract/states';
import type { GiftRefusal } from '../../../counterparties/wallet-app/port.ts';

/** A gift link that a member has sent, to be redeemed for them. */
export type Gift = {
  id: string;
  /** What makes it the same link for everybody. */
  hashSha256: Buffer;
  /** Sealed with the id as its context; null once nobody needs it. */
  sealedHash: Buffer | null;
  memberId: string;
  reference: string;
  receiver: string;
  state: GiftState;
  code: GiftCode | null;
  detail: string | null;
  amount: Minor | null;
  /** Since the redeeming call left, by the clock of the database; null before. */
  redeemedAgoMs: number | null;
  ageMs: number;
  asks: number;
  absences: number;
};

export type GiftCode = 'TRUELINK_INVALID' | 'TRUELINK_DUPLICATE';
export type GiftFailure = { code: GiftCode; detail: string };

/** Least amount of a ticket. */
export const GIFT_MINIMUM = minor(BigInt(WALLET_APP_MINIMUM) * 100n);

/** What a member is told when a gift can't be had. */
export const failureOf = (refusal: GiftRefusal): GiftFailure =>
  refusal === 'OUT_OF_STOCK'
    ? { code: 'TRUELINK_DUPLICATE', detail: 'OUT_OF_STOCK' }
    : { code: 'TRUELINK_INVALID', detail: refusal };
