import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type CommandName, runKrapao } from '../../src/cli/krapao.ts';
import { CHILD_ENVIRONMENT } from './child-environment.ts';
import type { System } from './system.ts';

const CLI_PATH = join(import.meta.dirname, '../../src/cli/krapao.ts');

/** Exit status, and the text of standard output and standard error. */
export type CommandResult = { status: number; output: string };

/** Runs an operator command on the database of a system, in the process of the test. */
export async function runCommand(...call: Parameters<typeof runCommandStreams>): Promise<CommandResult> {
  const { status, output } = await runCommandStreams(...call);
  return { status, output };
}

/** The same, with the text of standard output alone as `stdout`. */
export async function runCommandStreams(
  { databaseUrl }: Pick<System, 'databaseUrl'>,
  command: CommandName,
  args: readonly string[] = [],
  /** Additional environment, for example the DATA_DIR with its outside.json. */
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult & { stdout: string }> {
  let [output, stdout] = ['', ''];
  const appendOutput = (text: string): void => void (output += text);
  const status = await runKrapao([command, ...args], {
    environment: { DATABASE_URL: databaseUrl, ...environment },
    isTerminal: false,
    print: (text) => {
      stdout += text;
      appendOutput(text);
    },
    printError: appendOutput,
  });
  return { status, output, stdout };
}

/** Runs a command as a process, for settings that apply to a whole process. */
export async function runCommandProcess(
  { databaseUrl }: Pick<System, 'databaseUrl'>,
  command: CommandName,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  /** Maximum size of written files, a multiple of 512; larger writes fail, like on a full disk. */
  fileBytesMax?: number,
): Promise<CommandResult> {
  const node = [process.execPath, CLI_PATH, command, ...args];
  const commandWithLimit = ['sh', '-c', `ulimit -f ${(fileBytesMax ?? 0) / 512}; exec "$@"`, 'sh', ...node];
  const [file, ...fileArgs] = (fileBytesMax === undefined ? node : commandWithLimit) as [string, ...string[]];
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
