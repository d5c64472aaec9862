import { CannotStart } from './cannot-start.ts';

/**
 * The arguments of a command that has no options.
 * @param least how many it needs
 * @throws {CannotStart} with `usage`: too few, too many, or an option
 */
export function wordsOf(words: readonly string[], [least, most]: readonly [number, number], usage: string): string[] {
  if (words.length < least || words.length > most || words.some((word) => word.startsWith('-'))) {
    throw new CannotStart(usage);
  }
  return [...words];
}

/** A failure to write at a place that an operator named, as a sentence; any other error as it is. */
export function writeFailure(place: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const why = code === 'ENOSPC' ? 'its disk is full' : String(code);
  return new CannotStart(`${place} can't be written (${why}): name another place, or mend this one.`);
}
