import { chanceOf, type Chance } from './chance.ts';
import { FIRST_HALF, type Pairing, PLAYED_TICKS } from './schedule.ts';

export type Side = 'home' | 'away';
export type Happening = { tick: number; side: Side; kind: 'goal' | 'chance' | 'corner' | 'yellow' | 'red' };
/** Position of the ball: x from the home goal line (0) to the away one (100), y from 0 to 100. */
export type Spot = { x: number; y: number };
/** Expected goals of a whole match, eleven against eleven. */
export type Expected = Record<Side, number>;
/** All events of a match, tick by tick. The server never reveals them ahead of the clock. */
export type Script = { expected: Expected; happenings: readonly Happening[]; ball: readonly Spot[] };

const SIDES = ['home', 'away'] as const;
const LEAD_UP = 4;
/** Compensates for ticks in which nothing can happen because of a preceding event. */
const GOALS_AGAIN = 1.24;
/** Per side and match, before weighting by strength. */
const OFTEN = { chance: 3.4, corner: 4.6, yellow: 1.5, red: 0.06 } as const;
const written = new Map<string, Script>();
const REMEMBERED = 64;

/** Effect of sendings-off on the expected goals of a side, by the number of missing players on both sides. */
export function withFewer(expected: Expected, reds: Record<Side, number>): Expected {
  return {
    home: expected.home * 0.68 ** reds.home * 1.22 ** reds.away,
    away: expected.away * 0.68 ** reds.away * 1.22 ** reds.home,
  };
}

/** The script of a match: deterministic for seed and match. */
export function scriptOf(seed: string, pairing: Pairing): Script {
  const name = `${seed}:match:${pairing.id}`;
  const known = written.get(name);
  if (known) return known;
  const chance = chanceOf(name);
  const expected = expectedOf(pairing);
  const happenings = happen(expected, chance);
  const script = { expected, happenings, ball: roll(happenings, expected, chance) };
  if (written.size >= REMEMBERED) written.delete(written.keys().next().value ?? '');
  written.set(name, script);
  return script;
}

function expectedOf({ home, away }: Pairing): Expected {
  const lead = home.strength - away.strength;
  return { home: 1.5 * Math.exp(lead * 0.9), away: 1.18 * Math.exp(-lead * 0.9) };
}

function happen(expected: Expected, chance: Chance): Happening[] {
  const happenings: Happening[] = [];
  const reds = { home: 0, away: 0 };
  // No events at the very first and last ticks: they could not be seen.
  for (let tick = 3; tick < PLAYED_TICKS - 2; tick += 1) {
    const now = withFewer(expected, reds);
    for (const side of SIDES) {
      const vigour = now[side] / 1.34;
      const other = side === 'home' ? 'away' : 'home';
      if (happenings.some((past) => past.tick > tick - 3)) continue;
      const drawn = chance() * PLAYED_TICKS;
      const kinds = [
        ['goal', now[side] * GOALS_AGAIN],
        ['chance', OFTEN.chance * vigour],
        ['corner', OFTEN.corner * Math.sqrt(vigour)],
        ['yellow', OFTEN.yellow * Math.sqrt(now[other] / 1.34)],
        ['red', OFTEN.red],
      ] as const;
      let reach = 0;
      const hit = kinds.find(([, often]) => drawn < (reach += often));
      if (!hit) continue;
      if (hit[0] === 'red') reds[side] += 1;
      happenings.push({ tick, side, kind: hit[0] });
    }
  }
  return happenings;
}

/** Moves the ball randomly, with a drift towards the weaker side's goal, and to the position of each event. */
function roll(happenings: readonly Happening[], expected: Expected, chance: Chance): Spot[] {
  const drift = (expected.home - expected.away) * 1.6;
  const ball: Spot[] = [];
  let spot: Spot = { x: 50, y: 50 };
  for (let tick = 0; tick < PLAYED_TICKS; tick += 1) {
    const next = happenings.find((coming) => coming.tick >= tick && coming.tick <= tick + LEAD_UP);
    const scored = happenings.some((past) => past.kind === 'goal' && past.tick === tick - 2);
    if (tick === 0 || tick === FIRST_HALF || scored) spot = { x: 50, y: 50 };
    else if (next) spot = towards(spot, placeOf(next), next.tick - tick + 1);
    else if (!happenings.some((past) => past.kind === 'goal' && past.tick === tick - 1)) {
      const pull = (50 + drift * 4 - spot.x) * 0.06;
      spot = {
        x: within(spot.x + (chance() - 0.5) * 34 + pull, 12, 88),
        y: within(spot.y + (chance() - 0.5) * 44, 10, 90),
      };
    }
    ball.push({ x: Math.round(spot.x), y: Math.round(spot.y) });
  }
  return ball;
}

function towards(from: Spot, to: Spot, steps: number): Spot {
  return { x: from.x + (to.x - from.x) / steps, y: from.y + (to.y - from.y) / steps };
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Positions of events, from the home side's view; mirrored for the away side. */
function placeOf({ kind, side, tick }: Happening): Spot {
  const upper = tick % 2 === 0;
  const places = {
    goal: { x: 99, y: upper ? 46 : 54 },
    chance: { x: 91, y: upper ? 38 : 62 },
    corner: { x: 98, y: upper ? 3 : 97 },
    yellow: { x: 42, y: upper ? 30 : 74 },
    red: { x: 36, y: upper ? 60 : 35 },
  };
  const spot = places[kind];
  return side === 'home' ? spot : { x: 100 - spot.x, y: 100 - spot.y };
}
