import { currentLanguage } from '../i18n/i18n.ts';
import { useLookup } from '../api/lookup.ts';

/** Placeholder in the operator's text for a bonus percentage. */
const PERCENT_PLACEHOLDER = /\{\{\s*percentFail\s*\}\}\s*%?/g;
/** The placeholder including surrounding spaces: Thai and Lao text has no spaces between words. */
const SPACED_PERCENT_PLACEHOLDER = /((?<=[\u0e00-\u0eff])\s+)?\{\{\s*percentFail\s*\}\}\s*%?(\s+(?=[\u0e00-\u0eff]))?/g;

/**
 * The operator's notice about bonuses and withdrawals, with the percentage inserted.
 * @param percent percentage of a bonus as enforced by the server, or a text if there is none
 * @returns undefined while loading; '' if the notice can't be loaded
 */
export function useOperatorNotice(percent: number | string): string | undefined {
  const { data, failure } = useLookup('GET /api/lookup/notice', true);
  if (!data) return failure ? '' : undefined;
  if (typeof percent === 'number') return data.notice.replaceAll(PERCENT_PLACEHOLDER, `${percent}%`).trim();
  return data.notice
    .replaceAll(currentLanguage() === 'en' ? PERCENT_PLACEHOLDER : SPACED_PERCENT_PLACEHOLDER, percent)
    .trim();
}
