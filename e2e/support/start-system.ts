import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const START = new URL('../../tools/start.mjs', import.meta.url).pathname;
const READY = /Krapao is ready/;
const READY_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 20_000;

/**
 * Starts the whole system as a newcomer would, on free ports and an empty data folder, and tells the tests where it is.
 * With KRAPAO_URL and SIMULATORS_URL set, the tests use a system that already runs.
 * @returns how to stop it again
 */
export default async function startSystem(): Promise<() => Promise<void>> {
  if (process.env.KRAPAO_URL && process.env.SIMULATORS_URL) return async () => {};
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
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await ready(system);
  process.env.KRAPAO_URL = `http://localhost:${port}`;
  process.env.SIMULATORS_URL = `http://localhost:${simulatorsPort}`;
  return async () => {
    await stop(system);
    await rm(folder, { recursive: true, force: true });
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

async function stop(system: ChildProcess): Promise<void> {
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
