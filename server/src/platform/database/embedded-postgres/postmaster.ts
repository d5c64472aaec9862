import { CannotStart } from '../../start/cannot-start.ts';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../../clock.ts';

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
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
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
  if (!isOrphan(found.pid) && (await waitUntilGone(found.pid, OWNER_EXIT_TIMEOUT_MS))) return;
  // On a slow disk the shutdown checkpoint takes longer.
  const isStopping = readPidFile(directory)?.state === 'stopping';
  if (isStopping && (await waitUntilGone(found.pid, STOP_TIMEOUT_MS))) return;
  if (!isOrphan(found.pid)) {
    throw new CannotStart(
      `The data folder ${directory} is in use by another running copy (database process ${found.pid}). Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
  await stopProcess(found.pid);
}

/** Asks PostgreSQL for a fast shutdown (open transactions are rolled back) and waits until it is gone. */
export async function stopProcess(pid: number): Promise<void> {
  signal(pid, 'SIGINT');
  if (await waitUntilGone(pid, STOP_TIMEOUT_MS)) return;
  signal(pid, 'SIGQUIT');
  if (await waitUntilGone(pid, STOP_TIMEOUT_MS)) return;
  throw new CannotStart(`The database process ${pid} does not stop.`);
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
