import type { Currency } from '../money.ts';

/** A currency by the name that banks give it. */
export function isoCurrency(currency: Currency): 'THB' | 'LAK' {
  return currency === 'BAHT' ? 'THB' : currency;
}
