import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Outside } from '../../src/outside.ts';
import type { System } from '../harness/system.ts';

const STATEMENT_TIMEOUT_MS = 10_000;

/** Statements are long: whoever reads them takes their time. */
export function patientOutside({ outside }: Pick<System, 'outside'>): Outside {
  const { bank, walletApp } = outside;
  const timeoutMs = STATEMENT_TIMEOUT_MS;
  return { ...outside, bank: { ...bank, timeoutMs }, ...(walletApp && { walletApp: { ...walletApp, timeoutMs } }) };
}

/** Runs an operator's command as the process that it is. `directory` holds its outside.json. */
export async function runCommand(
  { databaseUrl }: Pick<System, 'databaseUrl'>,
  directory: string,
  command: 'reconcile' | 'payouts',
  ...words: string[]
): Promise<{ status: number; output: string }> {
  const program = join(import.meta.dirname, `../../src/commands/${command}.ts`);
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env['PATH'], DATABASE_URL: databaseUrl, DATA_DIR: directory, SIMULATORS: 'on' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (output += String(chunk)));
  const [status] = (await once(child, 'close')) as [number];
  return { status, output };
}
