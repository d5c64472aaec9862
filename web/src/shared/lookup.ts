import { currentLanguage } from '../i18n/i18n.ts';
import { useLookup } from '../api/lookup.ts';

/** Stands in the operator's text for a number that a certain bonus has. */
const PERCENT = /\{\{\s*percentFail\s*\}\}\s*%?/g;
/** With the spaces that set a number off: words of Thai and Lao have none between them. */
const PERCENT_AMONG_WORDS = /((?<=[\u0e00-\u0eff])\s+)?\{\{\s*percentFail\s*\}\}\s*%?(\s+(?=[\u0e00-\u0eff]))?/g;

/**
 * What the operator says about bonuses and withdrawals, with the percentage put in.
 * @param percent of a bonus, as the server enforces it, or words where there is none in sight
 * @returns its text, empty when it can't be had; undefined while it is on its way
 */
export function useOperatorNotice(percent: number | string): string | undefined {
  const { data, failure } = useLookup('GET /api/lookup/notice', true);
  if (!data) return failure ? '' : undefined;
  if (typeof percent === 'number') return data.notice.replaceAll(PERCENT, `${percent}%`).trim();
  return data.notice.replaceAll(currentLanguage() === 'en' ? PERCENT : PERCENT_AMONG_WORDS, percent).trim();
}
