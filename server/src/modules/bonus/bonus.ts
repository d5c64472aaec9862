import type { BonusType } from '@krapao/contract/endpoints/bonus';
import type { Language } from '@krapao/contract/languages';
import type { Currency, Minor } from '@krapao/contract/money';
import { plainDigits } from '@krapao/contract/text/digits';
import type { CashLine } from '../../ledger/module.ts';
import { dayStart, weekStart } from '../../platform/bangkok.ts';
import { type ConditionTerms, PARTS, partsOf, roundedDown, type Standing } from '../incentive/module.ts';

/** BONUS: members see it in a list. PROMOTION: they know its code. PRIZE: they win it. */
export type OfferKind = 'BONUS' | 'PROMOTION' | 'PRIZE';
export type ReceivedKind = Exclude<OfferKind, 'PRIZE'>;
type Text = Readonly<Record<Language, string>>;

/** An offer as members of one currency have it. Amounts in minor units. */
export type Offer = {
  code: string;
  kind: OfferKind;
  currency: Currency;
  isOn: boolean;
  type: BonusType;
  maxReceived: number;
  /** Of the deposit; null where a fixed amount is given. */
  percent: number | null;
  fixed: Minor | null;
  maximum: Minor | null;
  minimumDeposit: Minor;
  percentSuccess: number;
  percentFail: number;
  turnoverTimes: number | null;
  windowHours: number;
  /** What a member may have besides the deposit, or in open bets. */
  rest: Minor;
  /** What all members together can still receive: receipts and money; null without a limit. */
  leftCount: number | null;
  leftBudget: Minor | null;
  name: Text;
  description: Text;
  banners: readonly { image: string; html: Text }[];
};

/** Why no deposit of the member's earns an offer: `detail` of BONUS_CONDITION. */
export type NoDeposit = 'NO_DEPOSIT' | 'DEPOSIT_BELOW_MINIMUM' | 'DEPOSIT_USED' | 'WITHDRAWN_SINCE';
export type Deposit = { operationId: bigint; amount: Minor };

const CODE = /^[A-Za-z0-9_-]{1,32}$/;

/** A code as offers have it, however it was typed; undefined for what no offer can be called. */
export function readCode(typed: string): string | undefined {
  const code = plainDigits(typed.trim());
  return CODE.test(code) ? code.toUpperCase() : undefined;
}

/** What an offer gives on a deposit. */
export function amountFor(offer: Offer, deposit: bigint): Minor {
  if (offer.fixed !== null) return offer.fixed;
  const share = (deposit * partsOf(offer.percent ?? 0)) / PARTS;
  const most = offer.maximum ?? share;
  return roundedDown(share < most ? share : most, offer.currency);
}

/** The condition for a member who receives it with this much money of their own. */
export const termsOf = ({ percentSuccess, percentFail, turnoverTimes }: Offer, own: Minor): ConditionTerms => ({
  own,
  percentSuccess,
  percentFail,
  turnoverTimes,
  expiresAt: null,
});

/** A bonus or promotion is open: there is one at a time. */
export const hasActive = ({ open }: Pick<Standing, 'open'>): boolean =>
  open.some(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');

/** It can no longer be received, not even on the smallest deposit. */
export function isFull(offer: Offer): boolean {
  const { leftCount, leftBudget, minimumDeposit } = offer;
  return (
    (leftCount !== null && leftCount <= 0) || (leftBudget !== null && leftBudget < amountFor(offer, minimumDeposit))
  );
}

/**
 * Since when receipts count towards the limit; undefined: all of them. There is no end: what is received while a clock is
 * ahead still counts when it is put right.
 */
export function countedSince({ type }: Pick<Offer, 'type'>, now: Date): Date | undefined {
  if (type === 'limit') return undefined;
  return type === 'day' ? dayStart(now) : weekStart(now);
}

/**
 * The deposit that earns an offer: the newest that is great enough, unless money was withdrawn, or another deposit used,
 * since it came.
 * @param lines of the window, newest first
 */
export function depositFor(
  offer: Offer,
  lines: readonly CashLine[],
  isUsed: (operationId: bigint) => boolean,
): Deposit | NoDeposit {
  let why: NoDeposit = 'NO_DEPOSIT';
  for (const { kind, state, operationId, amount } of lines) {
    if (state === 'FAILED') continue;
    if (kind === 'withdraw') return 'WITHDRAWN_SINCE';
    if (state !== 'SUCCESS') continue;
    if (isUsed(operationId)) return 'DEPOSIT_USED';
    if (amount >= offer.minimumDeposit && amountFor(offer, amount) > 0n) return { operationId, amount };
    why = 'DEPOSIT_BELOW_MINIMUM';
  }
  return why;
}
