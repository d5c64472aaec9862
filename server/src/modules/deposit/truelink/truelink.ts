import { WALLET_APP_MINIMUM } from '@krapao/contract/constants';
import { type Minor, minor } from '@krapao/contract/money';
import type { GiftState } from '@krapao/contract/states';
import type { GiftRefusal } from '../../../counterparties/wallet-app/port.ts';

/** A gift link that a member has sent, to be redeemed for them. */
export type Gift = {
  id: string;
  /** The identity of a link, for all members. */
  hashSha256: Buffer;
  /** Sealed with the id as its context; null once it is not needed. */
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

/** The answer to the member when a gift can't be redeemed. */
export const failureOf = (refusal: GiftRefusal): GiftFailure =>
  refusal === 'OUT_OF_STOCK'
    ? { code: 'TRUELINK_DUPLICATE', detail: 'OUT_OF_STOCK' }
    : { code: 'TRUELINK_INVALID', detail: refusal };
