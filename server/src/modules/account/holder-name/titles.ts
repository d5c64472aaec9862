import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { comparableSpelling } from './spelling.ts';

/** A group of `titles.json`. A title with dots is an abbreviation; its dots and blanks are optional. */
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

/** After a title without a blank: a letter that can begin a name, not a mark. */
const NAME = '(?=[\\p{Script=Latin}\u0e01-\u0e2e\u0e40-\u0e44\u0e81-\u0eae\u0ec0-\u0ec4\u0edc\u0edd(])';
const TWO_WORDS = '(?=\\S+ \\S)';

const FILE = join(import.meta.dirname, 'titles.json');
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
