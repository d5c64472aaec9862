import { DatabaseUnavailable } from '../database/errors.ts';
import { UserError } from '../errors.ts';

/** The address does not belong to this machine, or is invalid. Database errors have been handled before. */
const UNKNOWN_ADDRESS_CODES = new Set(['EADDRNOTAVAIL', 'ENOTFOUND']);

/** Explains a start failure that a person can fix, with its remedy; undefined for a defect. */
export function explainStartFailure(
  error: unknown,
  settings: { port: number; metricsPort: number | undefined; dataDirectory: string },
): string | undefined {
  if (error instanceof UserError) return error.message;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  const port = (error as { port?: number }).port ?? settings.port;
  const setting = port === settings.metricsPort ? 'METRICS_PORT' : 'PORT';
  if (code === 'EADDRINUSE')
    return `Port ${port} is already taken: stop what uses it, or set ${setting} to another one.`;
  if (code === 'EACCES' && syscall === 'listen') {
    return `Port ${port} needs more rights: set ${setting} to one from 1024 on.`;
  }
  if (UNKNOWN_ADDRESS_CODES.has(String(code)))
    return 'HOST is not an address of this machine: leave it out, or set it to 0.0.0.0.';
  if (code === 'ENOSPC') return `The disk of ${settings.dataDirectory} is full: free some space and start again.`;
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return `${path ?? settings.dataDirectory} can't be written: check its owner, or set DATA_DIR to another folder.`;
  }
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return `${path ?? settings.dataDirectory} is not a folder: set DATA_DIR to another one.`;
  }
  return undefined;
}

const CONNECTION_ERROR_CODES = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
]);

/**
 * Explains why a PostgreSQL can't be used. Never shows its URL, which holds a password.
 * @param settingName name of the setting or of the database
 */
export function explainDatabaseFailure(error: unknown, settingName = 'DATABASE_URL'): string | undefined {
  const { code = '', message, syscall, path } = error as NodeJS.ErrnoException;
  // The driver reads the files of sslrootcert, sslcert and sslkey.
  if (syscall === 'open' && path !== undefined) {
    return `${path}, which ${settingName} names, can't be read (${code}): check sslrootcert, sslcert and sslkey.`;
  }
  const refusal = REFUSALS[code]?.(settingName, message);
  if (refusal !== undefined) return refusal;
  if (code === '57P03')
    return `PostgreSQL at ${settingName} takes no connections now: ${message}. Wait, or see its log.`;
  if (code.startsWith('57P')) return `PostgreSQL at ${settingName} ended the connection: ${message}. See its log.`;
  if (message.startsWith('SASL'))
    return `PostgreSQL asks for a password, and ${settingName} has none that fits: ${message}.`;
  if ((error instanceof DatabaseUnavailable && error.isSilent) || code === 'EAGAIN') {
    return `PostgreSQL at ${settingName} does not reply: its process or machine is frozen, or the network drops packets.`;
  }
  if (CONNECTION_ERROR_CODES.has(code) || /timeout|terminated|SSL connection/i.test(message)) {
    return `No PostgreSQL answers at ${settingName} (${code || message}): check host and port, and that it runs.`;
  }
  return undefined;
}

type Explain = (settingName: string, message: string) => string;
const refusedUser: Explain = (name, message) => `PostgreSQL refuses user or password of ${name}: ${message}.`;

/** Explanations of refusals by SQLSTATE. */
const REFUSALS: Readonly<Record<string, Explain>> = {
  '28P01': refusedUser,
  '28000': refusedUser,
  '3D000': (name, message) => `The database of ${name} does not exist: ${message}. Create it first.`,
  '42501': (name, message) => `The user of ${name} may not change this database: ${message}.`,
  '53100': (name, message) => `The disk of PostgreSQL at ${name} is full: ${message}. See docs/runbooks/disk-full.md.`,
  '53200': (name, message) => `PostgreSQL at ${name} is out of memory: ${message}.`,
  '53300': (name, message) => `PostgreSQL at ${name} has no free connection: ${message}.`,
  '58030': (name, message) => `The disk of PostgreSQL at ${name} fails: ${message}.`,
  '25006': (name, message) => `PostgreSQL at ${name} takes no writes: ${message}. It is a standby, or read-only.`,
  '57014': (name, message) => `PostgreSQL at ${name} ended a statement: ${message}. See what it waits for.`,
};
