import { i18n } from '../../i18n/i18n.ts';
import { ApiFailure } from '../../api/failure.ts';
import { failureText, translationOf } from './failure-text.ts';

/** Files of words with a section `refused` that explains the details of failures. */
type Teller = 'transfer' | 'withdraw' | 'bonus' | 'refund' | 'deposit' | 'errors';

/** Details that say where the money is. The general text of their code would say something else, which is not true. */
const MONEY_DETAILS: readonly string[] = ['CREDIT_NOT_CONFIRMED', 'QR_PAID', 'QR_EXPIRED', 'GATEWAY_UNKNOWN'];

/** The explanation of a failure's detail in the words of `teller`, which must be loaded; undefined without one. */
export function detailText(failure: unknown, teller: Teller): string | undefined {
  const told = failure instanceof ApiFailure ? (failure.detail ?? failure.message) : undefined;
  const words: unknown = told && i18n.getResource(i18n.language, teller, ['refused', told] as never);
  return typeof words === 'string' ? words : undefined;
}

/** The translation of a failure's code, and below it what explains it; only the explanation where the code has no translation. */
export function withDetail(failure: unknown, detail: string | undefined): string {
  if (detail === undefined) return failureText(failure);
  const replaces = failure instanceof ApiFailure && MONEY_DETAILS.includes(failure.detail ?? '');
  const general = failure instanceof ApiFailure && !replaces ? translationOf(failure.message) : undefined;
  return general === undefined ? detail : `${general}\n${detail}`;
}

/** Why something was refused: the translation of the code, and the explanation of its detail on a line of its own. */
export const refusalText = (failure: unknown, teller: Teller): string =>
  withDetail(failure, detailText(failure, teller));

/**
 * The words for a movement whose outcome is unknown: what happened, and that a retry doesn't move the money twice.
 * The words of `teller` must be loaded.
 */
export function undecidedWords(failure: unknown, teller: 'transfer' | 'withdraw'): string[] {
  if (failure instanceof ApiFailure && failure.isUnknown) return [i18n.t(`${teller}:unknown`)];
  return [failureText(failure), i18n.t(`${teller}:unknownOnce`)];
}
