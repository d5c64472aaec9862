import { UserError } from '../errors.ts';

/** The address is not of this machine, or is none. Database errors have been handled before. */
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
  'ECONNRESET',
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
  if (CONNECTION_ERROR_CODES.has(code) || /timeout|terminated|SSL connection/i.test(message)) {
    return `No PostgreSQL answers at ${settingName} (${code || message}): check host and port, and that it runs.`;
  }
  if (code === '28P01' || code === '28000') return `PostgreSQL refuses user or password of ${settingName}: ${message}.`;
  if (code === '3D000') return `The database of ${settingName} does not exist: ${message}. Create it first.`;
  if (code === '42501') return `The user of ${settingName} may not change this database: ${message}.`;
  if (code === '53300') return `PostgreSQL at ${settingName} has no free connection: ${message}.`;
  return undefined;
}
