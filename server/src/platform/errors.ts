import { type ErrorCode, errorStatus, type Unmet } from '@krapao/contract/errors';

/**
 * An expected failure with a code of the catalogue. A use case throws it; the reply is `{message: code, detail}` with
 * the status of the code. Any other error is a defect and replies INTERNAL_SERVER_ERROR.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  /** Detail that the code does not express: UPPER_CASE or the path of a field; never a secret. */
  readonly detail: string | undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds: number | undefined;
  /** All unmet requirements, if several were checked; the first is `code`. */
  readonly unmet: readonly Unmet[] | undefined;
  /** Key of the refused movement of money, if it was stored. */
  readonly reference: string | undefined;
  /** HTTP status: of the code, unless the thrower overrides it. */
  readonly status: number;

  constructor(
    code: ErrorCode,
    options: {
      detail?: string;
      retryAfterSeconds?: number;
      status?: number;
      cause?: unknown;
      unmet?: readonly Unmet[];
      reference?: string;
    } = {},
  ) {
    super(options.detail ? `${code} ${options.detail}` : code, { cause: options.cause });
    this.code = code;
    this.detail = options.detail;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.unmet = options.unmet;
    this.reference = options.reference;
    this.status = options.status ?? errorStatus[code];
  }
}

/**
 * A dependency of the server is temporarily unavailable: overloaded, or the database is down. Sent as 503 with
 * Retry-After; the outcome of the command is unknown until it is retried with the same key, unless the thrower
 * documents otherwise.
 */
export class Unavailable extends Error {
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds: number;

  constructor(message: string, options: { retryAfterSeconds: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A start failure that a person can fix. Only its message is printed, without a stack. */
export class UserError extends Error {
  override readonly name = 'CannotStart';
}

/** The `default` of an exhaustive switch: a missing case is a compile error. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${String(value)}`);
}
