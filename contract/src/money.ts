/**
 * Money: an integer of minor units (satang for THB, att for LAK: both 1/100). Internally a branded bigint, on the wire
 * a JSON number with at most two decimals. No code calculates with floating point.
 */
declare const minorBrand: unique symbol;

/** An amount in minor units. Create it with {@link minor} or {@link parseAmount}, never with a cast. */
export type Minor = bigint & { readonly [minorBrand]: true };

/** Currency of a member, which never changes. `BAHT` is THB on the wire. */
export const currencies = ['BAHT', 'LAK'] as const;
export type Currency = (typeof currencies)[number];
/** ISO 4217 codes, for files and counterparties. */
export const CURRENCY_CODES = { BAHT: 'THB', LAK: 'LAK' } as const satisfies Record<Currency, string>;
export const CURRENCY_SIGNS = { BAHT: '฿', LAK: '₭' } as const satisfies Record<Currency, string>;

/** Smallest unit of bank amounts. There are no fractions of a kip. */
export const smallestUnit = (currency: Currency): bigint => (currency === 'LAK' ? 100n : 1n);

/** Maximum digits before the decimal point with which a wire number is exact to the minor unit. */
const WHOLE_DIGITS_MAX = 13;
const DECIMAL_FORMAT = /^(-?)(\d+)(?:\.(\d{1,2}))?$/;

/** Brands an integer of minor units as money. */
export const minor = (minorUnits: bigint): Minor => minorUnits as Minor;

/** Zero money. */
export const ZERO = minor(0n);

/**
 * Parses a plain decimal text ("100", "-0.5", "20.15") as minor units.
 * @returns undefined for anything else: exponents, separators, a third decimal, more than 13 digits before the point
 */
export function parseDecimal(text: string): Minor | undefined {
  const match = DECIMAL_FORMAT.exec(text);
  if (!match) return undefined;
  const [, sign, wholeUnits = '', fraction = ''] = match;
  if (wholeUnits.length > WHOLE_DIGITS_MAX) return undefined;
  const minorUnits = BigInt(wholeUnits) * 100n + BigInt(fraction.padEnd(2, '0'));
  return minor(sign === '-' ? -minorUnits : minorUnits);
}

/**
 * Parses an amount from JSON: a number with at most two decimals, greater than zero. Parses the shortest text of the
 * number digit by digit, so that 0.1 is 10 minor units and 0.001 is refused.
 * @returns undefined for strings, NaN, zero, negatives, a third decimal and more than 13 digits
 */
export function parseAmount(value: unknown): Minor | undefined {
  if (typeof value !== 'number') return undefined;
  const amount = parseDecimal(String(value));
  return amount !== undefined && amount > 0n ? amount : undefined;
}

/** Formats minor units as a plain decimal text with two decimals: 2015n → "20.15". */
export function toDecimal(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Converts minor units to the JSON number of the wire. Exact: the decimal text is the nearest to one double only. */
export const toWire = (amount: bigint): number => Number(toDecimal(amount));
