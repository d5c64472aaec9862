/** Why there is no reply. With `offline` the request was not even sent. */
export type NoReply = 'no-answer' | 'timeout' | 'offline';

/** An unmet requirement reported by the server. */
export type UnmetRequirement = { code: string; detail?: string | null | undefined };

/**
 * A failed call. `message` is the server's error code or raw text, or {@link NoReply}. `status` is the HTTP status, 0
 * without a reply. `detail` and `requestId` come from the server.
 */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  readonly detail: string | undefined;
  readonly requestId: string | undefined;
  /** Key of the refused movement of money, if the server stored it. */
  readonly reference: string | undefined;
  /** Unmet requirements; empty unless the server reported several. */
  readonly unmet: readonly UnmetRequirement[];

  constructor(
    message: string,
    status: number,
    details: { detail?: string; requestId?: string; reference?: string; unmet?: readonly UnmetRequirement[] } = {},
  ) {
    super(message);
    this.status = status;
    this.detail = details.detail;
    this.requestId = details.requestId;
    this.reference = details.reference;
    this.unmet = details.unmet ?? [];
  }

  /** Whether there is no reply. */
  get hasNoReply(): boolean {
    return this.status === 0;
  }

  /** Whether the request was sent without a reply, so that the server's outcome is unknown. */
  get isUnknown(): boolean {
    return this.hasNoReply && !this.isUnsent;
  }

  /** Whether the request was not sent, so that the server did nothing. */
  get isUnsent(): boolean {
    return this.hasNoReply && this.message === 'offline';
  }

  /** Whether the claim is decided but its money is not in the wallet yet. The credit follows without another call. */
  get isCreditPending(): boolean {
    return this.detail === 'CREDIT_NOT_CONFIRMED';
  }
}

/**
 * Whether the outcome of the request is unknown. A refusal with a code, even with status 502, is an outcome. "Too busy"
 * (503) is not: the server may still execute an earlier attempt.
 */
export const isUndecided = (failure: unknown): boolean =>
  failure instanceof ApiFailure &&
  (failure.isUnknown || failure.message === 'INTERNAL_SERVER_ERROR' || isRequestLimit(failure));

/** Whether the request was not sent for lack of a connection. */
export const wasNotSent = (failure: unknown): boolean => failure instanceof ApiFailure && failure.isUnsent;

const isRequestLimit = ({ status, message }: ApiFailure): boolean => status === 503 && message === 'REQUEST_LIMIT';

/** App-wide effects of failures. `call.ts` knows no pages and displays nothing. */
export type FailureHandler = {
  /**
   * Runs before the caller receives the failure.
   * @param token session token of the call
   * @param isVisitor whether the call needs no session
   */
  onFailure: (failure: ApiFailure, token: string | null, isVisitor: boolean) => Promise<void>;
  /** Runs when the server has ended the session with this token. */
  onSessionEnded: (token: string) => void;
};

/** Handler of all failures; set once when the app starts. */
export let failureHandler: FailureHandler | undefined;

export function setFailureHandler(handler: FailureHandler): void {
  failureHandler = handler;
}

/** Logs a failure to the console if the app doesn't display it. */
export function logFailure(failedAction: string, failure: unknown): void {
  // oxlint-disable-next-line no-console -- this is the one place where the app logs
  console.error(failedAction, failure);
}
