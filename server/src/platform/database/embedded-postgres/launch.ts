import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, closeSync, lstatSync, mkdirSync, readFileSync, rmSync, openSync, renameSync } from 'node:fs';
import { copyFile, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { UserError } from '../../errors.ts';
import { sleep } from '../../time.ts';
import { locateBinaries, ensureDataDirectory, explainOutput, SUPERUSER } from './data-directory.ts';
import {
  ensureNoPostmaster,
  isPostmasterOf,
  readPidFile,
  sendSignal,
  spawnUnderWatchdog,
  stopProcess,
} from './process.ts';
import { assertReachable, chooseSandbox, type Sandbox } from './sandbox.ts';
import { archiveSettings } from './wal-archive.ts';

export type EmbeddedPostgres = {
  /** Address for the driver: a socket in a folder that only this user can enter. */
  url: string;
  /** Process id of the postmaster. */
  pid: number;
  /** Resolves with an explanation when the database stops unexpectedly. */
  died: Promise<string>;
  /** Fast shutdown; resolves when the process has exited. */
  stop(): Promise<void>;
};

export type EmbeddedOptions = {
  directory: string;
  /** False only in tests, which lose nothing by a power cut. */
  durable?: boolean;
  maxConnections?: number;
  /** Size at which the log is rotated; one rotated file is kept. */
  logMaxBytes?: number;
  /** Folder for archived WAL files. Undefined: no archive. */
  walArchive?: string | undefined;
  /** More settings of PostgreSQL. */
  settings?: Readonly<Record<string, string>>;
  /** Maximum duration of the start. A recovery takes longer than a plain start. */
  readyTimeoutMs?: number;
  /** A database of another server, with the folder of its programs. Default: the embedded one, created on first use. */
  existing?: { binaries: string; user: string; database: string };
  /** False: never use user namespaces. Default: root uses one where allowed. */
  userNamespace?: boolean;
};

/** The start failed because an earlier server is still exiting; a retry may succeed. */
class EarlierServerRunning extends Error {}

const DATABASE = 'krapao';
const READY_TIMEOUT_MS = 60_000;
const STOP_UNREADY_TIMEOUT_MS = 30_000;
const POLL_MS = 10;
const START_ATTEMPTS = 20;
const RETRY_PAUSE_MS = 300;
const LOG_MAX_BYTES = 10 * 1024 * 1024;
const EARLIER_SERVER_OUTPUT = /pre-existing shared memory block .* still in use|lock file .* already exists/;

/**
 * Starts PostgreSQL on the directory, which is created on first use. The message of a thrown error names the remedy.
 */
export async function launchEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const directory = resolve(options.directory);
  const { userNamespace, existing } = options;
  const sandbox = chooseSandbox(
    existing?.binaries ?? locateBinaries(),
    userNamespace === undefined ? {} : { userNamespace },
  );
  for (let attempt = 1; ; attempt += 1) {
    await ensureNoPostmaster(directory);
    if (existing) assertReachable(directory, sandbox);
    else await ensureDataDirectory(directory, sandbox);
    try {
      return await startOnce(directory, sandbox, options);
    } catch (error) {
      if (!(error instanceof EarlierServerRunning)) throw error;
      if (attempt === START_ATTEMPTS)
        throw new UserError(`The database did not start on ${directory}. ${error.message}`);
      // After kill -9 of the postmaster its children take a moment to exit.
      await sleep(RETRY_PAUSE_MS);
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
  const exit = new Promise<void>((resolveExit) => {
    watchdog.once('exit', () => resolveExit());
    watchdog.once('error', () => resolveExit());
  });
  const pid = await untilReady(directory, watchdog, log, options.readyTimeoutMs ?? READY_TIMEOUT_MS);
  if (!options.existing) await ensureDatabase(socketDirectory);
  // A checkpointer started during recovery ignores archive_timeout until it wakes up, up to 5 minutes later.
  sendSignal(pid, 'SIGHUP');
  const stopRotation = rotateLog(log.path, logMaxBytes);
  let isStopping = false;
  const died = exit.then(() => {
    if (isStopping) return new Promise<never>(() => {});
    return `The database stopped by itself. ${explainOutput(readFileSync(log.path, 'utf8').slice(-2000))}`;
  });
  return {
    url: socketAddress(socketDirectory, options.existing?.database ?? DATABASE, options.existing?.user),
    pid,
    died,
    async stop() {
      isStopping = true;
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
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += POLL_MS) {
    const pidFile = readPidFile(directory);
    if (pidFile?.state === 'ready') return pidFile.pid;
    if (watchdog.exitCode !== null || watchdog.signalCode !== null) {
      const output = readFileSync(log.path).subarray(log.from).toString('utf8');
      if (EARLIER_SERVER_OUTPUT.test(output)) throw new EarlierServerRunning(explainOutput(output));
      throw new UserError(`The database did not start on ${directory}. ${explainOutput(output)}`);
    }
    await sleep(POLL_MS);
  }
  await stopUnready(directory, watchdog);
  throw new UserError(`The database was not ready within ${timeoutMs / 1000} seconds; its log is ${log.path}.`);
}

/** Waits until the processes have exited: the caller may remove their files. */
async function stopUnready(directory: string, watchdog: ChildProcess): Promise<void> {
  watchdog.stdin?.destroy();
  for (let waitedMs = 0; waitedMs < STOP_UNREADY_TIMEOUT_MS; waitedMs += POLL_MS) {
    // A postmaster that has just been started writes its file first, and may miss the signal of the watchdog.
    const pid = readPidFile(directory)?.pid;
    if (pid !== undefined && isPostmasterOf(pid, directory)) await stopProcess(pid);
    if (watchdog.exitCode !== null || watchdog.signalCode !== null) return;
    await sleep(POLL_MS);
  }
}

/** Connection URL of a database of the cluster whose socket is in the folder. */
export function socketAddress(socketDirectory: string, database: string, user = SUPERUSER): string {
  const host = encodeURIComponent(socketDirectory);
  return `postgresql://${encodeURIComponent(user)}@${host}:5432/${encodeURIComponent(database)}`;
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

// Folder for the socket. A hash names it: a socket path may have 107 characters, and a data folder may be longer. No
// process uses the data directory at this point, so a socket in the folder is stale.
function privateSocketDirectory(directory: string, sandbox: Sandbox): string {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 20);
  const path = join(tmpdir(), `krapao-${hash}`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const ownUid = process.getuid?.() ?? 0;
  const directoryStat = lstatSync(path);
  const isOwnDirectory = directoryStat.uid === ownUid || directoryStat.uid === sandbox.owner?.uid;
  if (!directoryStat.isDirectory() || !isOwnDirectory || (directoryStat.mode & 0o077) !== 0) {
    throw new UserError(`${path} is not a private folder of this user: remove it and start again.`);
  }
  for (const name of ['.s.PGSQL.5432', '.s.PGSQL.5432.lock']) rmSync(join(path, name), { force: true });
  if (sandbox.owner) chownSync(path, sandbox.owner.uid, sandbox.owner.gid);
  return path;
}

export type LogFile = {
  path: string;
  descriptor: number;
  /** Offset in the file at which this run begins. */
  from: number;
};

const CHECK_EVERY_MS = 5_000;

export function openLog(path: string, maxBytes: number): LogFile {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > maxBytes) renameSync(path, `${path}.1`);
  return { path, descriptor: openSync(path, 'a', 0o600), from: size > maxBytes ? 0 : size };
}

/**
 * Rotates the log file while PostgreSQL runs, which never reopens it: copies the content to a second file, then
 * truncates the first. PostgreSQL appends, so it continues at the new end.
 * @returns a function that stops the rotation
 */
export function rotateLog(path: string, maxBytes: number): () => void {
  let isRotating = false;
  const rotateIfNeeded = async () => {
    if (isRotating) return;
    isRotating = true;
    try {
      if ((await stat(path)).size > maxBytes) {
        await copyFile(path, `${path}.1`);
        await truncate(path);
      }
    } catch {
      // On a full disk the copy fails; the next interval retries.
    }
    isRotating = false;
  };
  const timer = setInterval(() => void rotateIfNeeded(), CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
