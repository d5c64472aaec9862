import { parseMoney } from '../money.ts';
import type { GameTransfer } from './players.ts';

/** Parses a signed amount; undefined when it is missing or zero. */
export function parseSignedAmount(text: string | undefined): { direction: 'in' | 'out'; amount: number } | undefined {
  const isOut = text?.startsWith('-') ?? false;
  const amount = parseMoney(isOut ? text?.slice(1) : text);
  return amount === undefined || amount === 0 ? undefined : { direction: isOut ? 'out' : 'in', amount };
}

/** The change of the balance by a transfer, in satang: negative for a movement out. */
export const signedAmountOf = ({ direction, amount }: GameTransfer): number => (direction === 'in' ? amount : -amount);
