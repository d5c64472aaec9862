import { cookieValue, type Language, LANGUAGE_COOKIE, languages } from '@krapao/contract/languages';
import type { Variant } from '../../config.ts';

const VALUE = new RegExp(`(?:^|;\\s*)${LANGUAGE_COOKIE}=([A-Za-z]{2})(?:;|$)`);

/** The language that a call is answered in: what the cookie that the app sets says, else the first one of the build. */
export function languageOf(cookieHeader: string | undefined, variant: Variant): Language {
  const value = VALUE.exec(cookieHeader ?? '')?.[1]?.toUpperCase();
  return languages.find((language) => cookieValue[language] === value) ?? (variant === 'lao' ? 'la' : 'th');
}
