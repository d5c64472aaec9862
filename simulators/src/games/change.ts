import { parseMoney } from '../money.ts';
import type { GameTransfer } from './players.ts';

/** A signed amount; undefined when it is missing or zero. */
export function parseChange(text: string | undefined): { direction: 'in' | 'out'; amount: number } | undefined {
  const isOut = text?.startsWith('-') ?? false;
  const amount = parseMoney(isOut ? text?.slice(1) : text);
  return amount === undefined || amount === 0 ? undefined : { direction: isOut ? 'out' : 'in', amount };
}

/** The same as a number with a sign, satang. */
export const changeOf = ({ direction, amount }: GameTransfer): number => (direction === 'in' ? amount : -amount);
