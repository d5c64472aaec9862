import { readFileSync } from 'node:fs';
import { isSlow } from '../slow.mjs';
import { filesOfGroup } from './groups.mjs';

/** Two to three times what the longest file, or group of files, takes on a busy machine. */
const FAST_LIMIT_MS = 300_000;
const SLOW_LIMIT_MS = 600_000;
const PAUSE_MS = 1_000;

/**
 * Ends each process of a test file that runs longer than it may. Node limits a test, but not a file: one that leaves a server, a timer or
 * a process open never ends. The file counts as failed.
 * @param files what the runner was started with
 * @returns how to stop the supervision
 */
export function endOverdueFiles(files) {
  const limits = new Map(files.map((file) => [file, limitOf(file)]));
  const since = new Map();
  const timer = setInterval(() => {
    const running = children();
    for (const pid of since.keys()) if (!running.includes(pid)) since.delete(pid);
    for (const pid of running) {
      const file = argumentsOf(pid).find((argument) => limits.has(argument));
      if (file === undefined) continue;
      if (!since.has(pid)) since.set(pid, Date.now());
      if (Date.now() - since.get(pid) < limits.get(file)) continue;
      const names = filesOfGroup(file) ?? [file];
      console.error(`✖ not finished after ${limits.get(file) / 1_000} s, process ${pid} ended: ${names.join(', ')}`);
      process.kill(pid, 'SIGKILL');
    }
  }, PAUSE_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

// For the test of this limit.
const limitOf = (file) => Number(process.env.TEST_FILE_LIMIT_MS ?? (isSlow(file) ? SLOW_LIMIT_MS : FAST_LIMIT_MS));

/** Ids of the processes that this one has started. */
function children() {
  try {
    return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function argumentsOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended.
    return [];
  }
}
