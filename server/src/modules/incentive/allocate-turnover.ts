import { type Minor, minor, ZERO } from '@krapao/contract/money';
import type { Condition } from './incentive.ts';
import {
  type Ending,
  type MeasuredCondition,
  measureCondition,
  type MemberFunds,
  conditionVerdict,
} from './progress.ts';

/** `play`: winnings minus losses. `turnover`: stakes of settled bets. */
export type PlayTotals = { play: Minor; turnover: Minor };
/** `since`: play since the condition began. `fresh`: share of it that no condition has counted yet. */
export type PlaySince = { since: PlayTotals; fresh: PlayTotals };

/** A condition with its allocated play. `ending`: set if the condition ends by it. */
export type AllocatedCondition = MeasuredCondition & { ending: Ending | undefined };

/**
 * Allocates uncounted play to the oldest condition; if that ends, the remaining play goes to the next. A condition ends
 * only by its own play, so that one loss or win never ends several conditions.
 * @param openConditions oldest first, each with its counted play
 */
export function allocateTurnover(
  openConditions: readonly Condition[],
  playSinceOf: (condition: Condition) => PlaySince,
  funds: MemberFunds,
): AllocatedCondition[] {
  let isAllocated = false;
  let remainingPlay: PlayTotals | undefined;
  return openConditions.map((condition) => {
    // A condition that is not credited yet has no money to play with.
    const isCounting = !isAllocated && condition.state !== 'OPENING';
    if (!isCounting) return endedWithoutPlay(condition);
    const playSince = playSinceOf(condition);
    const measuredCondition = measureCondition(
      addPlay(condition, remainingPlay ? limitToConditionPlay(remainingPlay, playSince.since) : playSince.fresh),
      true,
    );
    const ending = condition.state === 'ACTIVE' ? conditionVerdict(measuredCondition, funds) : undefined;
    if (!ending) {
      isAllocated = true;
      return { ...measuredCondition, ending };
    }
    const usedPlay = usedPlayOf(measuredCondition.condition);
    remainingPlay = {
      play: minor(measuredCondition.condition.play - usedPlay.play),
      turnover: minor(measuredCondition.condition.turnover - usedPlay.turnover),
    };
    return { ...measureCondition({ ...measuredCondition.condition, ...usedPlay }, true), ending };
  });
}

// A condition whose target is not above its start is met without play.
function endedWithoutPlay(condition: Condition): AllocatedCondition {
  const measuredCondition = measureCondition(condition, false);
  const isMet = condition.state === 'ACTIVE' && measuredCondition.current >= condition.target;
  return { ...measuredCondition, ending: isMet ? 'SUCCESS' : undefined };
}

const addPlay = (condition: Condition, { play, turnover }: PlayTotals): Condition => ({
  ...condition,
  play: minor(condition.play + play),
  turnover: minor(condition.turnover + turnover),
});

/** Play used by an ended condition: limited to the amount at which it is met or lost. */
function usedPlayOf({ play, turnover, base, target, floor, turnoverTarget }: Condition): PlayTotals {
  const [playToFloor, playToTarget] = [floor - base, target - base];
  const playWhenLost = playToFloor < 0n ? playToFloor : 0n;
  const playWhenMet = playToTarget > 0n ? playToTarget : 0n;
  return {
    play: minor(play < playWhenLost ? playWhenLost : play > playWhenMet ? playWhenMet : play),
    // The same bets are its play, so their turnover is used even if the condition does not count turnover.
    turnover: turnoverTarget !== null && turnover > turnoverTarget ? turnoverTarget : turnover,
  };
}

/** Limits the remaining play to the play since the condition began. */
const limitToConditionPlay = (remainingPlay: PlayTotals, playSinceStart: PlayTotals): PlayTotals => ({
  play: nearerToZero(remainingPlay.play, playSinceStart.play),
  turnover: nearerToZero(remainingPlay.turnover, playSinceStart.turnover),
});

/** The number that is nearer to 0, or 0 if the signs differ. */
function nearerToZero(first: bigint, second: bigint): Minor {
  if (first > 0n && second > 0n) return minor(first < second ? first : second);
  if (first < 0n && second < 0n) return minor(first > second ? first : second);
  return ZERO;
}
