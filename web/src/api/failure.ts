import { currentLanguage, hasWords, i18n } from '../i18n/i18n.ts';
import { storedToken } from './session.ts';

/** The request got no answer at all; `offline`: nor was it sent. */
export type NoAnswer = 'no-answer' | 'timeout' | 'offline';

/**
 * A call that failed. `message` is the server's code (or its raw words), or {@link NoAnswer} when nothing came back;
 * `status` is the HTTP status, 0 without an answer; `detail` and `requestId` as the server told.
 */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly detail: string | undefined;
  readonly requestId: string | undefined;

  constructor(message: string, status: number, more: { detail?: string; requestId?: string } = {}) {
    super(message);
    this.status = status;
    this.detail = more.detail;
    this.requestId = more.requestId;
  }

  /** Nothing came back. */
  get isSilence(): boolean {
    return this.status === 0;
  }

  /** Nothing came back to what was sent: nobody knows what the server did. */
  get isUnknown(): boolean {
    return this.isSilence && !this.isUnsent;
  }

  /** It never left: the server has done nothing. */
  get isUnsent(): boolean {
    return this.isSilence && this.message === 'offline';
  }

  /** It was decided, and its money is not in the wallet yet: it comes by itself. */
  get isComing(): boolean {
    return this.detail === 'CREDIT_NOT_CONFIRMED';
  }
}

/**
 * The words for a failure: the translation of its code if there is one, else what the server said.
 * Every failed call loads `errors`; where it didn't come, the line is what is wrong.
 */
export function failureText(failure: unknown): string {
  if (failure instanceof ApiFailure && failure.isUnsent) return i18n.t('common:offline.unsent');
  if (!hasWords(currentLanguage(), 'errors')) return i18n.t('common:noAnswer');
  if (!(failure instanceof ApiFailure)) return i18n.t('errors:errorMsg.INTERNAL_SERVER_ERROR');
  if (failure.message === 'no-answer') return i18n.t('common:noAnswer');
  if (failure.message === 'timeout') return i18n.t(storedToken() ? 'errors:timeout.member' : 'errors:timeout.visitor');
  return translationOf(failure.message) ?? failure.message;
}

/** The translation of `errorMsg.<code>`; undefined without one, or before the words of `errors` are loaded. */
export function translationOf(code: string): string | undefined {
  const words: unknown = i18n.getResource(i18n.language, 'errors', ['errorMsg', code] as never);
  return typeof words === 'string' ? words : undefined;
}
