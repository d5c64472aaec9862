import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../errors.ts';
import { sleep } from '../../time.ts';
import { ENVIRONMENT, type Sandbox } from './sandbox.ts';

/** Content of postmaster.pid, which a running PostgreSQL writes into its data directory. */
type PidFile = { pid: number; state: string };

export const WATCHDOG_NAME = 'krapao-postgres-watchdog';
const OWNER_EXIT_TIMEOUT_MS = 6_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 25;

/** Reads postmaster.pid; undefined when the file is missing or incomplete. */
export function readPidFile(directory: string): PidFile | undefined {
  const text = readIfExists(join(directory, 'postmaster.pid'));
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  // Line 8 says starting, ready, stopping or standby in every language.
  return Number.isInteger(pid) && pid > 0 ? { pid, state: (lines[7] ?? '').trim() } : undefined;
}

/** Whether the process runs. A zombie does not: it holds nothing but its process id. */
export function isRunning(pid: number): boolean {
  return !['', 'Z'].includes(schedulerState(pid));
}

/** State letter of a process in /proc: R, S, D, T (stopped by a signal), Z; '' when there is none. */
function schedulerState(pid: number): string {
  const stat = readProcFile(pid, 'stat') ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
}

/** Process id of the postmaster on the directory if a signal has stopped it. */
export function frozenPostmaster(directory: string): number | undefined {
  const pid = readPidFile(directory)?.pid;
  return pid !== undefined && isPostmasterOf(pid, directory) && /[Tt]/.test(schedulerState(pid)) ? pid : undefined;
}

/** Waits until the process has exited; false on timeout. */
export async function waitForExit(pid: number, timeoutMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += POLL_MS) {
    if (!isRunning(pid)) return true;
    await sleep(POLL_MS);
  }
  return !isRunning(pid);
}

/**
 * Makes sure that no postmaster runs on the directory. Waits for a postmaster whose watchdog has lost its Node process:
 * it begins to stop within seconds. Stops an orphan, which has lost its watchdog. Refuses a directory whose postmaster
 * has an owner. Removes the file when its process id belongs to an unrelated process, for example after a container
 * restart.
 */
export async function ensureNoPostmaster(directory: string): Promise<void> {
  const pidFile = readPidFile(directory);
  if (!pidFile) return;
  if (!isPostmasterOf(pidFile.pid, directory)) {
    rmSync(join(directory, 'postmaster.pid'), { force: true });
    return;
  }
  if (!isOrphan(pidFile.pid) && (await waitForExit(pidFile.pid, OWNER_EXIT_TIMEOUT_MS))) return;
  // On a slow disk the shutdown checkpoint takes longer.
  const isStopping = readPidFile(directory)?.state === 'stopping';
  if (isStopping && (await waitForExit(pidFile.pid, STOP_TIMEOUT_MS))) return;
  if (!isOrphan(pidFile.pid)) {
    throw new UserError(
      `The data folder ${directory} is in use by another running copy (database process ${pidFile.pid}). Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
  await stopProcess(pidFile.pid);
}

/** Requests a fast shutdown (open transactions roll back) and waits until the process has exited. */
export async function stopProcess(pid: number): Promise<void> {
  sendSignal(pid, 'SIGINT');
  if (await waitForExit(pid, STOP_TIMEOUT_MS)) return;
  sendSignal(pid, 'SIGQUIT');
  if (await waitForExit(pid, STOP_TIMEOUT_MS)) return;
  throw new UserError(`The database process ${pid} does not stop.`);
}

/** Signals a process; does nothing if it has exited. */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether the process is the postmaster of the directory, which is its working directory however it was started. */
export function isPostmasterOf(pid: number, directory: string): boolean {
  if (!isRunning(pid)) return false;
  if ((readProcFile(pid, 'cmdline') ?? '').split('\0').includes(directory)) return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    return false;
  }
}

function isOrphan(pid: number): boolean {
  const parent = /^PPid:\s*(\d+)$/m.exec(readProcFile(pid, 'status') ?? '')?.[1];
  if (parent === undefined) return false;
  return !(readProcFile(Number(parent), 'cmdline') ?? '').split('\0').includes(WATCHDOG_NAME);
}

const readProcFile = (pid: number, file: string): string | undefined => readIfExists(`/proc/${pid}/${file}`);

// The file may vanish before it is read: an exiting process removes its own.
function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

// Ends PostgreSQL with its Node process: the pipe on descriptor 3 closes with that process, even on kill -9. The script
// moves the pipe to 3 first, because a background job reads from /dev/null.
const WATCHDOG_SCRIPT = `exec 3<&0
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
  /** Further settings, which override the others. */
  settings: Readonly<Record<string, string>>;
  /** Descriptor of the log file. A pipe would block every backend while Node is busy. */
  log: number;
};

/** Starts PostgreSQL under its watchdog; returns the watchdog's process. */
export function spawnUnderWatchdog(options: PostgresRun): ChildProcess {
  const { directory, sandbox } = options;
  const settingArgs = Object.entries(serverSettings(options)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const programArgs = [...sandbox.prefix, join(sandbox.native, 'bin/postgres'), '-D', directory, ...settingArgs];
  // A separate process group: Ctrl-C reaches Node alone, which lets open requests end before it stops the database.
  const child = spawn('sh', ['-c', WATCHDOG_SCRIPT, WATCHDOG_NAME, ...programArgs], {
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', options.log, options.log],
    ...sandbox.owner,
  });
  child.unref();
  // The pipe must not keep an otherwise idle Node process alive.
  (child.stdin as unknown as { unref(): void }).unref();
  child.stdin?.on('error', () => {});
  return child;
}

function serverSettings({ socketDirectory, durable, maxConnections, settings }: PostgresRun): Record<string, string> {
  const durability = durable ? 'on' : 'off';
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    max_connections: String(maxConnections),
    shared_buffers: '128MB',
    fsync: durability,
    full_page_writes: durability,
    synchronous_commit: durability,
    max_wal_size: '1GB',
    wal_compression: 'on',
    // A plan made while a table was nearly empty stays in use until the table is analysed: at most 10 s.
    autovacuum_naptime: '10s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The log would otherwise show the values of a refused row: phone and bank account numbers.
    log_error_verbosity: 'terse',
    ...settings,
  };
}
