import { type ConditionAmounts, requiredAmounts } from '@krapao/contract/bonus-terms';
import type { ConditionKind, conditionProgress } from '@krapao/contract/endpoints/bonus';
import type { Language } from '@krapao/contract/languages';
import { type Currency, type Minor, minor } from '@krapao/contract/money';
import type { ConditionState, GrantState } from '@krapao/contract/states';
import type { z } from 'zod';

export type { ConditionKind } from '@krapao/contract/endpoints/bonus';

/** A text in every language. */
export type LocalizedText = Readonly<Record<Language, string>>;

/** The same text for every language: a code, a date, a percentage. */
export const sameInAllLanguages = (text: string): LocalizedText => ({ th: text, la: text, en: text });

/** Member who receives an incentive. */
export type MemberRef = { id: string; currency: Currency };

/** A member's money and open conditions at one moment. Amounts in minor units. */
export type Eligibility = {
  /** Money in the wallet, in games, and in transit between them. */
  total: Minor;
  /** Share of `total` in games. */
  inGames: Minor;
  /** Available wallet balance. */
  free: Minor;
  /** Stakes of open bets, by the last refresh. */
  outstanding: Minor;
  /** False if a game that may hold money did not reply: its balance is unknown. */
  isCertain: boolean;
  /** Conditions that have not ended, oldest first. */
  open: readonly Condition[];
  /** True while a withdrawal is pending. */
  isWithdrawing: boolean;
};

/** Decision about a grant: its amount and condition. */
export type Award = {
  kind: ConditionKind;
  /** Natural key of the grant; the same source never grants twice. */
  source: string;
  /** Name shown to the member. */
  name: LocalizedText;
  /** Positive. */
  amount: Minor;
  /** Condition that then blocks withdrawals; null: the money can be withdrawn immediately. */
  condition: ConditionTerms | null;
};

export type ConditionTerms = {
  /**
   * The member's own money in the base of the condition, such as the deposit. The member keeps it when cancelling. 0
   * without any.
   */
  own: Minor;
  /** Percent of (own + amount) to reach, and percent at which the condition is lost; at most two decimals. */
  percentSuccess: number;
  percentFail: number;
  /**
   * Required turnover as a multiple of (own + amount), which also meets the condition; null: turnover does not count.
   */
  turnoverTimes: number | null;
  expiresAt: Date | null;
};

/** Incentive money granted to a member. */
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
  /** Turnover by game when the condition began; null for a game without a report from its provider. */
  turnoverBefore: Readonly<Record<string, Minor | null>>;
  /** Time of the credit; before the credit, time of the decision. */
  startedAt: Date;
  expiresAt: Date | null;
  /** Counted for the condition. `play`: winnings minus losses. `turnover`: stakes of settled bets. */
  play: Minor;
  turnover: Minor;
  takesBack: Minor | null;
  /** Open stakes at the time of a grant without a deposit. The member owns their payout up to this amount. */
  outstandingBefore: Minor;
  clearAttempt: number;
  /** Reference of the grant. */
  reference: string;
};

/** Whether the condition belongs to a bonus or promotion. A member has at most one of them. */
export const isBonus = ({ kind }: Condition): boolean => kind === 'BONUS' || kind === 'PROMOTION';

/** Progress of a condition in wire format. */
export type ConditionProgress = z.input<typeof conditionProgress>;

/** A condition that ended without a member action. */
export type EndedCondition = Pick<Condition, 'reference' | 'kind' | 'name'> & {
  how: 'SUCCESS' | 'FAILED' | 'EXPIRED';
  endedAt: Date;
};

/** A grant as shown in the statement. `end`: null without a condition, or while it is open. */
export type GrantDescription = Pick<Grant, 'kind' | 'name'> & { end: EndedCondition['how'] | 'CANCELLED' | null };

/** Reason why an open condition blocks a withdrawal. */
export type ConditionRefusal = { code: 'BONUS_CONDITION' | 'REFUND_CONDITION'; detail: string };

/** Calculates the amounts that a condition requires. The target is rounded up, the floor is rounded down. */
export function conditionAmounts(
  { amount, condition }: Pick<Award, 'amount'> & { condition: NonNullable<Award['condition']> },
  currency: Currency,
): ConditionAmounts {
  return requiredAmounts(minor(condition.own + amount), condition, currency);
}
