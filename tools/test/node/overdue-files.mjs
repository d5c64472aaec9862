import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../install.mjs';
import { filesOfGroup } from './groups.mjs';

// A test for this limit sets a shorter one.
const LIMIT_MS = Number(process.env.TEST_FILE_LIMIT_MS ?? 300_000);
const PAUSE_MS = 1_000;

/**
 * Ends each process of test files in which no test begins or ends for 5 minutes. Node limits a test, but not a file: one that leaves a
 * server, a timer or a process open never ends. The file counts as failed.
 * @param events of the run @param files what the run was started with
 */
export function endOverdueFiles(events, files) {
  /** The process of a file, by the file that it was started with: a group runs several. */
  const owners = new Map(files.flatMap((file) => [file, ...testFilesOf(file)].map((each) => [each, file])));
  /** By owner, the file in which a test began or ended last, and when. */
  const last = new Map();
  const note = ({ file }) => owners.has(file) && last.set(owners.get(file), { file, at: Date.now() });
  events.on('test:dequeue', note);
  events.on('test:complete', note);
  const timer = setInterval(() => {
    for (const pid of children()) {
      const owner = argumentsOf(pid).find((argument) => last.has(argument));
      if (owner === undefined || Date.now() - last.get(owner).at < LIMIT_MS) continue;
      const { file } = last.get(owner);
      const names = file === owner ? [file, ...testFilesOf(file)] : [file];
      console.error(`✖ no test began or ended for ${LIMIT_MS / 1_000} s, process ${pid} ended: ${names.join(', ')}`);
      process.kill(pid, 'SIGKILL');
    }
  }, PAUSE_MS);
  events.on('end', () => clearInterval(timer));
}

const testFilesOf = (file) => filesOfGroup(file).map((name) => join(ROOT, name));

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
