import { type Clock, clockOf, endOf, minuteOf, type Pairing, pairingOf, type Phase } from './schedule.ts';
import { type Happening, type Script, scriptOf, type Side, type Spot } from './script.ts';

export type Score = Record<Side, number>;
/** The stored ending of a match: its time and score; without a score it was called off. */
export type Ending = { at: number; score: Score | null };

/** A match at the current time, or at the time of its early end. */
export type Match = Pairing & {
  phase: Phase | 'called-off';
  tick: number;
  minute: string;
  score: Score;
  reds: Score;
  happenings: readonly Happening[];
  ball: Spot;
  /** Whether betting is paused, because an event is imminent or has just happened. */
  isHeld: boolean;
  endedAt: number | null;
  script: Script;
};

const HELD_BEFORE = 2;
const HELD_AFTER = 3;
/** Betting ends this many ticks before the end of the match. */
export const LAST_TICKS = 3;

/** @param ending the stored ending; without one the clock and the script decide */
export function matchAt(seed: string, id: number, now: number, ending: Ending | undefined): Match {
  const pairing = pairingOf(seed, id);
  const script = scriptOf(seed, pairing);
  const clock = clockOf(id, ending ? Math.min(now, ending.at) : now);
  const pastHappenings = script.happenings.filter(({ tick }) => tick <= clock.tick && clock.phase !== 'coming');
  const visibleHappenings = ending ? withScore(pastHappenings, ending.score) : pastHappenings;
  return {
    ...pairing,
    phase: phaseOf(clock, ending),
    tick: clock.tick,
    minute: clock.phase === 'coming' ? '' : minuteOf(Math.max(clock.tick - (clock.phase === 'break' ? 1 : 0), 0)),
    score: ending?.score ?? countBySide(visibleHappenings, 'goal'),
    reds: countBySide(visibleHappenings, 'red'),
    happenings: visibleHappenings,
    ball: script.ball[Math.min(clock.tick, script.ball.length - 1)] ?? { x: 50, y: 50 },
    isHeld: isMarketHeld(script, clock),
    endedAt: ending?.at ?? (clock.phase === 'finished' ? endOf(id) : null),
    script,
  };
}

function phaseOf(clock: Clock, ending: Ending | undefined): Match['phase'] {
  if (!ending) return clock.phase;
  return ending.score ? 'finished' : 'called-off';
}

/** Removes goals that contradict the ending; other events stay. */
function withScore(pastHappenings: readonly Happening[], score: Score | null): readonly Happening[] {
  const goals = countBySide(pastHappenings, 'goal');
  const isSameScore = score && goals.home === score.home && goals.away === score.away;
  return isSameScore ? pastHappenings : pastHappenings.filter(({ kind }) => kind !== 'goal');
}

function countBySide(happenings: readonly Happening[], kind: Happening['kind']): Score {
  const countOf = (side: Side) =>
    happenings.filter((happening) => happening.kind === kind && happening.side === side).length;
  return { home: countOf('home'), away: countOf('away') };
}

function isMarketHeld({ happenings }: Script, { phase, tick }: Clock): boolean {
  if (phase !== 'first' && phase !== 'second') return false;
  return happenings.some(
    ({ kind, tick: at }) =>
      (kind === 'goal' || kind === 'red' || kind === 'chance') &&
      tick >= at - HELD_BEFORE &&
      tick <= at + (kind === 'chance' ? 0 : HELD_AFTER),
  );
}

/** Whether the match is over. */
export function isOver({ phase }: Match): boolean {
  return phase === 'finished' || phase === 'called-off';
}
