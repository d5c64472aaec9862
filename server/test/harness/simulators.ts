import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readOutsideFile } from '../../../simulators/src/outside/outside-file.ts';
import { startSimulators as startInProcess } from '../../../simulators/src/server.ts';
import { CHILD_ENVIRONMENT } from './child-environment.ts';

const REPOSITORY_ROOT = join(import.meta.dirname, '../../..');
const SIMULATORS_MAIN = join(REPOSITORY_ROOT, 'simulators/src/main.ts');
const STOP_WITH_PARENT = join(REPOSITORY_ROOT, 'tools/start/stop-with-parent.mjs');
const PATIENCE_MS = 60_000;
const POLL_MS = 40;

export type Simulators = { stop(): Promise<void> };

/**
 * Starts the simulators in the test's process, with their own port and outside.json: still reached over HTTP, but
 * without the start of a process, which takes as long as many tests.
 */
export async function startSimulators(port: number, outsideFile: string): Promise<Simulators> {
  const simulators = await startInProcess({ port, dataDir: ':memory:', outside: readOutsideFile(outsideFile) });
  return { stop: () => simulators.close() };
}

/**
 * Starts the simulators as a separate process with its own environment.
 * @param environment for example a clock that is ahead
 */
export async function startSimulatorsProcess(
  port: number,
  outsideFile: string,
  logFile: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Simulators> {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, ['--import', STOP_WITH_PARENT, SIMULATORS_MAIN], {
    env: {
      ...CHILD_ENVIRONMENT,
      SIMULATORS_PORT: String(port),
      OUTSIDE_FILE: outsideFile,
      DATA_DIR: ':memory:',
      ...environment,
    },
    stdio: ['ignore', log, log, 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  await waitUntilAnswering(child, `http://127.0.0.1:${port}/`, logFile);
  return { stop: () => endProcess(child) };
}

async function waitUntilAnswering(child: ChildProcess, url: string, logFile: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    if (child.exitCode !== null) break;
    const isAnswering = await fetch(url).then(
      (reply) => reply.body?.cancel().then(() => true),
      () => false,
    );
    if (isAnswering) return;
    await wait(POLL_MS);
  }
  throw new Error(`The simulators did not start; see ${logFile}.`);
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const processExit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await processExit;
  clearTimeout(killTimer);
}
