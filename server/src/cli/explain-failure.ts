import { resolve } from 'node:path';
import { sqlState } from '../platform/database/database.ts';
import type { Config } from '../platform/config.ts';
import { frozenPostmaster } from '../platform/database/embedded-postgres/process.ts';
import { UserError } from '../platform/errors.ts';
import { DatabaseUnavailable } from '../platform/database/errors.ts';
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
  return `The command failed unexpectedly: ${oneLine(message)}${placeOf(error)}. Report this line.`;
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
  const explanation =
    isDatabaseFailure(error) || isConnectFailure(error) ? explainDatabaseFailure(error, place) : undefined;
  return explanation === undefined ? error : new UserError(explanation, { cause: error });
}

/** Whether the driver could not open a connection. */
const isConnectFailure = (error: unknown): boolean => {
  const { syscall = '' } = error as NodeJS.ErrnoException;
  return ['connect', 'getaddrinfo', 'open'].includes(syscall) || /SSL connection|^SASL/.test((error as Error).message);
};

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').replace(/\.$/, '');

/** File and line of this program at which the error was thrown. */
function placeOf({ stack = '' }: Error): string {
  const place = /\/((?:server|contract|tools)\/[^\s()]+:\d+):\d+/.exec(stack)?.[1];
  return place === undefined ? '' : ` (${place})`;
}
