import { sqlState, violatedConstraint } from '../platform/database/database.ts';
import { DatabaseUnavailable } from '../platform/database/errors.ts';
import { Unavailable } from '../platform/errors.ts';

/** Nothing was sent: the lane's queue is full, or the ledger is closing. The caller may retry. */
export class LedgerBusy extends Unavailable {
  override readonly name = 'LedgerBusy';

  constructor(message: string) {
    super(message, { retryAfterSeconds: 1 });
  }
}

/** The database did not reply after all retries. The outcome is unknown until the caller sends the same key again. */
export class LedgerUnavailable extends Unavailable {
  override readonly name = 'LedgerUnavailable';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { ...options, retryAfterSeconds: 5 });
  }
}

/**
 * Reaction to a failed call. `again`: retry on the same connection. `reconnect`: retry on a new connection. `poison`:
 * do not retry, because the call fails every time.
 */
export type Recovery = 'again' | 'reconnect' | 'poison';

// Serialisation failure, deadlock, lock or statement timeout, exhausted memory or disk, and a faulty disk.
const RETRY_SQLSTATES = new Set(['40001', '40P01', '55P03', '57014', '53000', '53100', '53200', '53400', '58030']);
// Shutdown, crash, startup, too many connections, a standby, or a lost connection.
const RECONNECT_SQLSTATES = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '25006']);

/** Violated only if another lane wrote the same key or account concurrently. */
const LEDGER_UNIQUE_CONSTRAINTS = ['operation_key', 'account_owner'];

/**
 * @param retryableConstraints constraints that a command violates only if another lane wrote the same rows concurrently
 */
export function recoveryFor(error: unknown, retryableConstraints: readonly string[] = []): Recovery {
  const sqlStateCode = sqlState(error instanceof DatabaseUnavailable ? error.cause : error);
  // The error comes from the driver or the socket, not from the database: EPIPE only looks like an SQLSTATE.
  if (sqlStateCode === '') return 'reconnect';
  if (RETRY_SQLSTATES.has(sqlStateCode)) return 'again';
  if (error instanceof DatabaseUnavailable && error.isLost) return 'reconnect';
  const constraint = violatedConstraint(error);
  if (sqlStateCode === '23505' && [...LEDGER_UNIQUE_CONSTRAINTS, ...retryableConstraints].includes(constraint ?? ''))
    return 'again';
  return RECONNECT_SQLSTATES.has(sqlStateCode) || sqlStateCode.startsWith('08') ? 'reconnect' : 'poison';
}
