import { type Clock, clockOf, endOf, minuteOf, type Pairing, pairingOf, type Phase } from './schedule.ts';
import { type Happening, type Script, scriptOf, type Side, type Spot } from './script.ts';

export type Score = Record<Side, number>;
/** The stored ending of a match: its time and score; without a score it was called off. */
export type Ending = { at: number; score: Score | null };

/** A match at the current time, or at the time when it was ended early. */
export type Match = Pairing & {
  phase: Phase | 'called-off';
  tick: number;
  minute: string;
  score: Score;
  reds: Score;
  happenings: readonly Happening[];
  ball: Spot;
  /** Betting is paused: an event is about to happen, or has just happened. */
  isHeld: boolean;
  endedAt: number | null;
  script: Script;
};

const HELD_BEFORE = 2;
const HELD_AFTER = 3;
/** Betting ends this many ticks before the whistle. */
export const LAST_TICKS = 3;

/** @param ending the stored ending; without one the clock and the script decide */
export function matchAt(seed: string, id: number, now: number, ending: Ending | undefined): Match {
  const pairing = pairingOf(seed, id);
  const script = scriptOf(seed, pairing);
  const clock = clockOf(id, ending ? Math.min(now, ending.at) : now);
  const happened = script.happenings.filter(({ tick }) => tick <= clock.tick && clock.phase !== 'coming');
  const seen = ending ? withScore(happened, ending.score) : happened;
  return {
    ...pairing,
    phase: phaseOf(clock, ending),
    tick: clock.tick,
    minute: clock.phase === 'coming' ? '' : minuteOf(Math.max(clock.tick - (clock.phase === 'break' ? 1 : 0), 0)),
    score: ending?.score ?? count(seen, 'goal'),
    reds: count(seen, 'red'),
    happenings: seen,
    ball: script.ball[Math.min(clock.tick, script.ball.length - 1)] ?? { x: 50, y: 50 },
    isHeld: isHeld(script, clock),
    endedAt: ending?.at ?? (clock.phase === 'finished' ? endOf(id) : null),
    script,
  };
}

function phaseOf(clock: Clock, ending: Ending | undefined): Match['phase'] {
  if (!ending) return clock.phase;
  return ending.score ? 'finished' : 'called-off';
}

/** Goals that contradict the ending are left out; other events stay. */
function withScore(happened: readonly Happening[], score: Score | null): readonly Happening[] {
  const goals = count(happened, 'goal');
  const same = score && goals.home === score.home && goals.away === score.away;
  return same ? happened : happened.filter(({ kind }) => kind !== 'goal');
}

function count(happenings: readonly Happening[], kind: Happening['kind']): Score {
  const of = (side: Side) => happenings.filter((one) => one.kind === kind && one.side === side).length;
  return { home: of('home'), away: of('away') };
}

function isHeld({ happenings }: Script, { phase, tick }: Clock): boolean {
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
