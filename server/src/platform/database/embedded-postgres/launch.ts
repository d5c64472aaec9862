import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, closeSync, lstatSync, mkdirSync, readFileSync, rmSync, openSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { UserError } from '../../errors.ts';
import { sleep } from '../../time.ts';
import { locateBinaries, ensureDataDirectory, explainOutput, SUPERUSER } from './data-directory.ts';
import { archiveSettings } from './wal-archive.ts';
import { ensureNoPostmaster, readPidFile, stopProcess, spawnUnderWatchdog } from './process.ts';
import { chooseSandbox, type Sandbox } from './sandbox.ts';
import { copyFile, stat, truncate } from 'node:fs/promises';

export type EmbeddedPostgres = {
  /** Address for the driver: a socket in a folder that only this user can enter. */
  url: string;
  /** Process id of the postmaster. */
  pid: number;
  /** Resolves with a sentence when the database stops unexpectedly. */
  died: Promise<string>;
  /** Fast shutdown: ends when the process is really gone. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  directory: string;
  /** Off only in tests, which lose nothing by a power cut. */
  durable?: boolean;
  maxConnections?: number;
  /** Size at which the log is rotated; one rotated file is kept. */
  logMaxBytes?: number;
  /** Folder that WAL files are archived to; left out: none is. */
  walArchive?: string | undefined;
  /** More settings of PostgreSQL. */
  settings?: Readonly<Record<string, string>>;
  /** Maximum time to be ready: a recovery takes longer than a start. */
  readyTimeoutMs?: number;
  /** False does without user namespaces, where root would use one. */
  userNamespace?: boolean;
};

/** The start failed immediately because of remains of an earlier run: a retry may succeed. */
class LeftoverOfEarlierRun extends Error {}

const DATABASE = 'krapao';
const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 10;
const ATTEMPTS = 20;
const PAUSE_MS = 300;
const LOG_MAX_BYTES = 10 * 1024 * 1024;
const LEFT_BEHIND = /pre-existing shared memory block .* still in use|lock file .* already exists/;

/** Starts PostgreSQL on the directory, creating it on first use. Throws an error whose message says what to do. */
export async function launchEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const directory = resolve(options.directory);
  const { userNamespace } = options;
  const sandbox = chooseSandbox(locateBinaries(), userNamespace === undefined ? {} : { userNamespace });
  for (let attempt = 1; ; attempt += 1) {
    await ensureNoPostmaster(directory);
    await ensureDataDirectory(directory, sandbox);
    try {
      return await startOnce(directory, sandbox, options);
    } catch (error) {
      if (!(error instanceof LeftoverOfEarlierRun)) throw error;
      if (attempt === ATTEMPTS) throw new UserError(`The database did not start on ${directory}. ${error.message}`);
      // After kill -9 of the postmaster its children take a moment to exit.
      await sleep(PAUSE_MS);
    }
  }
}

async function startOnce(directory: string, sandbox: Sandbox, options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const socketDirectory = privateSocketDirectory(directory, sandbox);
  const logMaxBytes = options.logMaxBytes ?? LOG_MAX_BYTES;
  const log = openLog(`${directory}.log`, logMaxBytes);
  const watchdog = spawnUnderWatchdog({
    directory,
    socketDirectory,
    sandbox,
    durable: options.durable ?? true,
    maxConnections: options.maxConnections ?? 100,
    settings: {
      ...(options.walArchive !== undefined && archiveSettings(resolve(options.walArchive), directory, sandbox)),
      ...options.settings,
    },
    log: log.descriptor,
  });
  closeSync(log.descriptor);
  const exit = new Promise<void>((done) => {
    watchdog.once('exit', () => done());
    watchdog.once('error', () => done());
  });
  const pid = await untilReady(directory, watchdog, log, options.readyTimeoutMs ?? READY_TIMEOUT_MS);
  await ensureDatabase(socketDirectory);
  const stopRotation = rotateLog(log.path, logMaxBytes);
  let stopping = false;
  const died = exit.then(() => {
    if (stopping) return new Promise<never>(() => {});
    return `The database stopped by itself. ${explainOutput(readFileSync(log.path, 'utf8').slice(-2000))}`;
  });
  return {
    url: socketAddress(socketDirectory, DATABASE),
    pid,
    died,
    async stop() {
      stopping = true;
      watchdog.ref();
      await stopProcess(pid);
      await exit;
      stopRotation();
      rmSync(socketDirectory, { recursive: true, force: true });
    },
  };
}

async function untilReady(
  directory: string,
  watchdog: ChildProcess,
  log: { path: string; from: number },
  timeoutMs: number,
): Promise<number> {
  for (let waited = 0; waited < timeoutMs; waited += POLL_MS) {
    const found = readPidFile(directory);
    if (found?.state === 'ready') return found.pid;
    if (watchdog.exitCode !== null || watchdog.signalCode !== null) {
      const output = readFileSync(log.path).subarray(log.from).toString('utf8');
      if (LEFT_BEHIND.test(output)) throw new LeftoverOfEarlierRun(explainOutput(output));
      throw new UserError(`The database did not start on ${directory}. ${explainOutput(output)}`);
    }
    await sleep(POLL_MS);
  }
  watchdog.stdin?.destroy();
  throw new UserError(`The database was not ready within ${timeoutMs / 1000} seconds; its log is ${log.path}.`);
}

/** Address of a database of the cluster whose socket is in the folder. */
export function socketAddress(socketDirectory: string, database: string): string {
  return `postgresql://${SUPERUSER}@${encodeURIComponent(socketDirectory)}:5432/${database}`;
}

async function ensureDatabase(socketDirectory: string): Promise<void> {
  const client = new pg.Client({ connectionString: socketAddress(socketDirectory, 'postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

// Named by a hash: the path of a socket may have 107 characters, a data folder may be longer. No process runs on the
// data directory any more when this is called, so a socket that is still in there is stale.
function privateSocketDirectory(directory: string, sandbox: Sandbox): string {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 20);
  const path = join(tmpdir(), `krapao-${hash}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const me = process.getuid?.() ?? 0;
  const found = lstatSync(path);
  const isOurs = found.uid === me || found.uid === sandbox.owner?.uid;
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0) {
    throw new UserError(`${path} is not a private folder of this user: remove it and start again.`);
  }
  for (const name of ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']) rmSync(join(path, name), { force: true });
  if (sandbox.owner) chownSync(path, sandbox.owner.uid, sandbox.owner.gid);
  return path;
}

export type LogFile = {
  path: string;
  descriptor: number;
  /** Where this run begins. */
  from: number;
};

const CHECK_EVERY_MS = 5_000;

/** Opens the file that PostgreSQL prints to. */
export function openLog(path: string, maxBytes: number): LogFile {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxBytes) renameSync(path, `${path}.1`);
  return { path, descriptor: openSync(path, 'a', 0o600), from: size > maxBytes ? 0 : size };
}

/**
 * Rotates the file while PostgreSQL runs, which never reopens it: the content is copied to a second file, then the
 * first is truncated. It is opened for appending, so that PostgreSQL continues at its new end.
 * @returns stops the rotation
 */
export function rotateLog(path: string, maxBytes: number): () => void {
  let busy = false;
  const rotateIfNeeded = async () => {
    if (busy) return;
    busy = true;
    try {
      if ((await stat(path)).size > maxBytes) {
        await copyFile(path, `${path}.1`);
        await truncate(path);
      }
    } catch {
      // On a full disk the copy fails, and nothing more can be logged: the next interval retries.
    }
    busy = false;
  };
  const timer = setInterval(() => void rotateIfNeeded(), CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
