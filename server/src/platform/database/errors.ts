import pg from 'pg';
import { Unavailable } from '../errors.ts';

const RETRY_AFTER_SECONDS = 5;

/** SQLSTATEs of an ended connection: shutdown, crash, start, or a terminated idle session or transaction. */
const CONNECTION_ENDED_STATES = new Set(['57P01', '57P02', '57P03', '57P05', '25P03']);
/** SQLSTATE of a write in a read-only session. */
export const READ_ONLY_TRANSACTION = '25006';
const FEATURE_NOT_SUPPORTED = '0A000';
/**
 * SQLSTATEs of refusals: too many connections or open files, disk full or faulty, out of memory, read-only database,
 * statement timeout. A statement times out when it waits behind others, for example behind a commit that waits for a
 * standby.
 */
const REFUSED_STATES = new Set(['53000', '53100', '53200', '53300', '53400', '58030', READ_ONLY_TRANSACTION, '57014']);
/** Severities that end the session, for example when a full disk prevents its start. Their SQLSTATE varies. */
const SESSION_END_SEVERITIES = new Set(['FATAL', 'PANIC']);
const SOCKET_ERROR_CODES = new Set([
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
/** Failures of connecting to a Unix socket: absent, or its queue is full because the server accepts nothing. */
const CONNECT_ERROR_CODES = new Set(['ENOENT', 'EAGAIN']);
// Messages of the driver's own errors, which carry no code.
const DRIVER_ERROR_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|There was an error establishing an SSL connection)/;

/** The database can't serve the call for the moment: connection lost, silent, refusing connections or writes. */
export class DatabaseUnavailable extends Unavailable {
  override readonly name = 'DatabaseUnavailable';
  /** SQLSTATE or the code of the socket error; '' when there is none. */
  readonly code: string;
  /** Whether the connection ended before a reply came: a retry on another connection may succeed. */
  readonly isLost: boolean;
  /** Whether the database keeps the connection and does not reply. */
  readonly isSilent: boolean;

  constructor(message: string, options: { code?: string; isLost: boolean; isSilent?: boolean; cause?: unknown }) {
    super(message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: options.cause });
    this.code = options.code ?? '';
    this.isLost = options.isLost;
    this.isSilent = options.isSilent ?? false;
  }
}

/** Maps a driver error to {@link DatabaseUnavailable} where it is one; returns every other error unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Unavailable) return error;
  const code = isStandbyError(error) ? READ_ONLY_TRANSACTION : ((error as { code?: string }).code ?? '');
  const isConnection = code.startsWith('08') && code !== '08P01';
  const isRefused = error instanceof pg.DatabaseError && REFUSED_STATES.has(code);
  const isLost =
    error instanceof pg.DatabaseError
      ? isConnection || CONNECTION_ENDED_STATES.has(code) || (isSessionEnd(error) && !isRefused)
      : isSocketFailure(error) || DRIVER_ERROR_MESSAGE.test(error.message);
  return isLost || isRefused ? new DatabaseUnavailable(error.message, { code, isLost, cause: error }) : error;
}

/** Serialisation failure, deadlock, lock timeout. */
const WRITE_CONFLICT_STATES = new Set(['40001', '40P01', '55P03']);

/** Character not in repertoire (NUL in a text), untranslatable character (NUL or a lone surrogate in JSON). */
const UNSTORABLE_TEXT_STATES = new Set(['22021', '22P05']);

/** Whether the database refused a text because of its characters. */
export const isUnstorableText = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && UNSTORABLE_TEXT_STATES.has(error.code ?? '');

/** Whether a retry may succeed: the database is unavailable, or two writes conflicted. */
export function isTemporary(error: unknown): boolean {
  if (asUnavailable(error) instanceof Unavailable) return true;
  return error instanceof pg.DatabaseError && WRITE_CONFLICT_STATES.has(error.code ?? '');
}

const isSessionEnd = ({ severity = '' }: pg.DatabaseError): boolean => SESSION_END_SEVERITIES.has(severity);

// Error of a recovering server, which can't plan for an unlogged table: the session's server was a primary and is a
// standby now.
const isStandbyError = (error: Error): boolean =>
  error instanceof pg.DatabaseError && error.code === FEATURE_NOT_SUPPORTED && error.routine === 'get_relation_info';

// Whether the socket failed. A missing socket file means that the database isn't running.
function isSocketFailure(error: NodeJS.ErrnoException): boolean {
  const { code = '', syscall } = error;
  return SOCKET_ERROR_CODES.has(code) || (syscall === 'connect' && CONNECT_ERROR_CODES.has(code));
}
