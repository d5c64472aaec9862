import { ApiFailure } from '../api/errors.ts';
import { storedToken } from '../api/session.ts';
import { currentLanguage, hasNamespace, i18n } from '../i18n/i18n.ts';

/**
 * Text of a failure: the translation of its code, else the server's message. Every failed call loads `errors`; if that
 * fails too, the connection is the cause.
 */
export function failureText(failure: unknown): string {
  if (failure instanceof ApiFailure && failure.isUnsent) return i18n.t('common:offline.unsent');
  if (!hasNamespace(currentLanguage(), 'errors')) return i18n.t('common:noAnswer');
  if (!(failure instanceof ApiFailure)) return i18n.t('errors:errorMsg.INTERNAL_SERVER_ERROR');
  if (failure.message === 'no-answer') return i18n.t('common:noAnswer');
  if (failure.message === 'timeout') return i18n.t(storedToken() ? 'errors:timeout.member' : 'errors:timeout.visitor');
  return errorTranslation(failure.message) ?? failure.message;
}

/** Translation `errorMsg.<code>`; undefined without one, or before `errors` has loaded. */
export function errorTranslation(code: string): string | undefined {
  const words: unknown = i18n.getResource(i18n.language, 'errors', ['errorMsg', code] as never);
  return typeof words === 'string' ? words : undefined;
}
