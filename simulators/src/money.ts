/**
 * Internal amounts are integers: satang or hundredths of a kip. The wire has decimal text or numbers with at most two
 * decimals.
 */

export type Currency = 'BAHT' | 'LAK';

const AMOUNT_FORMAT = /^(0|[1-9]\d{0,11})(?:\.(\d{1,2}))?$/;

/**
 * Parses an amount from the wire.
 * @param value decimal text or a JSON number, e.g. `"100.50"` or `100.5`
 * @returns satang; undefined for anything but a plain amount with at most two decimals
 */
export function parseMoney(value: unknown): number | undefined {
  // String(number) is the shortest decimal of the same double: 0.1 + 0.2 has 17 digits and is refused.
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const match = AMOUNT_FORMAT.exec(text);
  if (!match) return undefined;
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

/** Formats satang with two decimals, e.g. `"100.50"`. */
export function formatMoney(satang: number): string {
  const sign = satang < 0 ? '-' : '';
  const digits = String(Math.abs(satang)).padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Formats satang with two decimals and thousands commas, e.g. `"1,234.50"`. */
export function formatMoneyWithCommas(satang: number): string {
  const [baht = '0', cents = '00'] = formatMoney(satang).split('.');
  return `${baht.replace(/\B(?=(\d{3})+$)/g, ',')}.${cents}`;
}

/** Converts satang to a JSON number with at most two decimals; exact, because the text names the nearest double. */
export function moneyNumber(satang: number): number {
  return Number(formatMoney(satang));
}
