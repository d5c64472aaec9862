import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CHILD_ENVIRONMENT } from './child-environment.ts';
import { freePort } from './free-port.ts';
import { writeOutside } from './outside-file.ts';
import type { System } from './system.ts';

const ROOT = join(import.meta.dirname, '../../..');
const STOP_WITH_PARENT = join(ROOT, 'tools/start/stop-with-parent.mjs');
const PATIENCE_MS = 90_000;
const LINE_PATIENCE_MS = 20_000;

export type ServerProcess = {
  url: string;
  /** Everything that it has written so far. A line of a request is written after its answer: `writtenWith` waits for it. */
  written(): string;
  /** Waits until what it has written matches, and returns all of it; after 20 s whatever there is. */
  writtenWith(pattern: RegExp): Promise<string>;
  /** kill -9: nothing is finished, nothing is said. */
  kill(): Promise<void>;
  /** Makes it stand still in the middle of whatever it does, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Asks it to stop, as an operator would. */
  stop(): Promise<void>;
};

/** Another server on the database and the outside of a system, as the process that it is in production. */
export async function startServerProcess(
  system: Pick<System, 'databaseUrl' | 'outside'>,
  logLevel: 'warn' | 'info' | 'debug' = 'warn',
  /** Where its lines go instead of a file of its own. */
  output?: string,
  /** More of its environment, for example S3_BUCKET; a PORT to listen on, a DATA_DIR that is kept after it. */
  environment: Readonly<Record<string, string>> = {},
  /** Where the product is: a copy of it is another version. */
  root = ROOT,
): Promise<ServerProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-server-'));
  const outsideFile = join(directory, 'outside.json');
  const logFile = join(directory, 'server.log');
  writeOutside(outsideFile, system.outside);
  // The key of the harness: what one server has sealed the other must open.
  const secrets = { encryptionKey: Buffer.alloc(32, 7).toString('base64') };
  writeFileSync(join(directory, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
  const port = environment['PORT'] ?? String(await freePort());
  const log = openSync(logFile, 'a');
  const lines = output === undefined ? log : openSync(output, 'w');
  const child = spawn(process.execPath, ['--import', STOP_WITH_PARENT, join(root, 'server/src/main.ts')], {
    env: {
      ...CHILD_ENVIRONMENT,
      PORT: port,
      HOST: '127.0.0.1',
      DATA_DIR: directory,
      DATABASE_URL: system.databaseUrl,
      OUTSIDE_FILE: outsideFile,
      SECRETS_FILE: join(directory, 'secrets.json'),
      SIMULATORS: 'off',
      LOG_LEVEL: logLevel,
      // A busy machine is late with everything: that is not what a test is about.
      EVENT_LOOP_DELAY_MAX_MS: '0',
      // There is no balancer.
      DRAIN_MS: '0',
      // One process is killed and frozen as a whole.
      API_PROCESSES: '1',
      ...environment,
    },
    stdio: ['ignore', lines, log, 'ipc'],
  });
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    await stopped(child, signal);
    rmSync(directory, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, url, logFile);
  const written = () => readFileSync(logFile, 'utf8');
  const writtenWith = async (pattern: RegExp): Promise<string> => {
    const end = performance.now() + LINE_PATIENCE_MS;
    while (!pattern.test(written()) && performance.now() < end) await wait(20);
    return written();
  };
  const freeze = () => void child.kill('SIGSTOP');
  const thaw = () => void child.kill('SIGCONT');
  return { url, written, writtenWith, freeze, thaw, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

async function untilReady(child: ChildProcess, url: string, logFile: string): Promise<void> {
  for (const started = performance.now(); performance.now() - started < PATIENCE_MS; await wait(40)) {
    if (child.exitCode !== null) break;
    const isReady = await fetch(`${url}/health/live`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isReady) return;
  }
  throw new Error(`The server did not start: ${readFileSync(logFile, 'utf8')}`);
}

async function stopped(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await gone;
}
