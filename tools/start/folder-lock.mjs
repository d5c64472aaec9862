import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Sentence } from '../install.mjs';

/** Added to a child's own limit, after which it ends itself. */
const MARGIN_MS = 5_000;
const POLL_MS = 50;

/**
 * Makes this process the only one that runs the system on a data folder. After a kill -9 of the previous one its children
 * may still be stopping: waits for them, so that ports and data are free.
 * @param patienceMs time that the children of this start may need to stop
 */
export async function lockFolder(directory, patienceMs) {
  const path = join(directory, 'running.json');
  const before = read(path);
  if (before && isThatProcess(before.launcher)) {
    throw new Sentence(
      `The data folder ${directory} is in use by another start (process ${before.launcher.pid}). Stop that one first, or set DATA_DIR to another folder.`,
    );
  }
  const still = before?.children?.filter(isThatProcess) ?? [];
  if (still.length > 0) console.log('Waiting for an earlier start that is still stopping …');
  // Uses that start's timeout, not this one's.
  for (const child of still) await untilGone(child, (before.patienceMs ?? patienceMs) + MARGIN_MS);
  const running = { launcher: describe(process.pid), patienceMs, children: [] };
  const write = () => writeFileSync(path, JSON.stringify(running));
  write();
  return {
    addChild(pid) {
      // A restarted child replaces its ended process.
      running.children = [...running.children.filter(isThatProcess), describe(pid)];
      write();
    },
    release: () => rmSync(path, { force: true }),
  };
}

async function untilGone(child, patienceMs) {
  for (let waited = 0; waited < patienceMs; waited += POLL_MS) {
    if (!isThatProcess(child)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  if (isThatProcess(child)) process.kill(child.pid, 'SIGKILL');
}

// The system reuses process ids: the start time identifies the process.
function describe(pid) {
  return { pid, started: startOf(pid) };
}

function isThatProcess({ pid, started }) {
  const found = startOf(pid);
  return found !== undefined && found === started;
}

/** Start time of a process in ticks since boot; undefined when there is none, or only a zombie. */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
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
