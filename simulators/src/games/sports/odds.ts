import { judge, type MarketKind, type Pick, picksOf, type Selection } from './judge.ts';
import { isOver, LAST_TICKS, type Match, type Score } from './match.ts';
import { PLAYED_TICKS } from './schedule.ts';
import { withFewer } from './script.ts';

/** The odds of one pick in hundredths. */
export type Price = { pick: Pick; odds: number };
/** `isMain`: the most balanced line of its market. */
export type Market = { market: MarketKind; line: number | null; isMain: boolean; prices: readonly Price[] };

const MOST_GOALS_MORE = 9;
/** Odds move with goals and sendings-off, and every five minutes; in between they are constant. */
const STEP_TICKS = 10;
/** Margin of the book: the probabilities of a market add up to this. */
const OVERROUND = 1.055;
const LEAST = 102;
const MOST = 6_000;
/** A line is offered while the odds of both sides are in this range. */
const LINE_LEAST = 118;
const LINE_MOST = 620;

/** Cache of markets by all their inputs, because every player's page requests the same ones. */
const reckoned = new Map<string, readonly Market[]>();
const REMEMBERED = 500;

type Chances = readonly { score: Score; chance: number }[];

/**
 * The current markets of a match; none when it is over or about to be. Probabilities are floating point, money never:
 * the resulting odds are integers, and a bet keeps the odds that it was placed at.
 */
export function marketsOf(match: Match): readonly Market[] {
  if (isOver(match) || match.tick >= PLAYED_TICKS - LAST_TICKS) return [];
  const { score, reds, script } = match;
  const name = JSON.stringify([script.expected, score, reds, stepOf(match)]);
  const known = reckoned.get(name);
  if (known) return known;
  const markets = reckon(match);
  if (reckoned.size >= REMEMBERED) reckoned.delete(reckoned.keys().next().value ?? '');
  reckoned.set(name, markets);
  return markets;
}

function reckon(match: Match): Market[] {
  const chances = finalScores(match);
  const goals = match.score.home + match.score.away;
  const lines = (market: MarketKind, from: number, to: number) =>
    closest(Array.from({ length: to - from + 1 }, (_, index) => priced(market, from + index, chances)).filter(isLine));
  const result = priced('result', null, chances);
  return [
    ...(result.prices.length > 1 ? [result] : []),
    ...lines('handicap', -9, 9),
    ...lines('total', goals * 2 + 1, goals * 2 + 12),
  ];
}

/** The odds of a selection now; undefined when it is not offered. */
export function oddsOf(markets: readonly Market[], { market, line, pick }: Selection): number | undefined {
  const found = markets.find((one) => one.market === market && one.line === line);
  return found?.prices.find((price) => price.pick === pick)?.odds;
}

/** The ticks that the odds count as played. */
function stepOf({ tick }: Match): number {
  return tick - (tick % STEP_TICKS);
}

function finalScores(match: Match): Chances {
  const left = (PLAYED_TICKS - stepOf(match)) / PLAYED_TICKS;
  const expected = withFewer(match.script.expected, match.reds);
  const [home, away] = [poisson(expected.home * left), poisson(expected.away * left)];
  return home.flatMap((one, more) =>
    away.map((other, moreAway) => ({
      score: { home: match.score.home + more, away: match.score.away + moreAway },
      chance: one * other,
    })),
  );
}

/** The probabilities of none, one, two … more goals. */
function poisson(mean: number): number[] {
  const chances = [Math.exp(-mean)];
  for (let goals = 1; goals <= MOST_GOALS_MORE; goals += 1) chances.push(((chances[goals - 1] ?? 0) * mean) / goals);
  return chances;
}

function priced(market: MarketKind, line: number | null, chances: Chances): Market {
  const prices = picksOf(market).flatMap((pick) => {
    const sums = { won: 0, lost: 0, void: 0 };
    for (const { score, chance } of chances) sums[judge({ market, line, pick }, score)] += chance;
    const sure = sums.won / (sums.won + sums.lost);
    const odds = Math.floor(100 / (sure * OVERROUND));
    return odds >= LEAST && odds <= MOST ? [{ pick, odds }] : [];
  });
  return { market, line, isMain: line === null, prices };
}

function isLine({ prices }: Market): boolean {
  return prices.length === 2 && prices.every(({ odds }) => odds >= LINE_LEAST && odds <= LINE_MOST);
}

/** The three lines around the most balanced one, in order. */
function closest(lines: readonly Market[]): Market[] {
  const gap = ({ prices: [one, other] }: Market) => Math.abs((one?.odds ?? 0) - (other?.odds ?? 0));
  const main = lines.reduce((best, line, index) => (gap(line) < gap(lines[best] ?? line) ? index : best), 0);
  const from = Math.max(Math.min(main - 1, lines.length - 3), 0);
  return lines.map((line, index) => ({ ...line, isMain: index === main })).slice(from, from + 3);
}
