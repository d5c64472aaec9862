import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CHILD_ENVIRONMENT } from './child-environment.ts';
import { freePort } from './free-port.ts';
import { PUSH_KEY, writeOutside } from './outside-file.ts';
import type { System } from './system.ts';

const REPOSITORY_ROOT = join(import.meta.dirname, '../../..');
const STOP_WITH_PARENT = join(REPOSITORY_ROOT, 'tools/start/stop-with-parent.mjs');
const PATIENCE_MS = 90_000;
const LINE_PATIENCE_MS = 20_000;

export type ServerProcess = {
  url: string;
  /** The log so far. The line of a request is written after its reply: `waitForLog` waits for it. */
  readLog(): string;
  /** Waits until the log matches, for at most 20 s. @returns the log */
  waitForLog(pattern: RegExp): Promise<string>;
  /** kill -9: no shutdown and no log line. */
  kill(): Promise<void>;
  /** Suspends the process until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Stops the process like an operator. */
  stop(): Promise<void>;
};

/** Starts another server on a system's database and simulators, as a production process. */
export async function startServerProcess(
  system: Pick<System, 'databaseUrl' | 'outside'>,
  logLevel: 'warn' | 'info' | 'debug' = 'warn',
  /** Output of the process instead of its own log file. */
  output?: string,
  /** Additional environment, for example S3_BUCKET, a PORT, or a DATA_DIR that is kept afterwards. */
  environment: Readonly<Record<string, string>> = {},
  /** Root of the product: a copy is another version. */
  root = REPOSITORY_ROOT,
): Promise<ServerProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-server-'));
  const outsideFile = join(directory, 'outside.json');
  const logFile = join(directory, 'server.log');
  writeOutside(outsideFile, system.outside);
  // The harness's key: every server must unseal what another has sealed.
  const secrets = {
    encryptionKey: Buffer.alloc(32, 7).toString('base64'),
    push: { privateKey: PUSH_KEY.export({ type: 'pkcs8', format: 'der' }).toString('base64') },
  };
  writeFileSync(join(directory, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
  const port = environment['PORT'] ?? String(await freePort());
  const log = openSync(logFile, 'a');
  const outputTarget = output === undefined ? log : openSync(output, 'w');
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
      // A busy machine delays the event loop, which is not the subject of these tests.
      EVENT_LOOP_DELAY_MAX_MS: '0',
      // There is no load balancer.
      DRAIN_MS: '0',
      // One process, so that a kill or a freeze affects the whole server.
      API_PROCESSES: '1',
      ...environment,
    },
    stdio: ['ignore', outputTarget, log, 'ipc'],
  });
  const endProcess = async (signal: 'SIGKILL' | 'SIGTERM') => {
    await stopProcess(child, signal);
    rmSync(directory, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, url, logFile);
  const readLog = () => readFileSync(logFile, 'utf8');
  const writtenWith = async (pattern: RegExp): Promise<string> => {
    const endMs = performance.now() + LINE_PATIENCE_MS;
    while (!pattern.test(readLog()) && performance.now() < endMs) await wait(20);
    return readLog();
  };
  const freezeProcess = () => void child.kill('SIGSTOP');
  const thawProcess = () => void child.kill('SIGCONT');
  return {
    url,
    readLog: readLog,
    waitForLog: writtenWith,
    freeze: freezeProcess,
    thaw: thawProcess,
    kill: () => endProcess('SIGKILL'),
    stop: () => endProcess('SIGTERM'),
  };
}

async function waitUntilReady(child: ChildProcess, url: string, logFile: string): Promise<void> {
  for (const startMs = performance.now(); performance.now() - startMs < PATIENCE_MS; await wait(40)) {
    if (child.exitCode !== null) break;
    const isReady = await fetch(`${url}/health/live`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (isReady) return;
  }
  throw new Error(`The server did not start: ${readFileSync(logFile, 'utf8')}`);
}

async function stopProcess(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const processExit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await processExit;
}
