import type { Outside } from '../../src/outside-config.ts';
import { type CommandResult, runCommand as run } from '../harness/command.ts';
import type { System } from '../harness/system.ts';

const STATEMENT_TIMEOUT_MS = 10_000;

/** The outside configuration with timeouts for long statements. */
export function outsideWithLongTimeouts({ outside }: Pick<System, 'outside'>): Outside {
  const { bank, walletApp } = outside;
  const timeoutMs = STATEMENT_TIMEOUT_MS;
  return { ...outside, bank: { ...bank, timeoutMs }, ...(walletApp && { walletApp: { ...walletApp, timeoutMs } }) };
}

/** Runs an operator command with the outside.json of `directory`. */
export const runCommand = (
  system: Pick<System, 'databaseUrl'>,
  directory: string,
  command: 'reconcile' | 'payouts',
  ...commandArgs: string[]
): Promise<CommandResult> => run(system, command, commandArgs, outsideEnvironment(directory));

/** Environment of the command. */
export const outsideEnvironment = (directory: string): Readonly<Record<string, string>> => ({
  DATA_DIR: directory,
  SIMULATORS: 'on',
});
