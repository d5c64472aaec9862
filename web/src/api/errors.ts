/** No reply at all; `offline`: not sent either. */
export type NoReply = 'no-answer' | 'timeout' | 'offline';

/** An unmet requirement reported by the server. */
export type UnmetRequirement = { code: string; detail?: string | null | undefined };

/**
 * A failed call. `message` is the server's code (or its raw text), or {@link NoReply} without a reply; `status` is the
 * HTTP status, 0 without a reply; `detail` and `requestId` come from the server.
 */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
  /** All unmet requirements; empty unless the server reported several. */
  readonly unmet: readonly UnmetRequirement[];

  constructor(
    message: string,
    status: number,
    more: { detail?: string; requestId?: string; unmet?: readonly UnmetRequirement[] } = {},
  ) {
    super(message);
    this.status = status;
    this.detail = more.detail;
    this.requestId = more.requestId;
    this.unmet = more.unmet ?? [];
  }

  /** No reply. */
  get isSilence(): boolean {
    return this.status === 0;
  }

  /** Sent without a reply: the server's outcome is unknown. */
  get isUnknown(): boolean {
    return this.isSilence && !this.isUnsent;
  }

  /** Not sent: the server did nothing. */
  get isUnsent(): boolean {
    return this.isSilence && this.message === 'offline';
  }

  /** Decided, but the money is not in the wallet yet; it follows without another call. */
  get isComing(): boolean {
    return this.detail === 'CREDIT_NOT_CONFIRMED';
  }
}

/**
 * Whether the outcome is unknown. A refusal with a code (even a 502) is a reply; too busy (503) is none: an earlier
 * attempt may still be executed.
 */
export const isUndecided = (failure: unknown): boolean =>
  failure instanceof ApiFailure &&
  (failure.isUnknown || failure.message === 'INTERNAL_SERVER_ERROR' || isBusy(failure));

/** Whether the request was not sent because there was no connection. */
export const wasNotSent = (failure: unknown): boolean => failure instanceof ApiFailure && failure.isUnsent;

const isBusy = ({ status, message }: ApiFailure): boolean => status === 503 && message === 'REQUEST_LIMIT';

/** Effects of failures on the whole app. The transport knows no pages and displays nothing. */
export type FailureHandler = {
  /**
   * Runs before the failure reaches its caller.
   * @param token of the call; @param isVisitor no session depends on the call
   */
  onFailure: (failure: ApiFailure, token: string | null, isVisitor: boolean) => Promise<void>;
  /** The server has ended the session of this token. */
  onSessionEnded: (failure: ApiFailure, token: string) => Promise<void>;
};

/** Set once, when the app starts. */
export let failureHandler: FailureHandler | undefined;

export function setFailureHandler(handler: FailureHandler): void {
  failureHandler = handler;
}

/** Logs a failure that the app doesn't show, to the browser's console. */
export function logFailure(what: string, failure: unknown): void {
  // oxlint-disable-next-line no-console -- this is the one place where the app logs
  console.error(what, failure);
}
