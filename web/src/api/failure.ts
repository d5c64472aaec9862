import { i18n } from '../i18n/i18n.ts';

/** The request got no answer at all. */
export type NoAnswer = 'no-answer' | 'timeout';

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

  /** Nothing came back: nobody knows what the server did. */
  get isUnknown(): boolean {
    return this.status === 0;
  }
}

/**
 * The words for a failure: the translation of its code if there is one, else what the server said.
 * `errors` must be loaded, which every failed call sees to.
 */
export function failureText(failure: unknown): string {
  if (!(failure instanceof ApiFailure)) return i18n.t('errors:errorMsg.INTERNAL_SERVER_ERROR');
  if (failure.message === 'no-answer') return i18n.t('common:noAnswer');
  if (failure.message === 'timeout') return i18n.t('common:timeout');
  const words: unknown = i18n.getResource(i18n.language, 'errors', ['errorMsg', failure.message] as never);
  return typeof words === 'string' ? words : failure.message;
}
