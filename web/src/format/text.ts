import { currentLanguage } from '../i18n/i18n.ts';

/** Units of relative time, in seconds, largest first. */
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

export type RelativeUnit = (typeof UNITS)[number][0];
export type Relative = { unit: RelativeUnit; count: number } | { unit: 'now'; count: 0 };

/**
 * How long ago something was, in the largest unit that fits once; `now` below a minute and for the future.
 * @param at milliseconds · @param now milliseconds
 */
export function relativeTime(at: number, now: number): Relative {
  const seconds = (now - at) / 1000;
  for (const [unit, length] of UNITS) {
    if (seconds >= length) return { unit, count: Math.floor(seconds / length) };
  }
  return { unit: 'now', count: 0 };
}

type BankNames = { nameTH: string; nameEN: string; nameLA: string };

const NAMES = { th: 'nameTH', la: 'nameLA', en: 'nameEN' } as const;

/** Name of a bank in the current language. */
export const bankName = (bank: BankNames): string => bank[NAMES[currentLanguage()]];

/** A bank account number as 3-3-rest when it has exactly 10 characters; any other as it is. */
export const formatAccountNumber = (number: string): string =>
  number.length === 10 ? `${number.slice(0, 3)}-${number.slice(3, 6)}-${number.slice(6)}` : number;

/** Formats the digits of an account number in groups of 3-3-4-4. */
export function groupedAccountNumber(digits: string): string {
  const rest = digits.slice(6).match(/\d{1,4}/g) ?? [];
  return [digits.slice(0, 3), digits.slice(3, 6), ...rest].filter(Boolean).join('-');
}

/** Formats seconds as mm:ss; an hour and more stays in minutes. */
export function formatCountdown(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${String(Math.floor(whole / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`;
}
