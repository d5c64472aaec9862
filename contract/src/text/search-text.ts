import { plainDigits } from './digits.ts';

/** Blanks, dashes, dots, brackets, accents, and invisible characters. */
const IGNORED = /[\s\p{Pd}.()\p{Default_Ignorable_Code_Point}\u0300-\u036f]/gu;
/** The ring of Thai and Lao SARA AM, and a tone mark typed after it. */
const RING_BEFORE_TONE = /([\u0e4d\u0ecd])([\u0e48-\u0e4b\u0ec8-\u0ecb])/g;

/**
 * Text for comparison. Equal are: capitals and small letters, digits of every script, composed and decomposed
 * characters, both orders of a tone mark and SARA AM, and SARA AE typed as two SARA E.
 */
export const foldedText = (text: string): string =>
  plainDigits(text.normalize('NFKD'))
    .replaceAll(IGNORED, '')
    .replaceAll(RING_BEFORE_TONE, '$2$1')
    .replaceAll('\u0e40\u0e40', '\u0e41')
    .replaceAll('\u0ec0\u0ec0', '\u0ec1')
    .toLowerCase();

/** Whether each word of a search is in one of the names. */
export function matchesSearch(names: readonly string[], search: string): boolean {
  const foldedNames = names.map(foldedText);
  return search
    .split(/\s+/)
    .map(foldedText)
    .every((word) => foldedNames.some((name) => name.includes(word)));
}
