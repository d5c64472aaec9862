import { i18n } from '../i18n/i18n.ts';
import { ApiFailure, failureText } from './failure.ts';

/** Words that tell refusals of theirs more precisely than the catalogue of errors does. */
type Teller = 'transfer' | 'bonus' | 'refund' | 'deposit' | 'errors';

/**
 * Why something was refused: more precise than the words of its code where the server told more, for then the money
 * isn't always where those say that it is. The words of `teller` must be loaded.
 */
export function refusalText(failure: unknown, teller: Teller): string {
  const told = failure instanceof ApiFailure ? (failure.detail ?? failure.message) : undefined;
  const words: unknown = told && i18n.getResource(i18n.language, teller, ['refused', told] as never);
  return typeof words === 'string' ? words : failureText(failure);
}

/**
 * What is told of a movement whose outcome nobody knows: what happened, and that trying again doesn't move the money twice.
 * The words of `teller` must be loaded.
 */
export function undecidedWords(failure: unknown, teller: 'transfer' | 'withdraw'): string[] {
  if (failure instanceof ApiFailure && failure.isUnknown) return [i18n.t(`${teller}:unknown`)];
  return [failureText(failure), i18n.t(`${teller}:unknownOnce`)];
}
