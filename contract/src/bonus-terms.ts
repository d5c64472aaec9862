import { type Currency, type Minor, minor, parseDecimal, smallestUnit } from './money.ts';

/** Arithmetic of bonuses, shared by the server and the app. Amounts in minor units. */

/** Basis points in a whole. */
export const BASIS_POINTS = 10_000n;
/** `toBasisPoints` of a `turnoverTimes` of 1. */
const TURNOVER_TIMES_SCALE = 100n;

/**
 * Converts a configured percentage to basis points, exactly: 0.5 is 50.
 * @throws for more than two decimals, which no setting may have
 */
export function toBasisPoints(percent: number): bigint {
  const basisPoints = parseDecimal(String(percent));
  if (basisPoints === undefined) throw new Error(`${percent} is not a percentage with at most two decimals`);
  return basisPoints;
}

/** Rounds an amount down to the smallest payable unit of the currency. */
export const floorToStep = (amount: bigint, currency: Currency): Minor =>
  minor(amount - (amount % smallestUnit(currency)));

function roundUpShare(numerator: bigint, denominator: bigint, currency: Currency): Minor {
  const unitDenominator = denominator * smallestUnit(currency);
  return minor(((numerator + unitDenominator - 1n) / unitDenominator) * smallestUnit(currency));
}

/** What an offer gives: a percentage of the deposit up to a maximum, or a fixed amount. */
export type BonusRate = { percent: number | null; fixed: bigint | null; maximum: bigint | null };

/** Amount that an offer gives on a deposit. */
export function bonusAmount({ percent, fixed, maximum }: BonusRate, deposit: bigint, currency: Currency): Minor {
  if (fixed !== null) return minor(fixed);
  const percentAmount = (deposit * toBasisPoints(percent ?? 0)) / BASIS_POINTS;
  return floorToStep(maximum !== null && maximum < percentAmount ? maximum : percentAmount, currency);
}

export type ConditionRates = { percentSuccess: number; percentFail: number; turnoverTimes: number | null };

/** Amounts that a condition requires, in the member's currency. */
export type ConditionAmounts = { base: Minor; target: Minor; floor: Minor; turnoverTarget: Minor | null };

/**
 * Amounts that a condition requires. The target is rounded up, the floor is rounded down.
 * @param base the deposit with its bonus
 */
export function requiredAmounts(
  base: Minor,
  { percentSuccess, percentFail, turnoverTimes }: ConditionRates,
  currency: Currency,
): ConditionAmounts {
  return {
    base,
    target: roundUpShare(base * toBasisPoints(percentSuccess), BASIS_POINTS, currency),
    floor: floorToStep((base * toBasisPoints(percentFail)) / BASIS_POINTS, currency),
    turnoverTarget:
      turnoverTimes === null ? null : roundUpShare(base * toBasisPoints(turnoverTimes), TURNOVER_TIMES_SCALE, currency),
  };
}
