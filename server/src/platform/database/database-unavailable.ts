import pg from 'pg';
import { Unavailable } from '../unavailable.ts';

const RETRY_AFTER_SECONDS = 5;

/** Shut down, crashed, starting up, an idle session or transaction that was ended. */
const CONNECTION_ENDED = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);
/** Too many connections, no disk, no memory, a database that takes no writes. */
const REFUSED = new Set(['53300', '53400', '53100', '53200', '25006']);
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
// The driver gives its own failures no code.
const DRIVER_FAILED =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** The database can't serve the call for the moment: lost, silent, refusing connections or writes. */
export class DatabaseUnavailable extends Unavailable {
  override readonly name = 'DatabaseUnavailable';
  /** SQLSTATE or the code of the socket's failure; '' when there is none. */
  readonly code: string;
  /** The connection ended before an answer came: another connection may give one. */
  readonly isLost: boolean;

  constructor(message: string, options: { code?: string; isLost: boolean; cause?: unknown }) {
    super(message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: options.cause });
    this.code = options.code ?? '';
    this.isLost = options.isLost;
  }
}

/** A failure of the driver as {@link DatabaseUnavailable} where it is one; every other error as it is. */
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

// A socket file that is missing is a database that isn't started.
function isSocketFailure(error: NodeJS.ErrnoException): boolean {
  const { code = '', syscall } = error;
  return SOCKET_FAILED.has(code) || (code === 'ENOENT' && syscall === 'connect');
}
