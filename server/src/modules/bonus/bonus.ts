import type { BonusType, bonus, promotion, userBonus } from '@krapao/contract/endpoints/bonus';
import type { Language } from '@krapao/contract/languages';
import { type Currency, type Minor, toWire } from '@krapao/contract/money';
import { plainDigits } from '@krapao/contract/text/digits';
import type { CashEntry } from '../../ledger/index.ts';
import { dayStart, weekStart, type Clock } from '../../platform/time.ts';
import {
  type ConditionTerms,
  BASIS_POINTS,
  toBasisPoints,
  floorToStep,
  type Eligibility,
  type IncentiveModule,
} from '../incentive/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { AccountModule } from '../account/index.ts';
import type { SiteConfig } from '../lookup/index.ts';
import type { z } from 'zod';
import { fillTemplate, formatMoney } from '../../platform/message-template.ts';

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
  /** The member's money without the deposit, including open bets. */
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
  const share = (deposit * toBasisPoints(offer.percent ?? 0)) / BASIS_POINTS;
  const most = offer.maximum ?? share;
  return floorToStep(share < most ? share : most, offer.currency);
}

/** The condition for a member who receives it with this much money of their own. */
export const conditionTerms = ({ percentSuccess, percentFail, turnoverTimes }: Offer, own: Minor): ConditionTerms => ({
  own,
  percentSuccess,
  percentFail,
  turnoverTimes,
  expiresAt: null,
});

/** A bonus or promotion is open: there is one at a time. */
export const hasActive = ({ open }: Pick<Eligibility, 'open'>): boolean =>
  open.some(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');

/** It can no longer be received, not even on the smallest deposit. */
export function isExhausted(offer: Offer): boolean {
  const { leftCount, leftBudget, minimumDeposit } = offer;
  return (
    (leftCount !== null && leftCount <= 0) || (leftBudget !== null && leftBudget < amountFor(offer, minimumDeposit))
  );
}

/**
 * Since when receipts count towards the limit; undefined: all of them. There is no end: what is received while a clock is
 * ahead still counts when it is put right.
 */
export function limitPeriodStart({ type }: Pick<Offer, 'type'>, now: Date): Date | undefined {
  if (type === 'limit') return undefined;
  return type === 'day' ? dayStart(now) : weekStart(now);
}

/**
 * The deposit that earns an offer: the newest that is great enough, unless money was withdrawn, or another deposit used,
 * since it came.
 * @param lines of the window, newest first
 */
export function qualifyingDeposit(
  offer: Offer,
  lines: readonly CashEntry[],
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

/** What the use cases of bonuses and promotions work with. */
export type BonusDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  incentive: Pick<
    IncentiveModule,
    'grantOffer' | 'follow' | 'activeBonus' | 'ended' | 'clear' | 'cancelCondition' | 'eligibility'
  >;
  operatorData: () => Promise<SiteConfig>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};

export type WireBonus = z.input<typeof bonus>;
export type WirePromotion = z.input<typeof promotion>;
export type UserBonus = z.input<typeof userBonus>;

/** A bonus as its card shows it, in one language. */
export function toWireBonus(offer: Offer, language: Language): Omit<WireBonus, 'isExhausted' | 'userBonus'> {
  const { code, type, maxReceived, percentSuccess, percentFail, percent, fixed, maximum, minimumDeposit } = offer;
  const values = valuesOf(offer);
  return {
    code,
    name: offer.name[language],
    type,
    maxReceived,
    percentSuccess,
    percentFail,
    percent: fixed === null ? percent : null,
    fixed: fixed === null ? null : toWire(fixed),
    maximum: maximum === null ? null : toWire(maximum),
    minimumDeposit: toWire(minimumDeposit),
    windowHours: offer.windowHours,
    turnoverTimes: offer.turnoverTimes,
    banners: offer.banners.map(({ image, html }) => ({ image, html: fillTemplate(html[language], values) })),
    isFull: isExhausted(offer),
  };
}

/** What the operator's texts about it can be filled in with, in the member's currency. */
const valuesOf = ({ currency, minimumDeposit, maximum, fixed }: Offer): Readonly<Record<string, string>> => ({
  minimumDeposit: formatMoney(minimumDeposit, currency),
  ...(maximum === null ? {} : { maximum: formatMoney(maximum, currency) }),
  ...(fixed === null ? {} : { fixed: formatMoney(fixed, currency) }),
});

export function toWirePromotion(offer: Offer, language: Language): WirePromotion {
  const { code, name, percentSuccess, percentFail, description, minimumDeposit } = offer;
  return {
    code,
    name: name[language],
    percentSuccess,
    percentFail,
    description: fillTemplate(description[language], valuesOf(offer)),
    minimumDeposit: toWire(minimumDeposit),
    windowHours: offer.windowHours,
    turnoverTimes: offer.turnoverTimes,
  };
}

/** A member's record of one offer; the receipts newest first. */
export const userBonusOf = (
  memberId: string,
  { code, maxReceived }: Pick<Offer, 'code' | 'maxReceived'>,
  receipts: readonly Date[],
  isActive: boolean,
): UserBonus => ({
  _id: `${memberId}-${code}`,
  isActive,
  received: receipts.slice(0, maxReceived).map((receivedAt) => ({ updatedAt: receivedAt.toISOString() })),
});
