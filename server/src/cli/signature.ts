import { UserError } from '../platform/errors.ts';
import { readSignature, type Signature } from '../platform/operator-log.ts';

/**
 * The arguments NAME WHY… of a command.
 * @param usage shown after what is wrong
 * @throws {UserError} one is missing or invalid, by its name
 */
export function requireSignature(by: string | undefined, reasonWords: readonly string[], usage: string): Signature {
  const signature = readSignature(by, reasonWords);
  if (signature) return signature;
  throw new UserError(`${explainSignature(by, reasonWords)} ${usage}`);
}

function explainSignature(by: string | undefined, reasonWords: readonly string[]): string {
  if (by === undefined) return 'NAME and WHY are missing.';
  if (!readSignature(by, ['a valid reason'])) {
    return `NAME is one word of at most 40 letters, digits, dots, underscores and hyphens, not ${JSON.stringify(by)}.`;
  }
  const length = reasonWords.join(' ').trim().length;
  if (length > 500) return `WHY has ${length} letters, and at most 500 fit.`;
  return length < 5 ? 'WHY needs at least five letters.' : 'WHY must be one line without control characters.';
}
