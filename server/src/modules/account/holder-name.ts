import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

// One spelling of each name in Thai, Lao and Latin letters. The Thai rules follow those of pythainlp's normalize
// (github.com/PyThaiNLP/pythainlp, issues 372 and 673); Lao writes vowels and tones in the same way, 0x80 higher.

const INVISIBLE = /\p{Default_Ignorable_Code_Point}+/gu;

const [SARA_AA, SARA_AM, NIKHAHIT] = ['\u0e32', '\u0e33', '\u0e4d'];
const [LAO_AA, LAO_AM, LAO_NIGGAHITA] = ['\u0eb2', '\u0eb3', '\u0ecd'];

/** Pairs of letters that look like one character, and their replacement. */
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
  for (const [pair, composed] of COMPOSED) spelled = spelled.replaceAll(pair, composed);
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
 * Whether `cut` can be `whole` truncated, also between the marks of a character. A mark that `whole` lacks makes it false.
 */
export function isPrefixOf(cut: string, whole: string): boolean {
  if (whole.startsWith(cut)) return true;
  const [seen, full] = [graphemesOf(cut), graphemesOf(whole)];
  const last = seen.pop();
  if (last === undefined || seen.some((character, at) => character !== full[at])) return false;
  return isPartialGrapheme(last, full[seen.length] ?? '');
}

// A character with its following vowel is complete: a truncation can only be after it.
function isPartialGrapheme(cut: string, whole: string): boolean {
  const parts = (character: string): string[] =>
    Array.from(character.replace(SARA_AM, NIKHAHIT + SARA_AA).replace(LAO_AM, LAO_NIGGAHITA + LAO_AA));
  const [character, ...marks] = parts(cut);
  const [wholeLetter, ...wholeMarks] = parts(whole);
  const isWhole = marks.some((mark) => rankOf(mark) === MARK_RANKS.length - 1);
  return character === wholeLetter && !isWhole && marks.every((mark) => wholeMarks.includes(mark));
}

/** A group of `holder-titles.json`. A title with dots is an abbreviation; its dots and blanks are optional. */
const groups = z.array(
  z.object({
    kind: z.string(),
    source: z.string(),
    /** These titles are also names: a title only before a blank, a first name and a last name. */
    canBeName: z.boolean().default(false),
    /** These are titles only directly after another title. */
    afterTitle: z.boolean().default(false),
    titles: z.array(z.string().min(1)),
  }),
);

/** `unambiguous`: no name begins like this. `ambiguous`: a name may begin like this. */
type Title = { title: string; afterTitle: boolean; unambiguous: RegExp | undefined; ambiguous: RegExp };

/** After a title without a blank: a character that can begin a name, not a mark. */
const NAME = '(?=[\\p{Script=Latin}\u0e01-\u0e2e\u0e40-\u0e44\u0e81-\u0eae\u0ec0-\u0ec4\u0edc\u0edd(])';
const TWO_WORDS = '(?=\\S+ \\S)';

const FILE = join(import.meta.dirname, 'holder-titles.json');
const TITLES: readonly Title[] = groups
  .parse(JSON.parse(readFileSync(FILE, 'utf8')))
  .flatMap(({ titles, ...group }) => titles.map((title) => titleOf(comparableSpelling(title), group)))
  .toSorted((one, other) => other.title.length - one.title.length);

function escaped(text: string): string {
  return text.replaceAll(/[()]/g, String.raw`\$&`);
}

/** Whether an abbreviation may be initials of a name: then only a first and a last name after it make it a title. */
function isInitials(parts: readonly string[]): boolean {
  const isEachOneLetter = parts.every((part) => /^\p{L}\p{M}*$/u.test(part));
  return isEachOneLetter && (parts.length === 1 || /\p{Script=Latin}/u.test(parts.join('')));
}

function titleOf(title: string, { canBeName, afterTitle }: { canBeName: boolean; afterTitle: boolean }): Title {
  const rest = canBeName ? TWO_WORDS : NAME;
  if (title.includes('.')) {
    const parts = title
      .split('.')
      .filter((part) => part !== '')
      .map(escaped);
    const end = parts.length > 1 ? '(?:\\. ?| )' : '\\. ?';
    const following = isInitials(parts) ? TWO_WORDS : rest;
    const unambiguous = new RegExp(`^${parts.join('\\. ?')}${end}${following}`, 'u');
    return { title, afterTitle, unambiguous, ambiguous: new RegExp(`^${parts.join(' ?')} ${TWO_WORDS}`, 'u') };
  }
  const word = escaped(title).replaceAll(' ', ' ?');
  const isGlued = !canBeName && !/\p{Script=Latin}|\d$/u.test(title);
  return {
    title,
    afterTitle,
    unambiguous: canBeName ? undefined : new RegExp(`^${word}\\. ?${NAME}`, 'u'),
    ambiguous: new RegExp(`^${word}${isGlued ? ' ?' : '(?:\\. ?| )'}${rest}`, 'u'),
  };
}

/**
 * The name with and without each leading title, because a name can begin like a title. A dotted abbreviation is
 * always a title, initials only before a first and a last name.
 * @param name in the form of `comparableSpelling`
 * @returns at least one name; the last has no title
 */
export function stripTitles(name: string): string[] {
  let names = [name];
  for (let rest = name, isTitled = false; ; isTitled = true) {
    const found = TITLES.find(({ title, afterTitle, unambiguous, ambiguous }) => {
      if (title[0] !== rest[0] || (afterTitle && !isTitled)) return false;
      return unambiguous?.test(rest) === true || ambiguous.test(rest);
    });
    if (!found) return names;
    const isUnambiguous = found.unambiguous?.test(rest) === true;
    rest = rest.replace(isUnambiguous && found.unambiguous ? found.unambiguous : found.ambiguous, '');
    names = isUnambiguous ? [rest] : [...names, rest];
  }
}

/** The visible part of a word of a name; `isTruncated`: more letters may follow. */
type Word = { text: string; isTruncated: boolean };

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ['thai', /\p{Script=Thai}/u],
  ['lao', /\p{Script=Lao}/u],
  ['latin', /\p{Script=Latin}/u],
];
const APOSTROPHES = /['\u2018\u2019\u02bc`\u00b4]/g;
const HYPHENS = /\p{Pd}/u;
const ALL_HYPHENS = / ?\p{Pd} ?/gu;
// U+FFFD replaces a character that could not be stored.
const HIDDEN = /[*#•●\ufffd]/;

/**
 * Whether a name that a bank shows contradicts the registered one. Banks truncate names, hide letters, add titles,
 * write the last name first, and use either script: only letters that can be compared, and differ, contradict.
 */
export function namesConflict(shown: string, registered: string): boolean {
  const [one, other] = [readingsOf(shown), readingsOf(registered)];
  if (one.script !== other.script) return false;
  return !one.names.some((left) => other.names.some((right) => namesAgree(left, right)));
}

/** Whether two names differ only in case, blanks, and the order and composition of marks. */
export const isSameSpelling = (one: string, other: string): boolean =>
  comparableSpelling(one) === comparableSpelling(other);

// All readings: with and without ambiguous titles, hyphens as blanks and removed.
function readingsOf(name: string): { script: string | undefined; names: Word[][] } {
  const plain = comparableSpelling(name)
    .replaceAll(APOSTROPHES, '')
    .replaceAll(/ ?[,;] ?/g, ' ')
    .trim();
  const readings = stripTitles(plain);
  const script = SCRIPTS.find(([, pattern]) => pattern.test(readings.at(-1) ?? ''))?.[0];
  const names = readings
    .flatMap((reading) =>
      HYPHENS.test(reading) ? ['', ' '].map((gap) => reading.replaceAll(ALL_HYPHENS, gap)) : [reading],
    )
    .map(wordsOf);
  return { script, names };
}

// A dot ends an abbreviation: `S.JAIDEE` is a truncated first name and a last name.
function wordsOf(name: string): Word[] {
  const words = name.split(' ').flatMap((token) => {
    const [visible = ''] = token.split(HIDDEN);
    if (visible !== token) return [{ text: visible.replaceAll('.', ''), isTruncated: true }];
    const parts = token.split('.');
    return parts.filter((text) => text !== '').map((text, at) => ({ text, isTruncated: at < parts.length - 1 }));
  });
  return words.map(({ text, isTruncated }, at) => ({ text, isTruncated: isTruncated || at === words.length - 1 }));
}

function namesAgree(one: readonly Word[], other: readonly Word[]): boolean {
  if (one.length < 2 || other.length < 2) return wordsAgree(joined(one), joined(other));
  const both = Math.min(one.length, other.length);
  const inOrder = one.slice(0, both).every((word, at) => wordsAgree(word, other[at] as Word));
  return inOrder || isRotated(one, other) || isRotated(other, one);
}

// A single word may be a whole name without blanks, or the rest of a truncated one.
function joined(words: readonly Word[]): Word {
  const hiddenAt = words.findIndex(({ isTruncated }) => isTruncated);
  return {
    text: words
      .slice(0, hiddenAt + 1)
      .map(({ text }) => text)
      .join(''),
    isTruncated: true,
  };
}

function wordsAgree(one: Word, other: Word): boolean {
  if (one.text === other.text) return true;
  return (
    (one.isTruncated && isPrefixOf(one.text, other.text)) || (other.isTruncated && isPrefixOf(other.text, one.text))
  );
}

// The complete last name before the first name, which may be an initial.
function isRotated(shown: readonly Word[], other: readonly Word[]): boolean {
  if (shown.length !== other.length) return false;
  const [last] = shown.slice(-1);
  if (last === undefined || last.text === '') return false;
  return other.slice(1).some((_, start) => {
    const rotated = [...other.slice(start + 1), ...other.slice(0, start + 1)];
    const agreesBeforeLast = shown.slice(0, -1).every(({ text }, at) => text !== '' && text === rotated[at]?.text);
    return agreesBeforeLast && isPrefixOf(last.text, rotated.at(-1)?.text ?? '');
  });
}
