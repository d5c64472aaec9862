import type { Currency } from '../money.ts';

/** ISO code of a currency. */
export function isoCurrency(currency: Currency): 'THB' | 'LAK' {
  return currency === 'BAHT' ? 'THB' : currency;
}
