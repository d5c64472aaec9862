import type { Currency } from '../money.ts';

/** A currency by its code at banks. */
export function isoCurrency(currency: Currency): 'THB' | 'LAK' {
  return currency === 'BAHT' ? 'THB' : currency;
}
