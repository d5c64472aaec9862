import { type Currency, type Minor, minor, parseDecimal, stepOf } from '@krapao/contract/money';
import type { Award } from './incentive.ts';

/** Hundredths of a whole time. */
const ONCE = 100n;

/** The amounts that a condition asks for, in the member's currency. */
export type Amounts = { base: Minor; target: Minor; floor: Minor; turnoverTarget: Minor | null };

/** What a condition asks for: what must be reached is rounded up, to what it may fall down. */
export function amountsOf(
  { amount, condition }: Pick<Award, 'amount'> & { condition: NonNullable<Award['condition']> },
  currency: Currency,
): Amounts {
  const base = minor(condition.own + amount);
  const { percentSuccess, percentFail, turnoverTimes } = condition;
  return {
    base,
    target: roundedUp(base * partsOf(percentSuccess), PARTS, currency),
    floor: roundedDown((base * partsOf(percentFail)) / PARTS, currency),
    turnoverTarget: turnoverTimes === null ? null : roundedUp(base * partsOf(turnoverTimes), ONCE, currency),
  };
}

function roundedUp(parts: bigint, ofParts: bigint, currency: Currency): Minor {
  const step = ofParts * stepOf(currency);
  return minor(((parts + step - 1n) / step) * stepOf(currency));
}

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
