import { UserError } from '../errors.ts';

/** Not an address of this machine, or no address at all. Database errors have been handled before. */
const NO_ADDRESS = new Set(['EADDRNOTAVAIL', 'ENOTFOUND']);

/** What is wrong and what to do about it, for start failures that a person can fix; undefined for a defect. */
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
  if (NO_ADDRESS.has(String(code)))
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

const CONNECTION = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ECONNRESET',
  'ENOENT',
]);

/**
 * The sentence for a PostgreSQL that can't be used. Never shows the address itself, which holds a password.
 * @param where the setting, or what else names it
 */
export function explainDatabaseFailure(error: unknown, where = 'DATABASE_URL'): string | undefined {
  const { code = '', message, syscall, path } = error as NodeJS.ErrnoException;
  // The driver reads the files of sslrootcert, sslcert and sslkey.
  if (syscall === 'open' && path !== undefined) {
    return `${path}, which ${where} names, can't be read (${code}): check sslrootcert, sslcert and sslkey.`;
  }
  if (CONNECTION.has(code) || /timeout|terminated|SSL connection/i.test(message)) {
    return `No PostgreSQL answers at ${where} (${code || message}): check host and port, and that it runs.`;
  }
  if (code === '28P01' || code === '28000') return `PostgreSQL refuses user or password of ${where}: ${message}.`;
  if (code === '3D000') return `The database of ${where} does not exist: ${message}. Create it first.`;
  if (code === '42501') return `The user of ${where} may not change this database: ${message}.`;
  if (code === '53300') return `PostgreSQL at ${where} has no free connection: ${message}.`;
  return undefined;
}
