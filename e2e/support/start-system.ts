import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shareGamePictures } from './operator.ts';
import { takeSlipsNow } from './slip-hours.ts';

const START = new URL('../../tools/start.mjs', import.meta.url).pathname;
const READY = /Krapao is ready: (\S+) \(app\) · (\S+) /;
const READY_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 20_000;

/** A system that runs, and how to end it and forget what it kept. */
export type RunningSystem = { url: string; simulatorsUrl: string; dataFolder: string; stop: () => Promise<void> };

/**
 * Starts the whole system for the tests and passes its addresses to them. With KRAPAO_URL and SIMULATORS_URL set, they use one
 * that already runs.
 * @returns how to stop it again
 */
export default async function startSystem(): Promise<() => Promise<void>> {
  if (process.env.KRAPAO_URL && process.env.SIMULATORS_URL) return async () => {};
  const { url, simulatorsUrl, dataFolder, stop } = await launchSystem();
  await shareGamePictures(dataFolder);
  await takeSlipsNow(url, dataFolder);
  process.env.KRAPAO_URL = url;
  process.env.SIMULATORS_URL = simulatorsUrl;
  return stop;
}

/**
 * Starts a system as a newcomer would, on free ports and an empty data folder.
 * @param environment additional settings
 */
export async function launchSystem(environment: Readonly<Record<string, string>> = {}): Promise<RunningSystem> {
  const folder = await mkdtemp(join(tmpdir(), 'krapao-e2e-'));
  const dataFolder = join(folder, 'data');
  const system = spawn(process.execPath, [START], {
    env: {
      ...process.env,
      PORT: '0',
      SIMULATORS_PORT: '0',
      DATA_DIR: dataFolder,
      // The addresses for the tests must not configure another system.
      HOST: '',
      PUBLIC_URL: '',
      SIMULATORS_URL: '',
      // Journeys that wait for an answer which never comes need not wait as long as a person would.
      OUTSIDE_TIMEOUT_MS: '4000',
      // Browsers beside it make the server late: it is not to refuse calls for that.
      EVENT_LOOP_DELAY_MAX_MS: '0',
      // The cores are the browsers'.
      API_PROCESSES: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return {
    ...(await ready(system)),
    dataFolder,
    stop: async () => {
      await end(system);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @returns where it says that it is */
function ready(system: ChildProcess): Promise<{ url: string; simulatorsUrl: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; simulatorsUrl: string }>();
  let output = '';
  const timer = setTimeout(() => reject(new Error(`The system wasn't ready in time:\n${output}`)), READY_WITHIN_MS);
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    const [, url, simulatorsUrl] = READY.exec(output) ?? [];
    if (url === undefined || simulatorsUrl === undefined) return;
    clearTimeout(timer);
    resolve({ url, simulatorsUrl });
  };
  system.stdout?.on('data', read);
  system.stderr?.on('data', read);
  system.once('exit', (code) => reject(new Error(`The system ended with ${code ?? 'a signal'}:\n${output}`)));
  return promise;
}

async function end(system: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => system.once('exit', resolve));
  system.kill('SIGTERM');
  const timer = setTimeout(() => system.kill('SIGKILL'), STOPPED_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
