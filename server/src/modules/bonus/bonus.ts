import { bonusAmount } from '@krapao/contract/bonus-terms';
import type { BonusType, bonus, promotion, userBonus } from '@krapao/contract/endpoints/bonus';
import type { Language } from '@krapao/contract/languages';
import { type Currency, type Minor, toWire } from '@krapao/contract/money';
import { plainDigits, trimPasted } from '@krapao/contract/text/digits';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { CashEntry, Ledger } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { fillTemplate, formatMoney } from '../../platform/message-template.ts';
import { dayStart, weekStart, type Clock } from '../../platform/time.ts';
import type { AccountModule } from '../account/index.ts';
import type { ConditionTerms, Eligibility, IncentiveModule } from '../incentive/index.ts';
import type { OperatorData } from '../operator-data/index.ts';

/** BONUS: listed for all members. PROMOTION: claimed by its code. PRIZE: won. */
export type OfferKind = 'BONUS' | 'PROMOTION' | 'PRIZE';
export type ReceivedKind = Exclude<OfferKind, 'PRIZE'>;
type TextByLanguage = Readonly<Record<Language, string>>;

/** An offer with its amounts in one currency, in minor units. */
export type Offer = {
  code: string;
  kind: OfferKind;
  currency: Currency;
  isOn: boolean;
  type: BonusType;
  maxReceived: number;
  /** Percent of the deposit; null for a fixed amount. */
  percent: number | null;
  fixed: Minor | null;
  maximum: Minor | null;
  minimumDeposit: Minor;
  percentSuccess: number;
  percentFail: number;
  turnoverTimes: number | null;
  windowHours: number;
  /** Maximum money without the deposit, open bets included, with which the offer can be received. */
  rest: Minor;
  /** Remaining receipts and remaining money for all members together; null without a limit. */
  leftCount: number | null;
  leftBudget: Minor | null;
  name: TextByLanguage;
  description: TextByLanguage;
  banners: readonly { image: string; html: TextByLanguage }[];
};

/** Why none of the member's deposits qualifies for an offer: `detail` of BONUS_CONDITION. */
export type NoDepositReason = 'NO_DEPOSIT' | 'DEPOSIT_BELOW_MINIMUM' | 'DEPOSIT_USED' | 'WITHDRAWN_SINCE';
export type QualifyingDeposit = { operationId: bigint; amount: Minor };

const OFFER_CODE_PATTERN = /^[A-Za-z0-9_-]{1,32}$/;

/** Normalizes a typed offer code. Undefined if it can't be an offer code. */
export function readCode(rawCode: string): string | undefined {
  const code = plainDigits(trimPasted(rawCode));
  return OFFER_CODE_PATTERN.test(code) ? code.toUpperCase() : undefined;
}

export const offerAmountFor = (offer: Offer, depositAmount: bigint): Minor =>
  bonusAmount(offer, depositAmount, offer.currency);

/** Whether an offer gives anything on a deposit of this amount. */
export const givesOn = (offer: Offer, depositAmount: bigint): boolean =>
  depositAmount >= offer.minimumDeposit && offerAmountFor(offer, depositAmount) > 0n;

/** Condition of an offer for a member. `ownAmount`: the member's own money that the offer is received with. */
export const conditionTerms = (
  { percentSuccess, percentFail, turnoverTimes }: Offer,
  ownAmount: Minor,
): ConditionTerms => ({
  own: ownAmount,
  percentSuccess,
  percentFail,
  turnoverTimes,
  expiresAt: null,
});

/** Whether a bonus or promotion is active. A member has at most one. */
export const hasActiveOffer = ({ open: openConditions }: Pick<Eligibility, 'open'>): boolean =>
  openConditions.some(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');

/** Whether the offer can no longer be received, even on the smallest deposit. */
export function isExhausted(offer: Offer): boolean {
  const { leftCount, leftBudget, minimumDeposit } = offer;
  return (
    (leftCount !== null && leftCount <= 0) ||
    (leftBudget !== null && leftBudget < offerAmountFor(offer, minimumDeposit))
  );
}

/**
 * Start of the period whose receipts count towards the limit; undefined if all receipts count. The period has no end: a
 * receipt from a clock that ran ahead still counts.
 */
export function limitPeriodStart({ type }: Pick<Offer, 'type'>, now: Date): Date | undefined {
  if (type === 'limit') return undefined;
  return type === 'day' ? dayStart(now) : weekStart(now);
}

/**
 * Finds the deposit that qualifies for an offer: the newest large enough deposit without a later withdrawal or a later
 * used deposit.
 * @param cashEntries entries of the offer's time window, newest first
 */
export function qualifyingDeposit(
  offer: Offer,
  cashEntries: readonly CashEntry[],
  isUsed: (operationId: bigint) => boolean,
): QualifyingDeposit | NoDepositReason {
  let noDepositReason: NoDepositReason = 'NO_DEPOSIT';
  for (const { kind, state, operationId, amount } of cashEntries) {
    if (state === 'FAILED') continue;
    if (kind === 'withdraw') return 'WITHDRAWN_SINCE';
    if (state !== 'SUCCESS') continue;
    if (isUsed(operationId)) return 'DEPOSIT_USED';
    if (givesOn(offer, amount)) return { operationId, amount };
    noDepositReason = 'DEPOSIT_BELOW_MINIMUM';
  }
  return noDepositReason;
}

/** Dependencies of bonuses and promotions. */
export type BonusDeps = {
  database: Database;
  ledger: Pick<Ledger, 'statementRows'>;
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  rateLimits: RateLimits;
  incentive: Pick<
    IncentiveModule,
    'grantOffer' | 'refreshProgress' | 'activeBonus' | 'listEnded' | 'cancelBonus' | 'cancelCondition' | 'eligibility'
  >;
  readOperatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};

export type WireBonus = z.input<typeof bonus>;
export type WirePromotion = z.input<typeof promotion>;
export type UserBonus = z.input<typeof userBonus>;

/** A bonus in wire format, in one language. */
export function toWireBonus(offer: Offer, language: Language): Omit<WireBonus, 'isExhausted' | 'userBonus'> {
  const { code, type, maxReceived, percentSuccess, percentFail, percent, fixed, maximum, minimumDeposit } = offer;
  const templateValues = offerTemplateValues(offer);
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
    banners: offer.banners.map(({ image, html }) => ({ image, html: fillTemplate(html[language], templateValues) })),
    isFull: isExhausted(offer),
  };
}

/** Values for the placeholders in the operator's texts about the offer, in the member's currency. */
const offerTemplateValues = ({
  currency,
  minimumDeposit,
  maximum,
  fixed,
}: Offer): Readonly<Record<string, string>> => ({
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
    description: fillTemplate(description[language], offerTemplateValues(offer)),
    minimumDeposit: toWire(minimumDeposit),
    windowHours: offer.windowHours,
    turnoverTimes: offer.turnoverTimes,
  };
}

/** A member's receipts of one offer in wire format, newest first. */
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
