import { toDecimal } from '@krapao/contract/money';
import { parseGrouped } from '../grouped-decimal.ts';
import { type Credits, credits, type Movement } from './port.ts';

/**
 * Reads a provider's amount: a JSON number or a text, at most two decimals, with or without thousands commas, not
 * negative. Undefined for anything else.
 */
export function readCredits(value: unknown): Credits | undefined {
  const units = readChange(value);
  return units !== undefined && units >= 0n ? units : undefined;
}

/** The same with a sign: negative takes out. */
export function readChange(value: unknown): Credits | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const units = parseGrouped(String(value));
  return units === undefined ? undefined : credits(units);
}

/** Formats credits as every provider accepts them: "100.00". */
export const writeCredits = (amount: Credits): string => toDecimal(amount);

/** Change of the balance at the provider: negative for a movement out. */
export const changeOf = ({ direction, amount }: Pick<Movement, 'direction' | 'amount'>): Credits =>
  credits(direction === 'in' ? amount : 0n - amount);
