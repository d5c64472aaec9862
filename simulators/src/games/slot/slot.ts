import { randomInt } from 'node:crypto';

/** Weights of the seven symbols, from the rarest to the most common; the first one is wild. */
export const WEIGHTS: readonly number[] = [3, 5, 7, 10, 14, 18, 23];

/** Payout of three equal symbols, in bets per line. */
export const PAYS: readonly number[] = [1000, 120, 60, 30, 16, 10, 6];

/** The five lines: three rows and two diagonals of nine cells, numbered row by row. */
export const LINES: readonly (readonly [number, number, number])[] = [
  [3, 4, 5],
  [0, 1, 2],
  [6, 7, 8],
  [0, 4, 8],
  [6, 4, 2],
];

/** Total bets in satang of credit; each is divisible by the five lines. */
export const BETS: readonly number[] = [100, 200, 500, 1_000, 2_000, 5_000, 10_000];

const TOTAL_WEIGHT = WEIGHTS.reduce((total, weight) => total + weight, 0);

export type SlotResult = { cells: number[]; wins: { line: number; symbol: number; pay: number }[]; win: number };

function drawSymbol(): number {
  let remainingWeight = randomInt(TOTAL_WEIGHT);
  for (const [symbol, weight] of WEIGHTS.entries()) {
    if (remainingWeight < weight) return symbol;
    remainingWeight -= weight;
  }
  throw new Error('a draw fell outside the weights');
}

/** The symbol for which a line of three pays, or undefined. */
function symbolOf(cells: readonly number[]): number | undefined {
  const nonWildSymbols = cells.filter((symbol) => symbol !== 0);
  const [firstSymbol = 0] = nonWildSymbols;
  return nonWildSymbols.every((symbol) => symbol === firstSymbol) ? firstSymbol : undefined;
}

/** Payout of a grid of nine cells for a bet (satang). */
export function judge(cells: readonly number[], bet: number): SlotResult {
  const wins = LINES.flatMap((line, index) => {
    const symbol = symbolOf(line.map((cell) => cells[cell] ?? 0));
    return symbol === undefined ? [] : [{ line: index, symbol, pay: (PAYS[symbol] ?? 0) * (bet / LINES.length) }];
  });
  return { cells: [...cells], wins, win: wins.reduce((total, { pay }) => total + pay, 0) };
}

/** Draws a round with the system's random source. */
export function draw(bet: number): SlotResult {
  return judge(Array.from({ length: 9 }, drawSymbol), bet);
}
