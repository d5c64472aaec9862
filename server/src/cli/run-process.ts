import { processEnvironment } from '../platform/config.ts';
import { explainFailure } from './explain-failure.ts';
import type { Io } from './run-command.ts';

/** Time for the event loop to become empty after a command has returned. */
const LINGER_MS = 1_000;

/**
 * Runs a command as this process. Its reader may close the output (`| head`): the command still runs to its end. A
 * failure outside the command is one sentence too.
 */
export async function runProcess(run: (io: Io) => Promise<number>): Promise<void> {
  process.stdout.on('error', onOutputError);
  process.stderr.on('error', () => {});
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${explainFailure(error)}\n`);
    end(1);
  });
  const status = await run({
    environment: processEnvironment,
    isTerminal: process.stdout.isTTY,
    print: (text) => process.stdout.write(text),
    printError: (text) => process.stderr.write(text),
  });
  process.exitCode ??= status;
  setTimeout(() => end(Number(process.exitCode)), LINGER_MS).unref();
}

function onOutputError({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  const cause = code === 'ENOSPC' ? 'its disk is full' : message;
  process.stderr.write(`The output can't be written: ${cause}. The command went on.\n`);
  process.exitCode = 1;
}

/** Ends the process also while a thread waits for a silent disk or name server, for which `process.exit` waits. */
function end(status: number): void {
  process.removeAllListeners('warning');
  process.execve?.('/bin/sh', ['sh', '-c', `exit ${status}`], {});
}
