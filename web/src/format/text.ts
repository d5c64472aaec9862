import { currentLanguage } from '../i18n/i18n.ts';

/** Units of relative time with their seconds, largest first. */
const UNIT_SECONDS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

export type RelativeUnit = (typeof UNIT_SECONDS)[number][0];
export type RelativeDuration = { unit: RelativeUnit; count: number } | { unit: 'now'; count: 0 };

/**
 * Time difference in the largest unit that is at least 1; `now` below a minute and for a future time.
 * @param at in milliseconds
 * @param now in milliseconds
 */
export function relativeTime(at: number, now: number): RelativeDuration {
  const seconds = (now - at) / 1000;
  for (const [unit, unitSeconds] of UNIT_SECONDS) {
    if (seconds >= unitSeconds) return { unit, count: Math.floor(seconds / unitSeconds) };
  }
  return { unit: 'now', count: 0 };
}

type BankNames = { nameTH: string; nameEN: string; nameLA: string };

const NAME_KEYS = { th: 'nameTH', la: 'nameLA', en: 'nameEN' } as const;

export const bankName = (bank: BankNames): string => bank[NAME_KEYS[currentLanguage()]];

/** Formats a bank account number of 10 characters in groups 3-3-4; other numbers stay unchanged. */
export const formatAccountNumber = (number: string): string =>
  number.length === 10 ? `${number.slice(0, 3)}-${number.slice(3, 6)}-${number.slice(6)}` : number;

/** Formats the digits of an account number in groups 3-3-4-4. */
export function groupedAccountNumber(digits: string): string {
  const digitsAfterSix = digits.slice(6).match(/\d{1,4}/g) ?? [];
  return [digits.slice(0, 3), digits.slice(3, 6), ...digitsAfterSix].filter(Boolean).join('-');
}

/** Formats seconds as mm:ss; minutes can exceed 59. */
export function formatCountdown(seconds: number): string {
  const wholeSeconds = Math.max(0, Math.floor(seconds));
  return `${String(Math.floor(wholeSeconds / 60)).padStart(2, '0')}:${String(wholeSeconds % 60).padStart(2, '0')}`;
}
