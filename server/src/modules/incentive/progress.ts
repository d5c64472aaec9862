import type { Language } from '@krapao/contract/languages';
import { type Minor, minor, toWire, ZERO } from '@krapao/contract/money';
import type { BetState } from '../game/index.ts';
import type { Condition, ConditionProgress, Eligibility } from './incentive.ts';

/** Progress of a condition at one moment. */
export type MeasuredCondition = {
  condition: Condition;
  /** What it began with, and what was won and lost in games that counts for it. May be below 0. */
  current: Minor;
  /** What is played now counts for it; false while an older one is open. */
  isCounting: boolean;
};
export type MemberFunds = Pick<Eligibility, 'total' | 'outstanding' | 'isCertain'>;
export type Ending = 'SUCCESS' | 'FAILED';

export const measure = (condition: Condition, isCounting: boolean): MeasuredCondition => ({
  condition,
  current: minor(condition.base + condition.play),
  isCounting,
});

/** Turnover by game that is already counted. */
export type CountedTurnover = Readonly<Record<string, Minor>>;

/**
 * Stakes of bets settled since a condition was decided, beyond what was counted before. An account that was opened later
 * counts from its beginning; one that was silent then, from its first report.
 */
export function turnoverSince(
  { turnoverBefore }: Condition,
  bets: readonly BetState[],
  counted: CountedTurnover = {},
): Minor {
  let sum = 0n;
  for (const { gameCode, turnover } of bets) {
    const before = turnoverBefore[gameCode];
    if (turnover === null || before === null) continue;
    const from = greater(before ?? ZERO, counted[gameCode] ?? ZERO);
    if (turnover > from) sum += turnover - from;
  }
  return minor(sum);
}

/** The counted turnover after adding all that is reported now. Turnover that a provider takes back stays counted. */
export const turnoverCounted = (bets: readonly BetState[], counted: CountedTurnover): CountedTurnover => ({
  ...counted,
  ...Object.fromEntries(
    bets.flatMap(({ gameCode, turnover }) =>
      turnover === null ? [] : [[gameCode, greater(turnover, counted[gameCode] ?? ZERO)]],
    ),
  ),
});

const greater = (one: Minor, other: Minor): Minor => (one > other ? one : other);

/** Where turnover counts from: null for a game whose provider doesn't report it now. */
export const turnoverNow = (bets: readonly BetState[]): Record<string, Minor | null> =>
  Object.fromEntries(bets.map(({ gameCode, turnover, isStale }) => [gameCode, isStale ? null : turnover]));

/** The same for an open condition, when a game that was silent before has reported; undefined when none has. */
export function newlyReportedTurnover(
  { turnoverBefore }: Condition,
  bets: readonly BetState[],
): Record<string, Minor | null> | undefined {
  const reported = bets.filter(({ gameCode, turnover, isStale }) => {
    return turnoverBefore[gameCode] === null && turnover !== null && !isStale;
  });
  return reported.length === 0 ? undefined : { ...turnoverBefore, ...turnoverNow(reported) };
}

/**
 * Whether a condition is over. Met beats lost. It is lost only when nothing can come back any more: no open bets, and every
 * game that may hold something has reported; then also when the member has no more than the floor in all, whatever it began with.
 */
export function conditionVerdict({ condition, current }: MeasuredCondition, around: MemberFunds): Ending | undefined {
  const { target, floor, turnover, turnoverTarget } = condition;
  if (current >= target || (turnoverTarget !== null && turnover >= turnoverTarget)) return 'SUCCESS';
  const has = current < around.total ? current : around.total;
  return has <= floor && around.outstanding === ZERO && around.isCertain ? 'FAILED' : undefined;
}

/** Whether its time is over: then it is taken back as if it were given up. */
export const isExpired = ({ expiresAt }: Condition, now: Date): boolean => expiresAt !== null && expiresAt <= now;

/** What giving it up takes: what is left of what was given and won, and no more than there is. */
export function amountToTakeBack(
  { condition: { base, own, play, outstandingBefore } }: MeasuredCondition,
  available: Minor,
): Minor {
  // Payouts of earlier bets are the member's own up to their stakes.
  const won = play > outstandingBefore ? play - outstandingBefore : play < 0n ? play : 0n;
  const left = base + won - own;
  return minor(left < 0n ? 0n : left < available ? left : available);
}

/** Amounts that cancelling would take back and leave, from stored data. */
export function cancelPreview(
  measured: MeasuredCondition,
  { free, total, inGames }: Pick<Eligibility, 'free' | 'total' | 'inGames'>,
): { takesBack: Minor; keeps: Minor } {
  const takesBack = amountToTakeBack(measured, minor(free + inGames));
  return { takesBack, keeps: minor(total - takesBack) };
}

/** In wire format, in one language. */
export function toWireProgress(
  measured: MeasuredCondition,
  { language, ...around }: Pick<Eligibility, 'outstanding' | 'free' | 'total' | 'inGames'> & { language: Language },
): ConditionProgress {
  const { condition, current, isCounting } = measured;
  const { takesBack, keeps } = cancelPreview(measured, around);
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
    outstanding: toWire(around.outstanding),
    percentSuccess,
    percentFail,
    startedAt: condition.startedAt.toISOString(),
    isCounting,
    ifCleared: { takesBack: toWire(takesBack), keeps: toWire(keeps) },
  };
}
