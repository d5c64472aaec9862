/**
 * Kinds of bets on a result of six digits, in the style of Lao draws. The last three digits are "3 on top", the last
 * two "2 on top", the two before those "2 below".
 */
export type Kind = 'top3' | 'tod3' | 'top2' | 'below2' | 'runTop' | 'runBelow';
export type Line = { kind: Kind; number: string; stake: number };
/** A sold line, with the payout rate at the time of the sale. */
export type SoldLine = Line & { tenths: number };

type BetRule = {
  digits: number;
  /** Payout in tenths of the stake, stake included. */
  tenths: number;
  wins: (number: string, result: string) => boolean;
};

const lastThree = (result: string): string => result.slice(3);
const lastTwo = (result: string): string => result.slice(4);
const middleTwo = (result: string): string => result.slice(2, 4);
const sortedDigits = (digits: string): string => digits.split('').toSorted().join('');

export const RULES: Readonly<Record<Kind, BetRule>> = {
  top3: { digits: 3, tenths: 9000, wins: (number, result) => number === lastThree(result) },
  tod3: { digits: 3, tenths: 1500, wins: (number, result) => sortedDigits(number) === sortedDigits(lastThree(result)) },
  top2: { digits: 2, tenths: 950, wins: (number, result) => number === lastTwo(result) },
  below2: { digits: 2, tenths: 950, wins: (number, result) => number === middleTwo(result) },
  runTop: { digits: 1, tenths: 32, wins: (number, result) => lastThree(result).includes(number) },
  runBelow: { digits: 1, tenths: 42, wins: (number, result) => middleTwo(result).includes(number) },
};

export const KINDS: readonly Kind[] = ['top3', 'tod3', 'top2', 'below2', 'runTop', 'runBelow'];
export const RESULT = /^\d{6}$/;

/** Stakes are whole baht in satang, so that a tenth of a stake is whole satang. */
export const STAKES = { step: 100, least: 100, most: 500_000, lines: 60 } as const;

/** Why a line can't be sold; undefined when it can. */
export function lineErrorOf({ kind, number, stake }: Line): string | undefined {
  const { digits } = RULES[kind];
  if (!/^\d+$/.test(number) || number.length !== digits) return `number: ${kind} takes ${digits} digits`;
  if (stake % STAKES.step !== 0) return 'stake: must be whole baht';
  if (stake < STAKES.least || stake > STAKES.most) return `stake: from ${STAKES.least} to ${STAKES.most} satang`;
  return undefined;
}

/** Payout of a line (satang, 0 for none). */
export function winningsOf({ kind, number, stake, tenths }: SoldLine, result: string): number {
  return RULES[kind].wins(number, result) ? (stake * tenths) / 10 : 0;
}
