/**
 * A part of ours is temporarily unavailable: overloaded, or the database is down. Answered as 503 with Retry-After; the
 * outcome of the command is unknown until it is retried with the same key, unless the thrower says otherwise.
 */
export class Unavailable extends Error {
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds: number;

  constructor(message: string, options: { retryAfterSeconds: number; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
