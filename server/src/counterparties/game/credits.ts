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

/** The same for what comes or goes: negative takes out. */
export function readChange(value: unknown): Credits | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const units = parseGrouped(String(value));
  return units === undefined ? undefined : credits(units);
}

/** Writes credits as every provider reads them: "100.00". */
export const writeCredits = (amount: Credits): string => toDecimal(amount);

/** What a movement changes at the provider: negative when it takes out. */
export const changeOf = ({ direction, amount }: Pick<Movement, 'direction' | 'amount'>): Credits =>
  credits(direction === 'in' ? amount : 0n - amount);
