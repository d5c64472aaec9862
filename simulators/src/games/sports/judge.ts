import type { Score } from './match.ts';

export const MARKETS = ['result', 'handicap', 'total'] as const;
export type MarketKind = (typeof MARKETS)[number];
export type Pick = 'home' | 'draw' | 'away' | 'over' | 'under';
/**
 * What a bet is on. `line` is in half goals: 5 is 2.5 goals in all, -2 gives the home side one goal less; null for the
 * result. All markets are of the goals of the whole match.
 */
export type Selection = { market: MarketKind; line: number | null; pick: Pick };
export type Verdict = 'won' | 'lost' | 'void';

const PICKS: Readonly<Record<MarketKind, readonly Pick[]>> = {
  result: ['home', 'draw', 'away'],
  handicap: ['home', 'away'],
  total: ['over', 'under'],
};

export function picksOf(market: MarketKind): readonly Pick[] {
  return PICKS[market];
}

/** Result of a bet for a score; without a score (called off) every bet is void. */
export function judge({ market, line, pick }: Selection, score: Score | null): Verdict {
  if (!score) return 'void';
  const lead = score.home - score.away;
  if (market === 'result') return pick === (lead > 0 ? 'home' : lead < 0 ? 'away' : 'draw') ? 'won' : 'lost';
  const halves = line ?? 0;
  const over = market === 'total' ? (score.home + score.away) * 2 - halves : lead * 2 + halves;
  if (over === 0) return 'void';
  return over > 0 === (pick === 'over' || pick === 'home') ? 'won' : 'lost';
}

/**
 * Payout of a bet, stake included, in satang, rounded down. All integers: the product stays far below 2^53.
 * @param odds hundredths: 195 pays 1.95 for 1
 */
export function payOf(verdict: Exclude<Verdict, 'void'>, stake: number, odds: number): number {
  if (verdict === 'lost') return 0;
  const hundredfold = stake * odds;
  return (hundredfold - (hundredfold % 100)) / 100;
}
