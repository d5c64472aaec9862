import { comparableSpelling, isPrefixOf } from './spelling.ts';
import { stripTitles } from './titles.ts';

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
export function nameContradicts(shown: string, registered: string): boolean {
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
  const script = SCRIPTS.find(([, letters]) => letters.test(readings.at(-1) ?? ''))?.[0];
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
    const isSame = shown.slice(0, -1).every(({ text }, at) => text !== '' && text === rotated[at]?.text);
    return isSame && isPrefixOf(last.text, rotated.at(-1)?.text ?? '');
  });
}
