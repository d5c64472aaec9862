import { currentLanguage } from '../i18n/i18n.ts';
import { useLookup } from '../api/lookup.ts';

/** Placeholder in the operator's text for a bonus percentage. */
const PERCENT = /\{\{\s*percentFail\s*\}\}\s*%?/g;
/** With surrounding spaces: Thai and Lao put none between words. */
const PERCENT_AMONG_WORDS = /((?<=[\u0e00-\u0eff])\s+)?\{\{\s*percentFail\s*\}\}\s*%?(\s+(?=[\u0e00-\u0eff]))?/g;

/**
 * The operator's notice about bonuses and withdrawals with the percentage filled in.
 * @param percent of a bonus as the server enforces it, or a text without one
 * @returns its text, empty if it can't be loaded; undefined while loading
 */
export function useOperatorNotice(percent: number | string): string | undefined {
  const { data, failure } = useLookup('GET /api/lookup/notice', true);
  if (!data) return failure ? '' : undefined;
  if (typeof percent === 'number') return data.notice.replaceAll(PERCENT, `${percent}%`).trim();
  return data.notice.replaceAll(currentLanguage() === 'en' ? PERCENT : PERCENT_AMONG_WORDS, percent).trim();
}
