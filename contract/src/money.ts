/**
 * Money: an integer of minor units (satang for THB, att for LAK: both 1/100) as a branded bigint inside, a JSON number
 * with at most two decimals on the wire. Nothing here, or anywhere else, calculates with floating point.
 */
declare const minorBrand: unique symbol;

/** An amount in minor units. Build it with {@link minor} or {@link parseAmount}, never with a cast. */
export type Minor = bigint & { readonly [minorBrand]: true };

/** The currency of a member, for life. `BAHT` is the word on the wire for THB. */
export const currencies = ['BAHT', 'LAK'] as const;
export type Currency = (typeof currencies)[number];

/** Smallest step of amounts sent by bank. There are no fractions of a kip. */
export const smallestUnit = (currency: Currency): bigint => (currency === 'LAK' ? 100n : 1n);

/** Greatest amount that a wire number carries exactly to the last minor unit: 13 digits before the point. */
const WHOLE_DIGITS_MAX = 13;
const DECIMAL = /^(-?)(\d+)(?:\.(\d{1,2}))?$/;

/** Marks an integer of minor units as money. */
export const minor = (units: bigint): Minor => units as Minor;

/** No money. */
export const ZERO = minor(0n);

/**
 * Reads a plain decimal text ("100", "-0.5", "20.15") as minor units.
 * @returns undefined for anything else: exponents, separators, a third decimal, more than 13 digits before the point
 */
export function parseDecimal(text: string): Minor | undefined {
  const match = DECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  if (whole.length > WHOLE_DIGITS_MAX) return undefined;
  const units = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
  return minor(sign === '-' ? -units : units);
}

/**
 * Parses an amount from JSON: a number with at most two decimals, greater than zero. The shortest text of the number is
 * parsed digit by digit, so that 0.1 is 10 minor units and 0.001 is refused.
 * @returns undefined for strings, NaN, zero, negatives, a third decimal and numbers past 13 digits
 */
export function parseAmount(value: unknown): Minor | undefined {
  if (typeof value !== 'number') return undefined;
  const amount = parseDecimal(String(value));
  return amount !== undefined && amount > 0n ? amount : undefined;
}

/** Writes minor units as a plain decimal text with two decimals: 2015n → "20.15". */
export function toDecimal(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Minor units as the JSON number of the wire. Exact: the decimal text is the nearest to one double only. */
export const toWire = (amount: bigint): number => Number(toDecimal(amount));
