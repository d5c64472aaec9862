import { type Currency, type Minor, minor, parseDecimal, stepOf } from '@krapao/contract/money';

/** So many parts of an amount are the whole of it. */
export const PARTS = 10_000n;

/**
 * A percentage as the operator set it, in parts of {@link PARTS}: 0.5 is 50. Exact.
 * @throws for more than two decimals, which no setting may have
 */
export function partsOf(percent: number): bigint {
  const parts = parseDecimal(String(percent));
  if (parts === undefined) throw new Error(`${percent} is not a percentage with at most two decimals`);
  return parts;
}

/** An amount rounded down to what a person can have of the currency. */
export const roundedDown = (amount: bigint, currency: Currency): Minor => minor(amount - (amount % stepOf(currency)));
