import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CHILD_ENVIRONMENT } from './child-environment.ts';
import type { System } from './system.ts';

export type Ended = { status: number; output: string };

/** Runs an operator's command as the process that it is, on the database of a system. */
export async function runCommand(
  { databaseUrl }: Pick<System, 'databaseUrl'>,
  command:
    | 'arrivals'
    | 'audit'
    | 'backup'
    | 'chat'
    | 'coins'
    | 'copy-database'
    | 'deposits'
    | 'doctor'
    | 'migrate'
    | 'offers'
    | 'operator-log'
    | 'payouts'
    | 'reconcile'
    | 'reencrypt'
    | 'restore'
    | 'slips'
    | 'transfers'
    | 'wheel',
  words: readonly string[] = [],
  /** More of its environment, for example the DATA_DIR that holds its outside.json. */
  environment: Readonly<Record<string, string>> = {},
  /** The most bytes that it may write to a file, a multiple of 512: more of them fail, as on a full disk. */
  fileMost?: number,
): Promise<Ended> {
  const program = join(import.meta.dirname, `../../src/cli/${command}.ts`);
  const line = [process.execPath, program, ...words];
  const limited = ['sh', '-c', `ulimit -f ${(fileMost ?? 0) / 512}; exec "$@"`, 'sh', ...line];
  const [file, ...args] = (fileMost === undefined ? line : limited) as [string, ...string[]];
  const child = spawn(file, args, {
    env: { ...CHILD_ENVIRONMENT, DATABASE_URL: databaseUrl, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (output += String(chunk)));
  const [status] = (await once(child, 'close')) as [number];
  return { status, output };
}
