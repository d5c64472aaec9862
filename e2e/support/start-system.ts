import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shareGameImages } from './operator.ts';
import { openSlipDeposits } from './slip-hours.ts';

const START_SCRIPT = new URL('../../tools/start.mjs', import.meta.url).pathname;
const READY_LINE = /Krapao is ready: (\S+) \(app\) · (\S+) /;
const READY_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 20_000;

/** A running system, and a function that stops it and deletes its data. */
export type RunningSystem = { url: string; simulatorsUrl: string; dataFolder: string; stop: () => Promise<void> };

/**
 * Starts the whole system for the tests and passes its addresses to them. With KRAPAO_URL and SIMULATORS_URL set, the
 * tests use that running system.
 * @returns stops the system
 */
export default async function startSystem(): Promise<() => Promise<void>> {
  if (process.env.KRAPAO_URL && process.env.SIMULATORS_URL) return async () => {};
  const { url, simulatorsUrl, dataFolder, stop } = await launchSystem();
  await shareGameImages(dataFolder);
  await openSlipDeposits(url, dataFolder);
  process.env.KRAPAO_URL = url;
  process.env.SIMULATORS_URL = simulatorsUrl;
  return stop;
}

/**
 * Starts a system as a new developer would, on free ports and an empty data folder.
 * @param environment additional settings
 */
export async function launchSystem(environment: Readonly<Record<string, string>> = {}): Promise<RunningSystem> {
  const folder = await mkdtemp(join(tmpdir(), 'krapao-e2e-'));
  const dataFolder = join(folder, 'data');
  const system = spawn(process.execPath, [START_SCRIPT], {
    env: {
      ...process.env,
      PORT: '0',
      SIMULATORS_PORT: '0',
      DATA_DIR: dataFolder,
      // The addresses for the tests must not configure another system.
      HOST: '',
      PUBLIC_URL: '',
      SIMULATORS_URL: '',
      // A short timeout, for journeys that wait for a missing reply.
      OUTSIDE_TIMEOUT_MS: '4000',
      // Concurrent browsers delay the server, which must not refuse calls because of that.
      EVENT_LOOP_DELAY_MAX_MS: '0',
      // The cores are the browsers'.
      API_PROCESSES: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return {
    ...(await waitForReady(system)),
    dataFolder,
    stop: async () => {
      await stopSystem(system);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @returns the addresses that the system prints */
function waitForReady(system: ChildProcess): Promise<{ url: string; simulatorsUrl: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; simulatorsUrl: string }>();
  let output = '';
  const timer = setTimeout(() => reject(new Error(`The system wasn't ready in time:\n${output}`)), READY_WITHIN_MS);
  const readOutput = (chunk: Buffer): void => {
    output += chunk.toString();
    const [, url, simulatorsUrl] = READY_LINE.exec(output) ?? [];
    if (url === undefined || simulatorsUrl === undefined) return;
    clearTimeout(timer);
    resolve({ url, simulatorsUrl });
  };
  system.stdout?.on('data', readOutput);
  system.stderr?.on('data', readOutput);
  system.once('exit', (code) => reject(new Error(`The system ended with ${code ?? 'a signal'}:\n${output}`)));
  return promise;
}

async function stopSystem(system: ChildProcess): Promise<void> {
  const systemExit = new Promise((resolve) => system.once('exit', resolve));
  system.kill('SIGTERM');
  const timer = setTimeout(() => system.kill('SIGKILL'), STOPPED_WITHIN_MS);
  await systemExit;
  clearTimeout(timer);
}
