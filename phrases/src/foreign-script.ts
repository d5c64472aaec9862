import { languages, type Language } from '@krapao/contract/languages';

/** Letters of the languages with their own script. The baht sign is in the Thai block but belongs to no language. */
const SCRIPT_LETTERS: Readonly<Record<'th' | 'la', RegExp>> = {
  th: /[\u0e01-\u0e3a\u0e40-\u0e5b]/u,
  la: /[\u0e81-\u0edf]/u,
};

/** Names of the languages, the same in every language. */
const LANGUAGE_NAMES = new Set(['ไทย', 'ລາວ', 'English']);

/** Words in Latin letters that Thai and Lao texts use too: proper names, file types, units. */
const SAME_EVERYWHERE: ReadonlySet<string> = new Set(
  'QR OTP LINE MB JPG JPEG jpg jpeg PNG png WebP gif mp quicktime SHA UTC https Android iOS Safari Chrome Firefox'.split(
    ' ',
  ),
);
/** The English name of the 404 page, which all languages show next to their own text. */
const NOT_FOUND = /page not found/giu;

const PLACEHOLDERS = /\{\{.*?\}\}/gu;
const LATIN_WORDS = /[A-Za-z]+/gu;

/**
 * Finds foreign text: letters of another language, or untranslated English.
 * @returns undefined for none
 */
export function foreignScriptIn(language: Language, text: string): string | undefined {
  if (LANGUAGE_NAMES.has(text)) return undefined;
  const ownText = text.replaceAll(PLACEHOLDERS, ' ').replaceAll(NOT_FOUND, ' ');
  for (const otherLanguage of languages) {
    if (otherLanguage !== 'en' && otherLanguage !== language && SCRIPT_LETTERS[otherLanguage].test(ownText))
      return `letters of ${otherLanguage}`;
  }
  if (language === 'en') return undefined;
  return ownText.match(LATIN_WORDS)?.find((word) => !SAME_EVERYWHERE.has(word));
}
