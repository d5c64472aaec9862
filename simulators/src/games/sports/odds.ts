import { judge, type MarketKind, type Pick, picksOf, type Selection } from './judge.ts';
import { isOver, LAST_TICKS, type Match, type Score } from './match.ts';
import { PLAYED_TICKS } from './schedule.ts';
import { withFewer } from './script.ts';

/** The odds of one pick, in hundredths. */
export type Price = { pick: Pick; odds: number };
/** `isMain`: the most balanced line of its market. */
export type Market = { market: MarketKind; line: number | null; isMain: boolean; prices: readonly Price[] };

const MOST_GOALS_MORE = 9;
/** Odds change with goals and sendings-off, and every five minutes; in between they are constant. */
const STEP_TICKS = 10;
/** Margin of the book: sum of the probabilities of a market. */
const OVERROUND_FACTOR = 1.055;
const ODDS_MIN = 102;
const ODDS_MAX = 6_000;
/** Range of the odds of both sides in which a line is offered. */
const LINE_LEAST = 118;
const LINE_MOST = 620;

/** Cache of markets by all their inputs, because the pages of all players request the same markets. */
const cachedMarkets = new Map<string, readonly Market[]>();
const CACHED_MARKETS_MAX = 500;

type ScoreChances = readonly { score: Score; chance: number }[];

/**
 * The current markets of a match; none when it is over or about to be. Probabilities are floating point, money never:
 * the resulting odds are integers, and a bet keeps its odds.
 */
export function marketsOf(match: Match): readonly Market[] {
  if (isOver(match) || match.tick >= PLAYED_TICKS - LAST_TICKS) return [];
  const { score, reds, script } = match;
  const name = JSON.stringify([script.expected, score, reds, stepOf(match)]);
  const cached = cachedMarkets.get(name);
  if (cached) return cached;
  const markets = computeMarkets(match);
  if (cachedMarkets.size >= CACHED_MARKETS_MAX) cachedMarkets.delete(cachedMarkets.keys().next().value ?? '');
  cachedMarkets.set(name, markets);
  return markets;
}

function computeMarkets(match: Match): Market[] {
  const scoreChances = finalScores(match);
  const goalsSoFar = match.score.home + match.score.away;
  const marketLines = (market: MarketKind, from: number, to: number) =>
    closest(
      Array.from({ length: to - from + 1 }, (_, index) => priceMarket(market, from + index, scoreChances)).filter(
        isLine,
      ),
    );
  const result = priceMarket('result', null, scoreChances);
  return [
    ...(result.prices.length > 1 ? [result] : []),
    ...marketLines('handicap', -9, 9),
    ...marketLines('total', goalsSoFar * 2 + 1, goalsSoFar * 2 + 12),
  ];
}

/** The current odds of a selection; undefined when it is not offered. */
export function oddsOf(markets: readonly Market[], { market, line, pick }: Selection): number | undefined {
  const matchingMarket = markets.find((candidate) => candidate.market === market && candidate.line === line);
  return matchingMarket?.prices.find((price) => price.pick === pick)?.odds;
}

/** Ticks that count as played for the odds. */
function stepOf({ tick }: Match): number {
  return tick - (tick % STEP_TICKS);
}

function finalScores(match: Match): ScoreChances {
  const remainingShare = (PLAYED_TICKS - stepOf(match)) / PLAYED_TICKS;
  const expectedGoals = withFewer(match.script.expected, match.reds);
  const [home, away] = [poisson(expectedGoals.home * remainingShare), poisson(expectedGoals.away * remainingShare)];
  return home.flatMap((homeChance, moreHome) =>
    away.map((awayChance, moreAway) => ({
      score: { home: match.score.home + moreHome, away: match.score.away + moreAway },
      chance: homeChance * awayChance,
    })),
  );
}

/** Poisson probabilities of 0, 1, 2 … further goals. */
function poisson(expectedGoals: number): number[] {
  const goalChances = [Math.exp(-expectedGoals)];
  for (let goals = 1; goals <= MOST_GOALS_MORE; goals += 1)
    goalChances.push(((goalChances[goals - 1] ?? 0) * expectedGoals) / goals);
  return goalChances;
}

function priceMarket(market: MarketKind, line: number | null, chances: ScoreChances): Market {
  const prices = picksOf(market).flatMap((pick) => {
    const verdictChances = { won: 0, lost: 0, void: 0 };
    for (const { score, chance } of chances) verdictChances[judge({ market, line, pick }, score)] += chance;
    const winChance = verdictChances.won / (verdictChances.won + verdictChances.lost);
    const odds = Math.floor(100 / (winChance * OVERROUND_FACTOR));
    return odds >= ODDS_MIN && odds <= ODDS_MAX ? [{ pick, odds }] : [];
  });
  return { market, line, isMain: line === null, prices };
}

function isLine({ prices }: Market): boolean {
  return prices.length === 2 && prices.every(({ odds }) => odds >= LINE_LEAST && odds <= LINE_MOST);
}

/** The three lines around the most balanced one, in order. */
function closest(lines: readonly Market[]): Market[] {
  const gap = ({ prices: [firstPrice, secondPrice] }: Market) =>
    Math.abs((firstPrice?.odds ?? 0) - (secondPrice?.odds ?? 0));
  const mainIndex = lines.reduce(
    (bestIndex, line, index) => (gap(line) < gap(lines[bestIndex] ?? line) ? index : bestIndex),
    0,
  );
  const firstIndex = Math.max(Math.min(mainIndex - 1, lines.length - 3), 0);
  return lines.map((line, index) => ({ ...line, isMain: index === mainIndex })).slice(firstIndex, firstIndex + 3);
}
