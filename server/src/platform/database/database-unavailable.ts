import pg from 'pg';
import { Unavailable } from '../unavailable.ts';

const RETRY_AFTER_SECONDS = 5;

/** Shut down, crashed, starting up, or an idle session or transaction that was terminated. */
const CONNECTION_ENDED = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);
/**
 * Too many connections, disk full, out of memory, a read-only database, a statement over its limit: it waited behind
 * others, for example behind a commit that waits for a standby.
 */
const REFUSED = new Set(['53300', '53400', '53100', '53200', '25006', '57014']);
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
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed)/;

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
  const { code = '' } = error as { code?: string };
  const isConnection = code.startsWith('08') && code !== '08P01';
  const isLost =
    error instanceof pg.DatabaseError
      ? isConnection || CONNECTION_ENDED.has(code)
      : isSocketFailure(error) || DRIVER_FAILED.test(error.message);
  const isRefused = error instanceof pg.DatabaseError && REFUSED.has(code);
  return isLost || isRefused ? new DatabaseUnavailable(error.message, { code, isLost, cause: error }) : error;
}

// A missing socket file means that the database isn't running.
function isSocketFailure(error: NodeJS.ErrnoException): boolean {
  const { code = '', syscall } = error;
  return SOCKET_FAILED.has(code) || (code === 'ENOENT' && syscall === 'connect');
}
