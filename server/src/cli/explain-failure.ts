import { resolve } from 'node:path';
import type { Config } from '../platform/config.ts';
import { sqlState } from '../platform/database/database.ts';
import { frozenPostmaster } from '../platform/database/embedded-postgres/process.ts';
import { DatabaseUnavailable } from '../platform/database/errors.ts';
import { UserError } from '../platform/errors.ts';
import { explainDatabaseFailure } from '../platform/start/startup-errors.ts';

/** Explains why a command failed, in one sentence without a stack. */
export function explainFailure(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (!(error instanceof Error)) return `The command failed: ${String(error)}.`;
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return `The disk of ${path ?? 'a file that is written'} is full (${code}): free some space (docs/runbooks/disk-full.md).`;
  }
  if (isDatabaseFailure(error)) {
    const explanation = explainDatabaseFailure(error, 'the database');
    return explanation ?? `The database refused this: ${oneLine(message)} (${code ?? 'no code'}).`;
  }
  const fileExplanation = explainFileFailure(error);
  if (fileExplanation !== undefined) return fileExplanation;
  return `The command failed unexpectedly: ${oneLine(message)}${findThrowSite(error)}. Report this line.`;
}

/** Explanations of file errors, by errno code. */
const FILE_MISTAKES: Readonly<Record<string, string>> = {
  ENOENT: 'is missing',
  EACCES: 'may not be used by this user: check its owner',
  EPERM: 'may not be changed by this user: check its owner',
  EROFS: 'is on a read-only file system',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'is not a folder, or is in a file instead of one',
  ELOOP: 'is a link to itself',
  ENAMETOOLONG: 'has a name that is too long',
};

/**
 * A failure of the file system as a sentence that names the file and the mistake; undefined for any other error.
 * @param path as the operator wrote it; default: that of the error
 */
export function explainFileFailure(error: unknown, path?: string): string | undefined {
  const { code = '', syscall, path: failedPath } = error as NodeJS.ErrnoException;
  const shownPath = path ?? failedPath;
  if (syscall === undefined || shownPath === undefined) return undefined;
  // A folder is created unless it exists: then this is a file.
  const mistake = FILE_MISTAKES[code === 'EEXIST' && syscall === 'mkdir' ? 'ENOTDIR' : code];
  return mistake && `${shownPath} ${mistake} (${code}).`;
}

const isDatabaseFailure = (error: unknown): boolean => error instanceof DatabaseUnavailable || sqlState(error) !== '';

/** A failure of the database as a sentence that names its place; any other error unchanged. */
export function explainedLoss(
  error: unknown,
  { databaseUrl, dataDirectory }: Pick<Config, 'databaseUrl' | 'dataDirectory'>,
): unknown {
  if (error instanceof UserError) return error;
  const place = databaseUrl === undefined ? dataDirectory : 'DATABASE_URL';
  const frozenPid = databaseUrl === undefined ? frozenPostmaster(resolve(dataDirectory, 'postgres')) : undefined;
  if (frozenPid !== undefined && isDatabaseFailure(error)) {
    const sentence = `The database in ${dataDirectory} is frozen: its process ${frozenPid} is suspended. \`kill -CONT ${frozenPid}\` resumes it (docs/runbooks/database.md).`;
    return new UserError(sentence, { cause: error });
  }
  const isOfDatabase = isDatabaseFailure(error) || isConnectFailure(error, databaseUrl);
  const explanation = isOfDatabase ? explainDatabaseFailure(error, place) : undefined;
  return explanation === undefined ? error : new UserError(explanation, { cause: error });
}

/** Whether the driver could not open a connection, or a file that the URL names. */
function isConnectFailure(error: unknown, databaseUrl: string | undefined): boolean {
  const { syscall = '', path, message } = error as NodeJS.ErrnoException;
  if (syscall === 'open') return path !== undefined && isNamedIn(databaseUrl, path);
  return ['connect', 'getaddrinfo'].includes(syscall) || /SSL connection|^SASL/.test(message);
}

const isNamedIn = (databaseUrl: string | undefined, path: string): boolean =>
  databaseUrl !== undefined && [...new URL(databaseUrl).searchParams.values()].includes(path);

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').replace(/\.$/, '');

/** File and line of this program at which the error was thrown. */
function findThrowSite({ stack = '' }: Error): string {
  const place = /\/((?:server|contract|tools)\/[^\s()]+:\d+):\d+/.exec(stack)?.[1];
  return place === undefined ? '' : ` (${place})`;
}
