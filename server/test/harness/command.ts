import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type CommandName, runKrapao } from '../../src/cli/krapao.ts';
import { CHILD_ENVIRONMENT } from './child-environment.ts';
import type { System } from './system.ts';

const PROGRAM = join(import.meta.dirname, '../../src/cli/krapao.ts');

/** Exit status, and what was written to standard output and standard error. */
export type Ended = { status: number; output: string };

/** Runs an operator command on the database of a system, in the process of the test. */
export async function runCommand(
  { databaseUrl }: Pick<System, 'databaseUrl'>,
  command: CommandName,
  args: readonly string[] = [],
  /** More of its environment, for example the DATA_DIR that holds its outside.json. */
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  let output = '';
  const print = (text: string): void => void (output += text);
  const status = await runKrapao([command, ...args], {
    environment: { DATABASE_URL: databaseUrl, ...environment },
    isTerminal: false,
    print,
    printError: print,
  });
  return { status, output };
}

/** The same as a process, for settings that apply to a whole process. */
export async function runCommandProcess(
  { databaseUrl }: Pick<System, 'databaseUrl'>,
  command: CommandName,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  /** Maximum size of a file that it writes, a multiple of 512; larger writes fail, as on a full disk. */
  fileBytesMax?: number,
): Promise<Ended> {
  const node = [process.execPath, PROGRAM, command, ...args];
  const limited = ['sh', '-c', `ulimit -f ${(fileBytesMax ?? 0) / 512}; exec "$@"`, 'sh', ...node];
  const [file, ...fileArgs] = (fileBytesMax === undefined ? node : limited) as [string, ...string[]];
  const child = spawn(file, fileArgs, {
    env: { ...CHILD_ENVIRONMENT, DATABASE_URL: databaseUrl, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (output += String(chunk)));
  const [status] = (await once(child, 'close')) as [number];
  return { status, output };
}
