import { currentLanguage, hasNamespace, i18n } from '../i18n/i18n.ts';
import { ApiFailure } from './errors.ts';
import { storedToken } from './session.ts';

/**
 * Text of a failure: the translation of its code, else the server's message. Every failed call loads the namespace
 * `errors`. If that also fails, the text names the connection as the cause.
 */
export function failureText(failure: unknown): string {
  if (failure instanceof ApiFailure && failure.isUnsent) return i18n.t('common:offline.unsent');
  if (!hasNamespace(currentLanguage(), 'errors')) return i18n.t('common:noAnswer');
  if (!(failure instanceof ApiFailure)) return i18n.t('errors:errorMsg.INTERNAL_SERVER_ERROR');
  if (failure.message === 'no-answer') return i18n.t('common:noAnswer');
  if (failure.message === 'timeout') return i18n.t(storedToken() ? 'errors:timeout.member' : 'errors:timeout.visitor');
  return errorTranslation(failure.message) ?? failure.message;
}

/** Translation of an error code in `errorMsg`; undefined if there is none or `errors` has not loaded. */
export function errorTranslation(code: string): string | undefined {
  const text: unknown = i18n.getResource(i18n.language, 'errors', ['errorMsg', code] as never);
  return typeof text === 'string' ? text : undefined;
}
