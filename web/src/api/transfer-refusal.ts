import { i18n } from '../i18n/i18n.ts';
import { ApiFailure, failureText } from './failure.ts';

/**
 * Why a transfer didn't go through: more precise than the words of its code where the server told more, for then the
 * money isn't always where those say that it is. `transfer` must be loaded.
 */
export function transferRefusalText(failure: unknown): string {
  const detail = failure instanceof ApiFailure ? failure.detail : undefined;
  const words: unknown = detail && i18n.getResource(i18n.language, 'transfer', ['refused', detail] as never);
  return typeof words === 'string' ? words : failureText(failure);
}
