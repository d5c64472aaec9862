import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

// Canonical spelling of names in Thai, Lao and Latin letters. The Thai rules follow `normalize` of pythainlp
// (github.com/PyThaiNLP/pythainlp, issues 372 and 673). Lao has the same vowel and tone marks at code points 0x80
// higher.

const INVISIBLE_CHARACTERS = /\p{Default_Ignorable_Code_Point}+/gu;

const [SARA_AA, SARA_AM, NIKHAHIT] = ['\u0e32', '\u0e33', '\u0e4d'];
const [LAO_AA, LAO_AM, LAO_NIGGAHITA] = ['\u0eb2', '\u0eb3', '\u0ecd'];

/** Character sequences with a look-alike canonical form, and that form. */
const SPELLING_REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\u0e40\u0e40/g, '\u0e41'],
  [/\u0ec0\u0ec0/g, '\u0ec1'],
  [/\u0eab\u0e99/g, '\u0edc'],
  [/\u0eab\u0ea1/g, '\u0edd'],
  // The obsolete Lao spelling and the current one.
  [/\u0eab\u0ea5/g, '\u0eab\u0ebc'],
  // Lakkhangyao only follows ฤ and ฦ; after any other character it is a mistyped sara aa.
  [/(?<![\u0e24\u0e26])\u0e45/g, SARA_AA],
];

/** Canonical order of the marks of one consonant. Marks of equal rank keep their typed order. */
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
 * Canonical spelling of a name: NFC, composed sara am and sara ae, ordered marks, current Lao orthography. Invisible
 * characters are removed and words are separated by single blanks. Names that look different stay different.
 */
export function canonicalSpelling(name: string): string {
  let spelling = name.normalize('NFC').replaceAll(INVISIBLE_CHARACTERS, '').replaceAll(/\s+/g, ' ').trim();
  for (const [pattern, replacement] of SPELLING_REPLACEMENTS) spelling = spelling.replaceAll(pattern, replacement);
  return spelling
    .replaceAll(THAI_MARKS, (marks) => reorderMarks(marks, SARA_AM, NIKHAHIT, SARA_AA))
    .replaceAll(LAO_MARKS, (marks) => reorderMarks(marks, LAO_AM, LAO_NIGGAHITA, LAO_AA));
}

/** The form in which names are compared: NFKC, canonical spelling, capitals. */
export const comparableSpelling = (name: string): string => canonicalSpelling(name.normalize('NFKC')).toUpperCase();

function reorderMarks(marks: string, saraAm: string, nikhahit: string, saraAa: string): string {
  const orderedMarks = Array.from(marks.replaceAll(saraAm, nikhahit + saraAa)).toSorted(
    (markA, markB) => rankOf(markA) - rankOf(markB),
  );
  const uniqueMarks = orderedMarks.filter(
    (mark, index) => mark !== orderedMarks[index - 1] || rankOf(mark) === MARK_RANKS.length - 1,
  );
  const [nikhahitIndex, saraAaIndex] = [uniqueMarks.indexOf(nikhahit), uniqueMarks.indexOf(saraAa)];
  if (nikhahitIndex === -1 || saraAaIndex === -1) return uniqueMarks.join('');
  return uniqueMarks.with(saraAaIndex, saraAm).toSpliced(nikhahitIndex, 1).join('');
}

const rankOf = (mark: string): number => MARK_RANKS.findIndex((rank) => rank.test(mark));

const GRAPHEMES = /[^\p{M}\u0e30-\u0e33\u0eb0-\u0eb3][\p{M}\u0e30-\u0e33\u0eb0-\u0eb3]*/gu;

/** Splits a canonical word into consonants with their marks: `น้ำใจ` is `น้ำ`, `ใ`, `จ`. */
export const splitGraphemes = (word: string): string[] => word.match(GRAPHEMES) ?? [];

/**
 * Whether `truncatedName` is `fullName` cut off at any character or mark. False if `truncatedName` has a mark that
 * `fullName` lacks.
 */
export function isPrefixOf(truncatedName: string, fullName: string): boolean {
  if (fullName.startsWith(truncatedName)) return true;
  const [truncatedGraphemes, fullGraphemes] = [splitGraphemes(truncatedName), splitGraphemes(fullName)];
  const lastGrapheme = truncatedGraphemes.pop();
  if (lastGrapheme === undefined || truncatedGraphemes.some((grapheme, index) => grapheme !== fullGraphemes[index]))
    return false;
  return isPartialGrapheme(lastGrapheme, fullGraphemes[truncatedGraphemes.length] ?? '');
}

// A character with a following vowel is complete: truncation can only come after the vowel.
function isPartialGrapheme(partialGrapheme: string, fullGrapheme: string): boolean {
  const codePointsOf = (grapheme: string): string[] =>
    Array.from(grapheme.replace(SARA_AM, NIKHAHIT + SARA_AA).replace(LAO_AM, LAO_NIGGAHITA + LAO_AA));
  const [consonant, ...marks] = codePointsOf(partialGrapheme);
  const [fullConsonant, ...fullMarks] = codePointsOf(fullGrapheme);
  const hasFollowingVowel = marks.some((mark) => rankOf(mark) === MARK_RANKS.length - 1);
  return consonant === fullConsonant && !hasFollowingVowel && marks.every((mark) => fullMarks.includes(mark));
}

/** Groups of `holder-titles.json`. A title with dots is an abbreviation; its dots and blanks are optional. */
const titleGroupsSchema = z.array(
  z.object({
    kind: z.string(),
    source: z.string(),
    /** The titles of this group are also names: they count as titles only before a first and a last name. */
    canBeName: z.boolean().default(false),
    /** The titles of this group count only directly after another title. */
    afterTitle: z.boolean().default(false),
    titles: z.array(z.string().min(1)),
  }),
);

/**
 * `unambiguous` matches a title that no name begins with; `ambiguous` matches the beginning of a title or of a name.
 */
type Title = { title: string; afterTitle: boolean; unambiguous: RegExp | undefined; ambiguous: RegExp };

/** Lookahead after a title without a blank: a character that can begin a name. */
const BEFORE_NAME = '(?=[\\p{Script=Latin}\u0e01-\u0e2e\u0e40-\u0e44\u0e81-\u0eae\u0ec0-\u0ec4\u0edc\u0edd(])';
const BEFORE_TWO_WORDS = '(?=\\S+ \\S)';

const TITLES_FILE = join(import.meta.dirname, 'holder-titles.json');
const TITLES: readonly Title[] = titleGroupsSchema
  .parse(JSON.parse(readFileSync(TITLES_FILE, 'utf8')))
  .flatMap(({ titles, ...group }) => titles.map((title) => compileTitle(comparableSpelling(title), group)))
  .toSorted((titleA, titleB) => titleB.title.length - titleA.title.length);

function escapeParentheses(text: string): string {
  return text.replaceAll(/[()]/g, String.raw`\$&`);
}

/** Whether an abbreviation may be initials. Initials count as a title only before a first and a last name. */
function isInitials(abbreviatedWords: readonly string[]): boolean {
  const hasOnlySingleLetters = abbreviatedWords.every((word) => /^\p{L}\p{M}*$/u.test(word));
  return hasOnlySingleLetters && (abbreviatedWords.length === 1 || /\p{Script=Latin}/u.test(abbreviatedWords.join('')));
}

function compileTitle(title: string, { canBeName, afterTitle }: { canBeName: boolean; afterTitle: boolean }): Title {
  const nameLookahead = canBeName ? BEFORE_TWO_WORDS : BEFORE_NAME;
  if (title.includes('.')) {
    const abbreviatedWords = title
      .split('.')
      .filter((word) => word !== '')
      .map(escapeParentheses);
    const abbreviationEnd = abbreviatedWords.length > 1 ? '(?:\\. ?| )' : '\\. ?';
    const initialsLookahead = isInitials(abbreviatedWords) ? BEFORE_TWO_WORDS : nameLookahead;
    const unambiguous = new RegExp(`^${abbreviatedWords.join('\\. ?')}${abbreviationEnd}${initialsLookahead}`, 'u');
    return {
      title,
      afterTitle,
      unambiguous,
      ambiguous: new RegExp(`^${abbreviatedWords.join(' ?')} ${BEFORE_TWO_WORDS}`, 'u'),
    };
  }
  const titlePattern = escapeParentheses(title).replaceAll(' ', ' ?');
  const canOmitBlank = !canBeName && !/\p{Script=Latin}|\d$/u.test(title);
  return {
    title,
    afterTitle,
    unambiguous: canBeName ? undefined : new RegExp(`^${titlePattern}\\. ?${BEFORE_NAME}`, 'u'),
    ambiguous: new RegExp(`^${titlePattern}${canOmitBlank ? ' ?' : '(?:\\. ?| )'}${nameLookahead}`, 'u'),
  };
}

/**
 * Returns the name with and without each leading title, because a name can begin like a title. A dotted abbreviation is
 * always a title; initials are a title only before a first and a last name.
 * @param name in the form of `comparableSpelling`
 * @returns at least one name; the last has no title
 */
export function stripTitles(name: string): string[] {
  let possibleNames = [name];
  for (let remainingName = name, hasStrippedTitle = false; ; hasStrippedTitle = true) {
    const matchedTitle = TITLES.find(({ title, afterTitle, unambiguous, ambiguous }) => {
      if (title[0] !== remainingName[0] || (afterTitle && !hasStrippedTitle)) return false;
      return unambiguous?.test(remainingName) === true || ambiguous.test(remainingName);
    });
    if (!matchedTitle) return possibleNames;
    const isUnambiguous = matchedTitle.unambiguous?.test(remainingName) === true;
    remainingName = remainingName.replace(
      isUnambiguous && matchedTitle.unambiguous ? matchedTitle.unambiguous : matchedTitle.ambiguous,
      '',
    );
    possibleNames = isUnambiguous ? [remainingName] : [...possibleNames, remainingName];
  }
}

/** The visible part of a word of a name. `isTruncated`: letters may be missing at the end. */
type NameWord = { text: string; isTruncated: boolean };

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['thai', /\p{Script=Thai}/u],
  ['lao', /\p{Script=Lao}/u],
  ['latin', /\p{Script=Latin}/u],
];
const APOSTROPHE_LIKE = /['\u2018\u2019\u02bc`\u00b4]/g;
const HYPHEN = /\p{Pd}/u;
const HYPHENS_WITH_BLANKS = / ?\p{Pd} ?/gu;
// U+FFFD is the replacement for a character that could not be stored.
const MASK_CHARACTER = /[*#•●\ufffd]/;

/**
 * Whether the name that a bank shows contradicts the registered name. Banks truncate names, mask letters, add titles,
 * put the last name first and use either script. Only comparable letters that differ are a contradiction.
 */
export function namesConflict(bankName: string, registeredName: string): boolean {
  const [bankReadings, registeredReadings] = [parseReadings(bankName), parseReadings(registeredName)];
  if (bankReadings.script !== registeredReadings.script) return false;
  return !bankReadings.names.some((bankWords) =>
    registeredReadings.names.some((registeredWords) => namesAgree(bankWords, registeredWords)),
  );
}

/** Whether two names differ only in case, blanks, and the order and composition of marks. */
export const isSameSpelling = (nameA: string, nameB: string): boolean =>
  comparableSpelling(nameA) === comparableSpelling(nameB);

// Returns all readings of a name: with and without ambiguous titles, with hyphens as blanks and without hyphens.
function parseReadings(name: string): { script: string | undefined; names: NameWord[][] } {
  const normalizedName = comparableSpelling(name)
    .replaceAll(APOSTROPHE_LIKE, '')
    .replaceAll(/ ?[,;] ?/g, ' ')
    .trim();
  const readings = stripTitles(normalizedName);
  const script = SCRIPTS.find(([, pattern]) => pattern.test(readings.at(-1) ?? ''))?.[0];
  const wordLists = readings
    .flatMap((reading) =>
      HYPHEN.test(reading)
        ? ['', ' '].map((hyphenReplacement) => reading.replaceAll(HYPHENS_WITH_BLANKS, hyphenReplacement))
        : [reading],
    )
    .map(splitWords);
  return { script, names: wordLists };
}

// A dot ends an abbreviation: `S.JAIDEE` is a truncated first name and a last name.
function splitWords(name: string): NameWord[] {
  const words = name.split(' ').flatMap((token) => {
    const [visibleText = ''] = token.split(MASK_CHARACTER);
    if (visibleText !== token) return [{ text: visibleText.replaceAll('.', ''), isTruncated: true }];
    const abbreviatedWords = token.split('.');
    return abbreviatedWords
      .filter((text) => text !== '')
      .map((text, index) => ({ text, isTruncated: index < abbreviatedWords.length - 1 }));
  });
  return words.map(({ text, isTruncated }, index) => ({
    text,
    isTruncated: isTruncated || index === words.length - 1,
  }));
}

function namesAgree(wordsA: readonly NameWord[], wordsB: readonly NameWord[]): boolean {
  if (wordsA.length < 2 || wordsB.length < 2) return wordsAgree(joinWords(wordsA), joinWords(wordsB));
  const commonLength = Math.min(wordsA.length, wordsB.length);
  const agreesInOrder = wordsA
    .slice(0, commonLength)
    .every((word, index) => wordsAgree(word, wordsB[index] as NameWord));
  return agreesInOrder || isLastNameFirst(wordsA, wordsB) || isLastNameFirst(wordsB, wordsA);
}

// A single word may be a full name without blanks, or a truncated name.
function joinWords(words: readonly NameWord[]): NameWord {
  const truncatedIndex = words.findIndex(({ isTruncated }) => isTruncated);
  return {
    text: words
      .slice(0, truncatedIndex + 1)
      .map(({ text }) => text)
      .join(''),
    isTruncated: true,
  };
}

function wordsAgree(wordA: NameWord, wordB: NameWord): boolean {
  if (wordA.text === wordB.text) return true;
  return (
    (wordA.isTruncated && isPrefixOf(wordA.text, wordB.text)) ||
    (wordB.isTruncated && isPrefixOf(wordB.text, wordA.text))
  );
}

// Compares names when the second has the complete last name first; the first name may be an initial.
function isLastNameFirst(lastNameLast: readonly NameWord[], lastNameFirst: readonly NameWord[]): boolean {
  if (lastNameLast.length !== lastNameFirst.length) return false;
  const [lastWord] = lastNameLast.slice(-1);
  if (lastWord === undefined || lastWord.text === '') return false;
  return lastNameFirst.slice(1).some((_, offset) => {
    const rotated = [...lastNameFirst.slice(offset + 1), ...lastNameFirst.slice(0, offset + 1)];
    const agreesBeforeLast = lastNameLast
      .slice(0, -1)
      .every(({ text }, index) => text !== '' && text === rotated[index]?.text);
    return agreesBeforeLast && isPrefixOf(lastWord.text, rotated.at(-1)?.text ?? '');
  });
}
