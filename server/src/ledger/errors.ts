import { sqlState, violatedConstraint } from '../platform/database/database.ts';
import { DatabaseUnavailable } from '../platform/database/errors.ts';
import { Unavailable } from '../platform/errors.ts';

/** Nothing was sent: the queue of the lane is full, or the ledger is closing. Retry soon. */
export class LedgerBusy extends Unavailable {
  override readonly name = 'LedgerBusy';

  constructor(message: string) {
    super(message, { retryAfterSeconds: 1 });
  }
}

/** The database did not answer after all retries. The outcome is unknown until the same key is sent again. */
export class LedgerUnavailable extends Unavailable {
  override readonly name = 'LedgerUnavailable';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { ...options, retryAfterSeconds: 5 });
  }
}

/**
 * How to handle a failed call: retry on the same connection (`again`), retry on a new one (`reconnect`), or `poison`:
 * it fails every time.
 */
export type RetryAction = 'again' | 'reconnect' | 'poison';

// Deadlock, serialisation failure, lock or statement timeout, a key that another lane wrote concurrently, memory or
// disk temporarily exhausted.
const AGAIN = new Set(['40001', '40P01', '55P03', '57014', '53000', '53100', '53200']);
// Shut down, crashed, starting up, too many connections, a standby, a lost connection.
const RECONNECT = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006']);

const UNIQUE = ['operation_key', 'account_owner'];

/** @param unique constraints that a command violates only when another lane wrote the same rows concurrently */
export function retryActionFor(error: unknown, unique: readonly string[] = []): RetryAction {
  const code = sqlState(error instanceof DatabaseUnavailable ? error.cause : error);
  // An error of the driver or the socket, not of the database: EPIPE only looks like an SQLSTATE.
  if (code === '') return 'reconnect';
  if (AGAIN.has(code)) return 'again';
  const constraint = violatedConstraint(error);
  if (code === '23505' && [...UNIQUE, ...unique].includes(constraint ?? '')) return 'again';
  return RECONNECT.has(code) || code.startsWith('08') ? 'reconnect' : 'poison';
}
