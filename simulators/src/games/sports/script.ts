import { seededRandom, type RandomSource } from './random-source.ts';
import { FIRST_HALF, type Pairing, PLAYED_TICKS } from './schedule.ts';

export type Side = 'home' | 'away';
export type Happening = { tick: number; side: Side; kind: 'goal' | 'chance' | 'corner' | 'yellow' | 'red' };
/** Position of the ball: x from the home goal line (0) to the away goal line (100), y from 0 to 100. */
export type Spot = { x: number; y: number };
/** Expected goals of each side in a whole match, eleven against eleven. */
export type Expected = Record<Side, number>;
/** All events of a match, tick by tick. The server never reveals them ahead of the clock. */
export type Script = { expected: Expected; happenings: readonly Happening[]; ball: readonly Spot[] };

const SIDES = ['home', 'away'] as const;
const LEAD_UP = 4;
/** Compensates for ticks in which a preceding event rules out another. */
const GOALS_AGAIN = 1.24;
/** Average events per side and match, before weighting by strength. */
const EVENTS_PER_MATCH = { chance: 3.4, corner: 4.6, yellow: 1.5, red: 0.06 } as const;
const cachedScripts = new Map<string, Script>();
const CACHED_SCRIPTS_MAX = 64;

/** Expected goals after sendings-off, by the number of missing players on both sides. */
export function withFewer(expected: Expected, reds: Record<Side, number>): Expected {
  return {
    home: expected.home * 0.68 ** reds.home * 1.22 ** reds.away,
    away: expected.away * 0.68 ** reds.away * 1.22 ** reds.home,
  };
}

/** The script of a match: deterministic for seed and match. */
export function scriptOf(seed: string, pairing: Pairing): Script {
  const name = `${seed}:match:${pairing.id}`;
  const cached = cachedScripts.get(name);
  if (cached) return cached;
  const random = seededRandom(name);
  const expected = expectedOf(pairing);
  const happenings = drawHappenings(expected, random);
  const script = { expected, happenings, ball: drawBallPath(happenings, expected, random) };
  if (cachedScripts.size >= CACHED_SCRIPTS_MAX) cachedScripts.delete(cachedScripts.keys().next().value ?? '');
  cachedScripts.set(name, script);
  return script;
}

function expectedOf({ home, away }: Pairing): Expected {
  const strengthDifference = home.strength - away.strength;
  return { home: 1.5 * Math.exp(strengthDifference * 0.9), away: 1.18 * Math.exp(-strengthDifference * 0.9) };
}

function drawHappenings(expected: Expected, random: RandomSource): Happening[] {
  const happenings: Happening[] = [];
  const reds = { home: 0, away: 0 };
  // No events at the very first and last ticks, where they would not be seen.
  for (let tick = 3; tick < PLAYED_TICKS - 2; tick += 1) {
    const now = withFewer(expected, reds);
    for (const side of SIDES) {
      const attackFactor = now[side] / 1.34;
      const opponent = side === 'home' ? 'away' : 'home';
      if (happenings.some((happening) => happening.tick > tick - 3)) continue;
      const randomValue = random() * PLAYED_TICKS;
      const kinds = [
        ['goal', now[side] * GOALS_AGAIN],
        ['chance', EVENTS_PER_MATCH.chance * attackFactor],
        ['corner', EVENTS_PER_MATCH.corner * Math.sqrt(attackFactor)],
        ['yellow', EVENTS_PER_MATCH.yellow * Math.sqrt(now[opponent] / 1.34)],
        ['red', EVENTS_PER_MATCH.red],
      ] as const;
      let cumulative = 0;
      const drawnKind = kinds.find(([, frequency]) => randomValue < (cumulative += frequency));
      if (!drawnKind) continue;
      if (drawnKind[0] === 'red') reds[side] += 1;
      happenings.push({ tick, side, kind: drawnKind[0] });
    }
  }
  return happenings;
}

/** Path of the ball: random, with a drift towards the weaker side's goal, through the position of each event. */
function drawBallPath(happenings: readonly Happening[], expected: Expected, random: RandomSource): Spot[] {
  const ballDrift = (expected.home - expected.away) * 1.6;
  const ball: Spot[] = [];
  let spot: Spot = { x: 50, y: 50 };
  for (let tick = 0; tick < PLAYED_TICKS; tick += 1) {
    const nextHappening = happenings.find((happening) => happening.tick >= tick && happening.tick <= tick + LEAD_UP);
    const isAfterGoal = happenings.some((happening) => happening.kind === 'goal' && happening.tick === tick - 2);
    if (tick === 0 || tick === FIRST_HALF || isAfterGoal) spot = { x: 50, y: 50 };
    else if (nextHappening) spot = moveTowards(spot, spotOf(nextHappening), nextHappening.tick - tick + 1);
    else if (!happenings.some((happening) => happening.kind === 'goal' && happening.tick === tick - 1)) {
      const centrePull = (50 + ballDrift * 4 - spot.x) * 0.06;
      spot = {
        x: clamp(spot.x + (random() - 0.5) * 34 + centrePull, 12, 88),
        y: clamp(spot.y + (random() - 0.5) * 44, 10, 90),
      };
    }
    ball.push({ x: Math.round(spot.x), y: Math.round(spot.y) });
  }
  return ball;
}

function moveTowards(from: Spot, to: Spot, steps: number): Spot {
  return { x: from.x + (to.x - from.x) / steps, y: from.y + (to.y - from.y) / steps };
}

function clamp(value: number, minimum: number, maximum: number): number {
  return Math.min(Math.max(value, minimum), maximum);
}

/** Position of an event, from the home side's view; mirrored for the away side. */
function spotOf({ kind, side, tick }: Happening): Spot {
  const isUpperSide = tick % 2 === 0;
  const spotsByKind = {
    goal: { x: 99, y: isUpperSide ? 46 : 54 },
    chance: { x: 91, y: isUpperSide ? 38 : 62 },
    corner: { x: 98, y: isUpperSide ? 3 : 97 },
    yellow: { x: 42, y: isUpperSide ? 30 : 74 },
    red: { x: 36, y: isUpperSide ? 60 : 35 },
  };
  const spot = spotsByKind[kind];
  return side === 'home' ? spot : { x: 100 - spot.x, y: 100 - spot.y };
}
