import pg from 'pg';
import { Unavailable } from '../errors.ts';

const RETRY_AFTER_SECONDS = 5;

/** Shut down, crashed, starting up, or an idle session or transaction that was terminated. */
const CONNECTION_ENDED = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);
/** What a session is refused with in a database that takes no writes. */
export const READ_ONLY_TRANSACTION = '25006';
const FEATURE_NOT_SUPPORTED = '0A000';
/**
 * Too many connections, disk full, out of memory, a read-only database, a statement over its limit: it waited behind
 * others, for example behind a commit that waits for a standby.
 */
const REFUSED = new Set(['53300', '53400', '53100', '53200', READ_ONLY_TRANSACTION, '57014']);
const SOCKET_FAILED = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);
// The driver's own errors carry no code.
const DRIVER_FAILED =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|There was an error establishing an SSL connection)/;

/** The database can't serve the call for the moment: lost, silent, refusing connections or writes. */
export class DatabaseUnavailable extends Unavailable {
  override readonly name = 'DatabaseUnavailable';
  /** SQLSTATE or the code of the socket error; '' when there is none. */
  readonly code: string;
  /** The connection ended before an answer came: a retry on another connection may succeed. */
  readonly isLost: boolean;

  constructor(message: string, options: { code?: string; isLost: boolean; cause?: unknown }) {
    super(message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: options.cause });
    this.code = options.code ?? '';
    this.isLost = options.isLost;
  }
}

/** Maps a driver error to {@link DatabaseUnavailable} where it is one; returns every other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Unavailable) return error;
  const code = isOfStandby(error) ? READ_ONLY_TRANSACTION : ((error as { code?: string }).code ?? '');
  const isConnection = code.startsWith('08') && code !== '08P01';
  const isLost =
    error instanceof pg.DatabaseError
      ? isConnection || CONNECTION_ENDED.has(code)
      : isSocketFailure(error) || DRIVER_FAILED.test(error.message);
  const isRefused = error instanceof pg.DatabaseError && REFUSED.has(code);
  return isLost || isRefused ? new DatabaseUnavailable(error.message, { code, isLost, cause: error }) : error;
}

/** Serialisation failure, deadlock, lock timeout. */
const WRITE_CONFLICTS = new Set(['40001', '40P01', '55P03']);

/** Character not in repertoire (NUL in a text), untranslatable character (NUL or a lone surrogate in JSON). */
const UNSTORABLE = new Set(['22021', '22P05']);

/** Whether the database refused a text because of its characters. */
export const isUnstorableText = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && UNSTORABLE.has(error.code ?? '');

/** Whether a retry may succeed: the database is unavailable, or the write conflicted with another. */
export function isTemporary(error: unknown): boolean {
  if (asUnavailable(error) instanceof Unavailable) return true;
  return error instanceof pg.DatabaseError && WRITE_CONFLICTS.has(error.code ?? '');
}

// An unlogged table can't be planned for in a server that recovers: the session was opened to a primary that is a standby now,
// or leads to one.
const isOfStandby = (error: Error): boolean =>
  error instanceof pg.DatabaseError && error.code === FEATURE_NOT_SUPPORTED && error.routine === 'get_relation_info';

// A missing socket file means that the database isn't running.
function isSocketFailure(error: NodeJS.ErrnoException): boolean {
  const { code = '', syscall } = error;
  return SOCKET_FAILED.has(code) || (code === 'ENOENT' && syscall === 'connect');
}
