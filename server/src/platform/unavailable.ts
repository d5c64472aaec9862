/**
 * Something of ours can't answer for the moment: too much waits, or the database is away. Answered as 503 with
 * Retry-After; what the command did is unknown until it is sent again with the same key, unless its maker says otherwise.
 */
export class Unavailable extends Error {
  /** Seconds after which asking again makes sense. */
  readonly retryAfterSeconds: number;

  constructor(message: string, options: { retryAfterSeconds: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
