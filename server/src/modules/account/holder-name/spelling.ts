// One spelling of each name in Thai, Lao and Latin letters. The Thai rules follow those of pythainlp's normalize
// (github.com/PyThaiNLP/pythainlp, issues 372 and 673); Lao writes vowels and tones in the same way, 0x80 higher.

const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

const [SARA_AA, SARA_AM, NIKHAHIT] = ['\u0e32', '\u0e33', '\u0e4d'];
const [LAO_AA, LAO_AM, LAO_NIGGAHITA] = ['\u0eb2', '\u0eb3', '\u0ecd'];

/** Pairs of letters that look like one letter, and their replacement. */
const COMPOSED: readonly (readonly [RegExp, string])[] = [
  [/\u0e40\u0e40/g, '\u0e41'],
  [/\u0ec0\u0ec0/g, '\u0ec1'],
  [/\u0eab\u0e99/g, '\u0edc'],
  [/\u0eab\u0ea1/g, '\u0edd'],
  // Old spelling, present spelling.
  [/\u0eab\u0ea5/g, '\u0eab\u0ebc'],
  // Lakkhangyao follows ฤ and ฦ only; elsewhere it is a mistyped sara aa.
  [/(?<![\u0e24\u0e26])\u0e45/g, SARA_AA],
];

/** Marks of one consonant in canonical order; marks of equal rank keep their typed order. */
const MARK_RANKS: readonly RegExp[] = [
  /[\u0ebc]/,
  /[\u0e31\u0e34-\u0e3a\u0e47\u0e4d\u0eb1\u0eb4-\u0ebb\u0ecd]/,
  /[\u0e48-\u0e4b\u0ec8-\u0ecb]/,
  /[\u0e4c\u0e4e\u0ecc]/,
  /[\u0e30\u0e32\u0e33\u0eb0\u0eb2\u0eb3]/,
];
const THAI_MARKS = /[\u0e30-\u0e3a\u0e47-\u0e4e]{2,}/g;
const LAO_MARKS = /[\u0eb0-\u0ebc\u0ec8-\u0ecd]{2,}/g;

/**
 * A name in its canonical spelling: NFC, sara am and sara ae composed, marks in canonical order, Lao in the present
 * orthography, without invisible characters, single blanks between words. Names that look different stay different.
 */
export function canonicalSpelling(name: string): string {
  let spelled = name.normalize('NFC').replaceAll(INVISIBLE, '').replaceAll(/\s+/g, ' ').trim();
  for (const [pair, letter] of COMPOSED) spelled = spelled.replaceAll(pair, letter);
  return spelled
    .replaceAll(THAI_MARKS, (marks) => reorderMarks(marks, SARA_AM, NIKHAHIT, SARA_AA))
    .replaceAll(LAO_MARKS, (marks) => reorderMarks(marks, LAO_AM, LAO_NIGGAHITA, LAO_AA));
}

/** The form in which names are compared: the canonical spelling in capitals, compatibility characters replaced. */
export const comparableSpelling = (name: string): string => canonicalSpelling(name.normalize('NFKC')).toUpperCase();

function reorderMarks(marks: string, am: string, nikhahit: string, aa: string): string {
  const parts = Array.from(marks.replaceAll(am, nikhahit + aa)).toSorted((one, other) => rankOf(one) - rankOf(other));
  const once = parts.filter((mark, at) => mark !== parts[at - 1] || rankOf(mark) === MARK_RANKS.length - 1);
  const [nikhahitAt, aaAt] = [once.indexOf(nikhahit), once.indexOf(aa)];
  if (nikhahitAt === -1 || aaAt === -1) return once.join('');
  return once.with(aaAt, am).toSpliced(nikhahitAt, 1).join('');
}

const rankOf = (mark: string): number => MARK_RANKS.findIndex((rank) => rank.test(mark));

const GRAPHEME = /[^\p{M}\u0e30-\u0e33\u0eb0-\u0eb3][\p{M}\u0e30-\u0e33\u0eb0-\u0eb3]*/gu;

/** Splits a canonical word into letters with their marks: `น้ำใจ` is `น้ำ`, `ใ`, `จ`. */
export const graphemesOf = (word: string): string[] => word.match(GRAPHEME) ?? [];

/**
 * Whether `cut` can be `whole` truncated, also between the marks of a letter. A mark that `whole` lacks makes it false.
 */
export function isPrefixOf(cut: string, whole: string): boolean {
  if (whole.startsWith(cut)) return true;
  const [seen, full] = [graphemesOf(cut), graphemesOf(whole)];
  const last = seen.pop();
  if (last === undefined || seen.some((letter, at) => letter !== full[at])) return false;
  return isPartialGrapheme(last, full[seen.length] ?? '');
}

// A letter with its following vowel is complete: a truncation can only be after it.
function isPartialGrapheme(cut: string, whole: string): boolean {
  const parts = (letter: string): string[] =>
    Array.from(letter.replace(SARA_AM, NIKHAHIT + SARA_AA).replace(LAO_AM, LAO_NIGGAHITA + LAO_AA));
  const [letter, ...marks] = parts(cut);
  const [wholeLetter, ...wholeMarks] = parts(whole);
  const isWhole = marks.some((mark) => rankOf(mark) === MARK_RANKS.length - 1);
  return letter === wholeLetter && !isWhole && marks.every((mark) => wholeMarks.includes(mark));
}
