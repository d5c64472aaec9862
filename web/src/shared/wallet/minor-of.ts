import { type Minor, parseDecimal } from '@krapao/contract/money';

/** Minor units of an amount that came from the wire. @returns undefined when it isn't a number there */
export const minorOf = (amount: unknown): Minor | undefined =>
  typeof amount === 'number' ? parseDecimal(String(amount)) : undefined;
