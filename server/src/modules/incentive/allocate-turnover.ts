import { type Minor, minor, ZERO } from '@krapao/contract/money';
import type { Condition } from './incentive.ts';
import { type Ending, type MeasuredCondition, measure, type MemberFunds, conditionVerdict } from './progress.ts';

/** Won less lost, and staked in settled bets. */
export type PlayTotals = { play: Minor; turnover: Minor };
/** What was played since a condition began; `fresh`: what of it no condition has counted yet. */
export type PlaySince = { since: PlayTotals; fresh: PlayTotals };

/** A condition with fresh play allocated; `ending` when that ends it. */
export type AllocatedCondition = MeasuredCondition & { ending: Ending | undefined };

/**
 * Counts fresh play once: for the oldest condition, and what is left when that ends for the next. A condition ends by its
 * own play only, so that one loss or win never ends several.
 * @param open oldest first; each with what was counted for it before
 */
export function allocateTurnover(
  open: readonly Condition[],
  playedOf: (condition: Condition) => PlaySince,
  around: MemberFunds,
): AllocatedCondition[] {
  let isTaken = false;
  let left: PlayTotals | undefined;
  return open.map((condition) => {
    // One that is not credited yet has nothing to play with.
    const isCounting = !isTaken && condition.state !== 'OPENING';
    if (!isCounting) return endedWithoutPlay(condition);
    const played = playedOf(condition);
    const measured = measure(add(condition, left ? within(left, played.since) : played.fresh), true);
    const ending = condition.state === 'ACTIVE' ? conditionVerdict(measured, around) : undefined;
    if (!ending) {
      isTaken = true;
      return { ...measured, ending };
    }
    const used = usedBy(measured.condition);
    left = {
      play: minor(measured.condition.play - used.play),
      turnover: minor(measured.condition.turnover - used.turnover),
    };
    return { ...measure({ ...measured.condition, ...used }, true), ending };
  });
}

// Some ask for nothing that has to be played for: they are met wherever they stand.
function endedWithoutPlay(condition: Condition): AllocatedCondition {
  const measured = measure(condition, false);
  const isMet = condition.state === 'ACTIVE' && measured.current >= condition.target;
  return { ...measured, ending: isMet ? 'SUCCESS' : undefined };
}

const add = (condition: Condition, { play, turnover }: PlayTotals): Condition => ({
  ...condition,
  play: minor(condition.play + play),
  turnover: minor(condition.turnover + turnover),
});

/** What an ended condition has used: no more than it asked for to be met or lost. */
function usedBy({ play, turnover, base, target, floor, turnoverTarget }: Condition): PlayTotals {
  const [toLose, toWin] = [floor - base, target - base];
  const least = toLose < 0n ? toLose : 0n;
  const most = toWin > 0n ? toWin : 0n;
  return {
    play: minor(play < least ? least : play > most ? most : play),
    // The same bets are its play: where turnover does not count for it they are used all the same.
    turnover: turnoverTarget !== null && turnover > turnoverTarget ? turnoverTarget : turnover,
  };
}

/** What is left for a condition: nothing of it was played before the condition began. */
const within = (left: PlayTotals, since: PlayTotals): PlayTotals => ({
  play: towards(left.play, since.play),
  turnover: towards(left.turnover, since.turnover),
});

/** The value that is nearer to 0, or 0 when their signs differ. */
function towards(left: bigint, since: bigint): Minor {
  if (left > 0n && since > 0n) return minor(left < since ? left : since);
  if (left < 0n && since < 0n) return minor(left > since ? left : since);
  return ZERO;
}
