import type { Language } from '@krapao/contract/languages';
import { type Minor, minor, toWire, ZERO } from '@krapao/contract/money';
import type { BetState } from '../game/index.ts';
import type { Condition, ConditionProgress, Eligibility } from './incentive.ts';

/** Progress of a condition at one moment. */
export type MeasuredCondition = {
  condition: Condition;
  /** Base of the condition plus its counted winnings minus losses. May be negative. */
  current: Minor;
  /** Whether current play counts for the condition; false while an older condition is open. */
  isCounting: boolean;
};
export type MemberFunds = Pick<Eligibility, 'total' | 'outstanding' | 'isCertain'>;
export type Ending = 'SUCCESS' | 'FAILED';

export const measureCondition = (condition: Condition, isCounting: boolean): MeasuredCondition => ({
  condition,
  current: minor(condition.base + condition.play),
  isCounting,
});

/** Already counted turnover by game. */
export type CountedTurnover = Readonly<Record<string, Minor>>;

/**
 * Stakes of bets settled since the condition was decided, less the turnover already counted. A game account opened
 * later counts from its opening. A game without a report at the decision counts from its first report.
 */
export function turnoverSince(
  { turnoverBefore }: Condition,
  bets: readonly BetState[],
  alreadyCounted: CountedTurnover = {},
): Minor {
  let total = 0n;
  for (const { gameCode, turnover } of bets) {
    const turnoverAtStart = turnoverBefore[gameCode];
    if (turnover === null || turnoverAtStart === null) continue;
    const countedFrom = greaterAmount(turnoverAtStart ?? ZERO, alreadyCounted[gameCode] ?? ZERO);
    if (turnover > countedFrom) total += turnover - countedFrom;
  }
  return minor(total);
}

/** Counted turnover after adding all reported turnover. Turnover that a provider later reduces stays counted. */
export const turnoverCounted = (bets: readonly BetState[], alreadyCounted: CountedTurnover): CountedTurnover => ({
  ...alreadyCounted,
  ...Object.fromEntries(
    bets.flatMap(({ gameCode, turnover }) =>
      turnover === null ? [] : [[gameCode, greaterAmount(turnover, alreadyCounted[gameCode] ?? ZERO)]],
    ),
  ),
});

const greaterAmount = (first: Minor, second: Minor): Minor => (first > second ? first : second);

/**
 * Current turnover by game, from which a new condition counts; null for a game whose provider does not report it now.
 */
export const currentTurnover = (bets: readonly BetState[]): Record<string, Minor | null> =>
  Object.fromEntries(bets.map(({ gameCode, turnover, isStale }) => [gameCode, isStale ? null : turnover]));

/**
 * Initial turnover of an open condition, updated for games that had not reported before; undefined without such games.
 */
export function newlyReportedTurnover(
  { turnoverBefore }: Condition,
  bets: readonly BetState[],
): Record<string, Minor | null> | undefined {
  const reportedBets = bets.filter(({ gameCode, turnover, isStale }) => {
    return turnoverBefore[gameCode] === null && turnover !== null && !isStale;
  });
  return reportedBets.length === 0 ? undefined : { ...turnoverBefore, ...currentTurnover(reportedBets) };
}

/**
 * Whether a condition is met or lost; meeting wins over losing. A condition is lost only without open bets, and after
 * every game that may hold money has reported. It is also lost if the member's total money is at or below the floor,
 * whatever the base was.
 */
export function conditionVerdict({ condition, current }: MeasuredCondition, funds: MemberFunds): Ending | undefined {
  const { target, floor, turnover, turnoverTarget } = condition;
  if (current >= target || (turnoverTarget !== null && turnover >= turnoverTarget)) return 'SUCCESS';
  const balance = current < funds.total ? current : funds.total;
  return balance <= floor && funds.outstanding === ZERO && funds.isCertain ? 'FAILED' : undefined;
}

/** Whether the condition's time is over. It is then taken back as if the member had cancelled it. */
export const isExpired = ({ expiresAt }: Condition, now: Date): boolean => expiresAt !== null && expiresAt <= now;

/** Amount taken back by cancelling: the remaining grant and its winnings, at most the available money. */
export function amountToTakeBack(
  { condition: { base, own, play, outstandingBefore } }: MeasuredCondition,
  availableAmount: Minor,
): Minor {
  // Payouts of earlier bets belong to the member up to their stakes.
  const winnings = play > outstandingBefore ? play - outstandingBefore : play < 0n ? play : 0n;
  const remainingBonus = base + winnings - own;
  return minor(remainingBonus < 0n ? 0n : remainingBonus < availableAmount ? remainingBonus : availableAmount);
}

/** Amounts that cancelling would take back and leave, from stored data. */
export function cancelPreview(
  measuredCondition: MeasuredCondition,
  { free, total, inGames }: Pick<Eligibility, 'free' | 'total' | 'inGames'>,
): { takesBack: Minor; keeps: Minor } {
  const takesBack = amountToTakeBack(measuredCondition, minor(free + inGames));
  return { takesBack, keeps: minor(total - takesBack) };
}

/** Progress in wire format, in one language. */
export function toWireProgress(
  measuredCondition: MeasuredCondition,
  { language, ...funds }: Pick<Eligibility, 'outstanding' | 'free' | 'total' | 'inGames'> & { language: Language },
): ConditionProgress {
  const { condition, current, isCounting } = measuredCondition;
  const { takesBack, keeps } = cancelPreview(measuredCondition, funds);
  const { kind, name, state, base, target, floor, turnover, turnoverTarget, percentSuccess, percentFail } = condition;
  return {
    reference: condition.reference,
    kind,
    name: name[language],
    state,
    base: toWire(base),
    current: toWire(current > 0n ? current : 0n),
    target: toWire(target),
    floor: toWire(floor),
    turnover: turnoverTarget === null ? null : toWire(turnover),
    turnoverTarget: turnoverTarget === null ? null : toWire(turnoverTarget),
    outstanding: toWire(funds.outstanding),
    percentSuccess,
    percentFail,
    startedAt: condition.startedAt.toISOString(),
    isCounting,
    ifCleared: { takesBack: toWire(takesBack), keeps: toWire(keeps) },
  };
}
