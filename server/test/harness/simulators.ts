import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readOutsideFile } from '../../../simulators/src/outside/outside-file.ts';
import { startSimulators as startInProcess } from '../../../simulators/src/server.ts';
import { CHILD_ENVIRONMENT } from './child-environment.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MAIN = join(ROOT, 'simulators/src/main.ts');
const STOP_WITH_PARENT = join(ROOT, 'tools/start/stop-with-parent.mjs');
const PATIENCE_MS = 60_000;
const POLL_MS = 40;

export type Simulators = { stop(): Promise<void> };

/**
 * Starts the outside world in the process of the test, on a port and an outside.json of the test's own: still reached over HTTP
 * only, but without the start of a process, which takes as long as many a test.
 */
export async function startSimulators(port: number, outsideFile: string): Promise<Simulators> {
  const simulators = await startInProcess({ port, dataDir: ':memory:', outside: readOutsideFile(outsideFile) });
  return { stop: () => simulators.close() };
}

/**
 * Starts the outside world as a process of its own, which can have an environment of its own.
 * @param environment for example a clock that is ahead
 */
export async function startSimulatorsProcess(
  port: number,
  outsideFile: string,
  logFile: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Simulators> {
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, ['--import', STOP_WITH_PARENT, MAIN], {
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
  await untilAnswers(child, `http://127.0.0.1:${port}/`, logFile);
  return { stop: () => end(child) };
}

async function untilAnswers(child: ChildProcess, url: string, logFile: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    if (child.exitCode !== null) break;
    const answered = await fetch(url).then(
      (reply) => reply.body?.cancel().then(() => true),
      () => false,
    );
    if (answered) return;
    await wait(POLL_MS);
  }
  throw new Error(`The simulators did not start; see ${logFile}.`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const forced = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await gone;
  clearTimeout(forced);
}
