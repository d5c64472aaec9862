import { languages, type Language } from '@krapao/contract/languages';

/** Letters of the languages with a script of their own. The baht sign is in the Thai block but belongs to no language. */
const LETTERS: Readonly<Record<'th' | 'la', RegExp>> = {
  th: /[\u0e01-\u0e3a\u0e40-\u0e5b]/u,
  la: /[\u0e81-\u0edf]/u,
};

/** Every language is called by its own name in all of them. */
const LANGUAGE_NAMES = new Set(['ไทย', 'ລາວ', 'English']);

/** What Thai and Lao readers say in Latin letters too: names of things, of files, of sizes. */
const SAME_EVERYWHERE: ReadonlySet<string> = new Set(
  'QR OTP MB JPG JPEG jpg jpeg PNG png WebP gif mp quicktime SHA https Android iOS Safari Chrome Firefox'.split(' '),
);
/** The page that isn't there is called so beside its own words, as the whole web calls it. */
const NOT_FOUND = /page not found/giu;

const PLACES = /\{\{.*?\}\}/gu;
const LATIN = /[A-Za-z]+/gu;

/**
 * Finds what is not of a text's language: letters of another one, or untranslated English.
 * @returns undefined when all is well
 */
export function foreignScriptIn(language: Language, text: string): string | undefined {
  if (LANGUAGE_NAMES.has(text)) return undefined;
  const said = text.replaceAll(PLACES, ' ').replaceAll(NOT_FOUND, ' ');
  for (const other of languages) {
    if (other !== 'en' && other !== language && LETTERS[other].test(said)) return `letters of ${other}`;
  }
  if (language === 'en') return undefined;
  return said.match(LATIN)?.find((word) => !SAME_EVERYWHERE.has(word));
}
