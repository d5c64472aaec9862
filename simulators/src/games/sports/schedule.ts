import { seededRandom, shuffled } from './random-source.ts';
import { type League, LEAGUES, type Team } from './teams.ts';

/** Real time between two kick-offs; the number of a match is its kick-off time (since 1970) in these units. */
export const BETWEEN_MS = 180_000;
/** A tick is half a minute of a match and the smallest step of its display. */
export const TICK_MS = 1_200;
/** Ticks of the first half: 45 minutes and two of stoppage. The second half has 45 and three. */
export const FIRST_HALF = 94;
export const BREAK_TICKS = 10;
export const SECOND_HALF = 96;
export const PLAYED_TICKS = FIRST_HALF + SECOND_HALF;
export const MATCH_MS = (PLAYED_TICKS + BREAK_TICKS) * TICK_MS;
/** Number of upcoming matches open for bets; BEHIND: number of finished matches shown. */
export const AHEAD = 8;
export const BEHIND = 8;

export type Pairing = { id: number; league: League; home: Team; away: Team; kickoff: number };

export type Phase = 'coming' | 'first' | 'break' | 'second' | 'finished';

/** Progress of a match by the clock: its phase, and the number of ticks played. */
export type Clock = { phase: Phase; tick: number };

/** The teams of match `id`. In six matches of a league every team plays once. */
export function pairingOf(seed: string, id: number): Pairing {
  const league = LEAGUES[id % 2 === 0 ? 0 : 1];
  const leagueTurn = Math.floor(id / 2);
  const perRound = league.teams.length / 2;
  const round = Math.floor(leagueTurn / perRound);
  const order = shuffled(league.teams, seededRandom(`${seed}:round:${id % 2}:${round}`));
  const teamPosition = (leagueTurn % perRound) * 2;
  const [home, away] = [order[teamPosition], order[teamPosition + 1]];
  if (!home || !away) throw new Error(`match ${id} has no teams`);
  return { id, league, home, away, kickoff: id * BETWEEN_MS };
}

/** @param now milliseconds since 1970 */
export function clockOf(id: number, now: number): Clock {
  const elapsedMs = now - id * BETWEEN_MS;
  if (elapsedMs < 0) return { phase: 'coming', tick: 0 };
  const tick = Math.floor(elapsedMs / TICK_MS);
  if (tick < FIRST_HALF) return { phase: 'first', tick };
  if (tick < FIRST_HALF + BREAK_TICKS) return { phase: 'break', tick: FIRST_HALF };
  if (elapsedMs < MATCH_MS) return { phase: 'second', tick: tick - BREAK_TICKS };
  return { phase: 'finished', tick: PLAYED_TICKS };
}

export function endOf(id: number): number {
  return id * BETWEEN_MS + MATCH_MS;
}

/** The numbers of the matches shown at a time: finished, live and upcoming. */
export function idsAround(now: number): number[] {
  const latestId = Math.floor(now / BETWEEN_MS);
  return Array.from({ length: BEHIND + 2 + AHEAD }, (_, index) => latestId - BEHIND - 1 + index);
}

/** Formats a tick as the minute on a scoreboard, e.g. `38`, `45+1`. */
export function minuteOf(tick: number): string {
  const isSecond = tick >= FIRST_HALF;
  const minute = isSecond ? 46 + Math.floor((tick - FIRST_HALF) / 2) : 1 + Math.floor(tick / 2);
  const halfEndMinute = isSecond ? 90 : 45;
  return minute > halfEndMinute ? `${halfEndMinute}+${minute - halfEndMinute}` : String(minute);
}
