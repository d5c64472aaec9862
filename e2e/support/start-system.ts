import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START = new URL('../../tools/start.mjs', import.meta.url).pathname;
const READY = /Krapao is ready/;
const READY_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 20_000;

/** A system that runs, and how to end it and forget what it kept. */
export type RunningSystem = { url: string; simulatorsUrl: string; stop: () => Promise<void> };

/**
 * Starts the whole system for the tests and tells them where it is. With KRAPAO_URL and SIMULATORS_URL set, they use one
 * that already runs.
 * @returns how to stop it again
 */
export default async function startSystem(): Promise<() => Promise<void>> {
  if (process.env.KRAPAO_URL && process.env.SIMULATORS_URL) return async () => {};
  const { url, simulatorsUrl, stop } = await launchSystem();
  process.env.KRAPAO_URL = url;
  process.env.SIMULATORS_URL = simulatorsUrl;
  return stop;
}

/**
 * Starts a system as a newcomer would, on free ports and an empty data folder.
 * @param environment settings besides
 */
export async function launchSystem(environment: Readonly<Record<string, string>> = {}): Promise<RunningSystem> {
  const [port, simulatorsPort] = await Promise.all([freePort(), freePort()]);
  const folder = await mkdtemp(join(tmpdir(), 'krapao-e2e-'));
  const system = spawn(process.execPath, [START], {
    env: {
      ...process.env,
      PORT: String(port),
      SIMULATORS_PORT: String(simulatorsPort),
      DATA_DIR: join(folder, 'data'),
      // Journeys that wait for an answer which never comes need not wait as long as a person would.
      OUTSIDE_TIMEOUT_MS: '4000',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await ready(system);
  return {
    url: `http://localhost:${port}`,
    simulatorsUrl: `http://localhost:${simulatorsPort}`,
    stop: async () => {
      await end(system);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function ready(system: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let output = '';
  const timer = setTimeout(() => reject(new Error(`The system wasn't ready in time:\n${output}`)), READY_WITHIN_MS);
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    if (!READY.test(output)) return;
    clearTimeout(timer);
    resolve();
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

function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer().once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address();
    probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
  });
  return promise;
}
