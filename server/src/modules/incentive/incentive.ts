import type { ConditionKind, conditionProgress } from '@krapao/contract/endpoints/bonus';
import type { Language } from '@krapao/contract/languages';
import { type Currency, type Minor, minor, parseDecimal, smallestUnit } from '@krapao/contract/money';
import type { ConditionState, GrantState } from '@krapao/contract/states';
import type { z } from 'zod';

export type { ConditionKind } from '@krapao/contract/endpoints/bonus';

/** A text in every language. */
export type LocalizedText = Readonly<Record<Language, string>>;

/** What reads the same in every language: a code, a date, a percentage. */
export const sameInAll = (text: string): LocalizedText => ({ th: text, la: text, en: text });

/** Whose incentives they are. */
export type MemberRef = { id: string; currency: Currency };

/** Where a member's money is, at one moment. All in minor units. */
export type Eligibility = {
  /** Wallet, games and what is on its way between them. */
  total: Minor;
  /** Share of it in games. */
  inGames: Minor;
  /** What may be used in the wallet. */
  free: Minor;
  /** Staked in open bets, by the last refresh. */
  outstanding: Minor;
  /** False when a game that may hold money did not answer: its balance is unknown. */
  isCertain: boolean;
  /** Conditions that are not over, the oldest first. */
  open: readonly Condition[];
  /** A withdrawal is pending. */
  isWithdrawing: boolean;
};

/** What a source of incentive money decides on, in the door. */
export type Award = {
  kind: ConditionKind;
  /** What entitles to it; the same source never gives twice. */
  source: string;
  /** What the member knows it by. */
  name: LocalizedText;
  /** More than 0. */
  amount: Minor;
  /** The condition that blocks withdrawals afterwards; null: the money is free immediately. */
  condition: ConditionTerms | null;
};

export type ConditionTerms = {
  /** The member's own money that it is given on; stays theirs when they give it up. 0 for what is given on nothing. */
  own: Minor;
  /** Percent of (own + amount) that must be reached, and to which it may fall; at most two decimals. */
  percentSuccess: number;
  percentFail: number;
  /** Stakes of settled bets, as a multiple of (own + amount), that meet it too; null: turnover does not count. */
  turnoverTimes: number | null;
  expiresAt: Date | null;
};

/** What was given. */
export type Grant = {
  id: string;
  memberId: string;
  currency: Currency;
  kind: ConditionKind;
  source: string;
  name: LocalizedText;
  reference: string;
  amount: Minor;
  state: GrantState;
  createdAt: Date;
};

export type Condition = {
  id: string;
  memberId: string;
  currency: Currency;
  kind: ConditionKind;
  name: LocalizedText;
  state: ConditionState;
  base: Minor;
  own: Minor;
  target: Minor;
  floor: Minor;
  percentSuccess: number;
  percentFail: number;
  turnoverTarget: Minor | null;
  /** Turnover by game when it began; null where the provider hadn't reported it. */
  turnoverBefore: Readonly<Record<string, Minor | null>>;
  /** When it was credited; before that, when it was decided. */
  startedAt: Date;
  expiresAt: Date | null;
  /** What was counted for it: won less lost, and staked in settled bets. */
  play: Minor;
  turnover: Minor;
  takesBack: Minor | null;
  /** Open stakes at the grant, for a grant without a deposit: this much of their payout is the member's own. */
  outstandingBefore: Minor;
  clearAttempt: number;
  /** Of the grant. */
  reference: string;
};

/** A bonus or a promotion: a member has one of them at most. */
export const isBonus = ({ kind }: Condition): boolean => kind === 'BONUS' || kind === 'PROMOTION';

/** Progress of a condition in wire format. */
export type ConditionProgress = z.input<typeof conditionProgress>;

/** A condition that ended without a member action. */
export type EndedCondition = Pick<Condition, 'reference' | 'kind' | 'name'> & {
  how: 'SUCCESS' | 'FAILED' | 'EXPIRED';
  endedAt: Date;
};

/** A grant for the statement: `end` is null while its condition is open, or without one. */
export type GrantDescription = Pick<Grant, 'kind' | 'name'> & { end: EndedCondition['how'] | 'CANCELLED' | null };

/** Why money may not leave yet. */
export type ConditionRefusal = { code: 'BONUS_CONDITION' | 'REFUND_CONDITION'; detail: string };

/** Hundredths of a whole time. */
const ONCE = 100n;

/** The amounts that a condition asks for, in the member's currency. */
export type Amounts = { base: Minor; target: Minor; floor: Minor; turnoverTarget: Minor | null };

/** What a condition asks for: what must be reached is rounded up, to what it may fall down. */
export function conditionAmounts(
  { amount, condition }: Pick<Award, 'amount'> & { condition: NonNullable<Award['condition']> },
  currency: Currency,
): Amounts {
  const base = minor(condition.own + amount);
  const { percentSuccess, percentFail, turnoverTimes } = condition;
  return {
    base,
    target: roundedUp(base * toBasisPoints(percentSuccess), BASIS_POINTS, currency),
    floor: floorToStep((base * toBasisPoints(percentFail)) / BASIS_POINTS, currency),
    turnoverTarget: turnoverTimes === null ? null : roundedUp(base * toBasisPoints(turnoverTimes), ONCE, currency),
  };
}

function roundedUp(parts: bigint, ofParts: bigint, currency: Currency): Minor {
  const step = ofParts * smallestUnit(currency);
  return minor(((parts + step - 1n) / step) * smallestUnit(currency));
}

/** So many parts of an amount are the whole of it. */
export const BASIS_POINTS = 10_000n;

/**
 * A percentage as the operator set it, in parts of {@link BASIS_POINTS}: 0.5 is 50. Exact.
 * @throws for more than two decimals, which no setting may have
 */
export function toBasisPoints(percent: number): bigint {
  const parts = parseDecimal(String(percent));
  if (parts === undefined) throw new Error(`${percent} is not a percentage with at most two decimals`);
  return parts;
}

/** An amount rounded down to what a person can have of the currency. */
export const floorToStep = (amount: bigint, currency: Currency): Minor =>
  minor(amount - (amount % smallestUnit(currency)));
