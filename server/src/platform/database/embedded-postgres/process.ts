import { UserError } from '../../errors.ts';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../../time.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { ENVIRONMENT, type Sandbox } from './sandbox.ts';

/** What a running PostgreSQL wrote about itself into its data directory. */
type PidFile = { pid: number; state: string };

export const WATCHDOG_NAME = 'krapao-postgres-watchdog';
const OWNER_EXIT_TIMEOUT_MS = 6_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 25;

/** Reads postmaster.pid; undefined when it is not there or half written. */
export function readPidFile(directory: string): PidFile | undefined {
  const text = read(join(directory, 'postmaster.pid'));
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  // Line 8 says starting, ready, stopping or standby in every language.
  return Number.isInteger(pid) && pid > 0 ? { pid, state: (lines[7] ?? '').trim() } : undefined;
}

/** True while the process runs. A zombie counts as gone: it holds nothing but its process id. */
export function isRunning(pid: number): boolean {
  const stat = readProc(pid, 'stat');
  if (stat === undefined) return false;
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
}

/** Waits until the process is really gone; false when it is still there after `timeoutMs`. */
export async function waitForExit(pid: number, timeoutMs: number): Promise<boolean> {
  for (let waited = 0; waited < timeoutMs; waited += POLL_MS) {
    if (!isRunning(pid)) return true;
    await sleep(POLL_MS);
  }
  return !isRunning(pid);
}

/**
 * Makes sure that no postmaster runs on the directory. A postmaster whose watchdog lost its Node is about to stop: a
 * few seconds are enough for it to begin, and then it is waited for. One that lost its watchdog too is an orphan and is
 * stopped; one that still has an owner means that the folder is in use. A process id that belongs to an unrelated
 * process is stale (for example after a container restart), and its file is removed.
 */
export async function ensureNoPostmaster(directory: string): Promise<void> {
  const found = readPidFile(directory);
  if (!found) return;
  if (!isPostmasterOf(found.pid, directory)) {
    rmSync(join(directory, 'postmaster.pid'), { force: true });
    return;
  }
  if (!isOrphan(found.pid) && (await waitForExit(found.pid, OWNER_EXIT_TIMEOUT_MS))) return;
  // On a slow disk the shutdown checkpoint takes longer.
  const isStopping = readPidFile(directory)?.state === 'stopping';
  if (isStopping && (await waitForExit(found.pid, STOP_TIMEOUT_MS))) return;
  if (!isOrphan(found.pid)) {
    throw new UserError(
      `The data folder ${directory} is in use by another running copy (database process ${found.pid}). Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
  await stopProcess(found.pid);
}

/** Asks PostgreSQL for a fast shutdown (open transactions are rolled back) and waits until it is gone. */
export async function stopProcess(pid: number): Promise<void> {
  signal(pid, 'SIGINT');
  if (await waitForExit(pid, STOP_TIMEOUT_MS)) return;
  signal(pid, 'SIGQUIT');
  if (await waitForExit(pid, STOP_TIMEOUT_MS)) return;
  throw new UserError(`The database process ${pid} does not stop.`);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

// PostgreSQL works inside its data directory, however it was started.
function isPostmasterOf(pid: number, directory: string): boolean {
  if (!isRunning(pid)) return false;
  if ((readProc(pid, 'cmdline') ?? '').split('\0').includes(directory)) return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    return false;
  }
}

function isOrphan(pid: number): boolean {
  const parent = /^PPid:\s*(\d+)$/m.exec(readProc(pid, 'status') ?? '')?.[1];
  if (parent === undefined) return false;
  return !(readProc(Number(parent), 'cmdline') ?? '').split('\0').includes(WATCHDOG_NAME);
}

const readProc = (pid: number, file: string): string | undefined => read(`/proc/${pid}/${file}`);

// These files may vanish between two reads: a process that ends removes its own.
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

// PostgreSQL ends with its Node process: the pipe on descriptor 3 closes with that process, even on kill -9. The pipe
// is moved to 3 first because a background job has /dev/null as its input.
const SCRIPT = `exec 3<&0
"$@" </dev/null 3<&- &
postgres=$!
( read -r nothing <&3; kill -INT "$postgres" ) 2>/dev/null &
reader=$!
exec 3<&-
wait "$postgres"
status=$?
kill "$reader" 2>/dev/null
exit $status`;

export type PostgresRun = {
  directory: string;
  socketDirectory: string;
  sandbox: Sandbox;
  durable: boolean;
  maxConnections: number;
  /** More settings, which come last. */
  settings: Readonly<Record<string, string>>;
  /** Descriptor of the file that its output goes to. A pipe would block every backend when Node is busy. */
  log: number;
};

/** Starts PostgreSQL under its watchdog; returns the watchdog's process. */
export function spawnUnderWatchdog(run: PostgresRun): ChildProcess {
  const { directory, sandbox } = run;
  const words = Object.entries(settingsOf(run)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = [...sandbox.prefix, join(sandbox.native, 'bin/postgres'), '-D', directory, ...words];
  // A process group of its own: Ctrl-C reaches Node alone, which lets open requests end before it stops the database.
  const child = spawn('sh', ['-c', SCRIPT, WATCHDOG_NAME, ...program], {
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', run.log, run.log],
    ...sandbox.owner,
  });
  child.unref();
  // The pipe must not keep an otherwise idle Node process alive.
  (child.stdin as unknown as { unref(): void }).unref();
  child.stdin?.on('error', () => {});
  return child;
}

function settingsOf({ socketDirectory, durable, maxConnections, settings }: PostgresRun): Record<string, string> {
  const safe = durable ? 'on' : 'off';
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    max_connections: String(maxConnections),
    shared_buffers: '128MB',
    fsync: safe,
    full_page_writes: safe,
    synchronous_commit: safe,
    max_wal_size: '1GB',
    // A plan that was made while a table was nearly empty is kept until the table is analysed: not for a whole minute.
    autovacuum_naptime: '10s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The log would otherwise show the values of a refused row: phone and bank account numbers.
    log_error_verbosity: 'terse',
    ...settings,
  };
}
