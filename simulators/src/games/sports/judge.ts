import type { Score } from './match.ts';

export const MARKETS = ['result', 'handicap', 'total'] as const;
export type MarketKind = (typeof MARKETS)[number];
export type Pick = 'home' | 'draw' | 'away' | 'over' | 'under';
/**
 * The selection of a bet. `line` is in half goals: 5 means 2.5 goals in total, -2 gives the home side one goal less;
 * null for the market `result`. All markets cover the goals of the whole match.
 */
export type Selection = { market: MarketKind; line: number | null; pick: Pick };
export type Verdict = 'won' | 'lost' | 'void';

const PICKS_OF_MARKET: Readonly<Record<MarketKind, readonly Pick[]>> = {
  result: ['home', 'draw', 'away'],
  handicap: ['home', 'away'],
  total: ['over', 'under'],
};

export function picksOf(market: MarketKind): readonly Pick[] {
  return PICKS_OF_MARKET[market];
}

/** Verdict on a bet for a score; without a score (called off) every bet is void. */
export function judge({ market, line, pick }: Selection, score: Score | null): Verdict {
  if (!score) return 'void';
  const goalDifference = score.home - score.away;
  if (market === 'result')
    return pick === (goalDifference > 0 ? 'home' : goalDifference < 0 ? 'away' : 'draw') ? 'won' : 'lost';
  const halfGoals = line ?? 0;
  const halvesAbove = market === 'total' ? (score.home + score.away) * 2 - halfGoals : goalDifference * 2 + halfGoals;
  if (halvesAbove === 0) return 'void';
  return halvesAbove > 0 === (pick === 'over' || pick === 'home') ? 'won' : 'lost';
}

/**
 * Payout of a bet, stake included, in satang, rounded down. All integers: the product stays far below 2^53.
 * @param odds hundredths: 195 pays 1.95 per 1
 */
export function payOf(verdict: Exclude<Verdict, 'void'>, stake: number, odds: number): number {
  if (verdict === 'lost') return 0;
  const payTimesHundred = stake * odds;
  return (payTimesHundred - (payTimesHundred % 100)) / 100;
}
