import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../install.mjs';

/** Extra time after a child's own stop timeout. */
const MARGIN_MS = 5_000;
const POLL_MS = 50;

/**
 * Ensures that only one process runs the system on a data folder. After a kill -9 the children of the previous process
 * may still be stopping: waits until ports and data are free.
 * @param patienceMs stop timeout of this start's children
 */
export async function lockFolder(directory, patienceMs) {
  const path = join(directory, 'running.json');
  const previousRun = read(path);
  if (previousRun && isThatProcess(previousRun.launcher)) {
    throw new UserError(
      `The data folder ${directory} is in use by another start (process ${previousRun.launcher.pid}). Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
  const remainingChildren = previousRun?.children?.filter(isThatProcess) ?? [];
  if (remainingChildren.length > 0) console.log('Waiting for an earlier start that is still stopping …');
  // Uses the timeout of the previous start, not of this one.
  for (const child of remainingChildren) await untilGone(child, (previousRun.patienceMs ?? patienceMs) + MARGIN_MS);
  const runState = { launcher: describe(process.pid), patienceMs, children: [] };
  const writeState = () => writeFileSync(path, JSON.stringify(runState));
  writeState();
  return {
    addChild(pid) {
      // A restarted child replaces its ended process.
      runState.children = [...runState.children.filter(isThatProcess), describe(pid)];
      writeState();
    },
    release: () => rmSync(path, { force: true }),
  };
}

async function untilGone(child, patienceMs) {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
    if (!isThatProcess(child)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  if (isThatProcess(child)) process.kill(child.pid, 'SIGKILL');
}

// Identifies a process by its start time as well, because the system reuses process ids.
function describe(pid) {
  return { pid, started: startOf(pid) };
}

function isThatProcess({ pid, started }) {
  const startTime = startOf(pid);
  return startTime !== undefined && startTime === started;
}

/** Start time of a process in ticks since boot; undefined for an ended process or a zombie. */
function startOf(pid) {
  try {
    const statText = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = statText.slice(statText.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
