import { randomInt } from 'node:crypto';

/** The seven symbols from the rarest to the most common; the first one is wild. */
export const WEIGHTS: readonly number[] = [3, 5, 7, 10, 14, 18, 23];

/** Payout of three equal symbols, in bets per line. */
export const PAYS: readonly number[] = [1000, 120, 60, 30, 16, 10, 6];

/** The nine cells are numbered row by row; five lines: three rows and two diagonals. */
export const LINES: readonly (readonly [number, number, number])[] = [
  [3, 4, 5],
  [0, 1, 2],
  [6, 7, 8],
  [0, 4, 8],
  [6, 4, 2],
];

/** Total bets in satang of credit; each is divisible by the five lines. */
export const BETS: readonly number[] = [100, 200, 500, 1_000, 2_000, 5_000, 10_000];

const TOTAL = WEIGHTS.reduce((sum, weight) => sum + weight, 0);

export type Drawn = { cells: number[]; wins: { line: number; symbol: number; pay: number }[]; win: number };

function drawSymbol(): number {
  let left = randomInt(TOTAL);
  for (const [symbol, weight] of WEIGHTS.entries()) {
    if (left < weight) return symbol;
    left -= weight;
  }
  throw new Error('a draw fell outside the weights');
}

/** The symbol that a line of three pays for, or undefined. */
function symbolOf(cells: readonly number[]): number | undefined {
  const plain = cells.filter((symbol) => symbol !== 0);
  const [first = 0] = plain;
  return plain.every((symbol) => symbol === first) ? first : undefined;
}

/** Payout of a grid of nine cells for a bet (satang). */
export function judge(cells: readonly number[], bet: number): Drawn {
  const wins = LINES.flatMap((line, index) => {
    const symbol = symbolOf(line.map((cell) => cells[cell] ?? 0));
    return symbol === undefined ? [] : [{ line: index, symbol, pay: (PAYS[symbol] ?? 0) * (bet / LINES.length) }];
  });
  return { cells: [...cells], wins, win: wins.reduce((sum, { pay }) => sum + pay, 0) };
}

/** Draws a round with the system's random source. */
export function draw(bet: number): Drawn {
  return judge(Array.from({ length: 9 }, drawSymbol), bet);
}
