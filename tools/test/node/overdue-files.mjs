import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../install.mjs';
import { filesOfGroup } from './groups.mjs';

// A test sets a shorter limit.
const LIMIT_MS = Number(process.env.TEST_FILE_LIMIT_MS ?? 300_000);
const PAUSE_MS = 1_000;

/**
 * Kills each test process in which no test starts or ends for 5 minutes. Node limits a test, but not a file: one that
 * leaves a server, a timer or a process open never ends. The file counts as failed.
 * @param events events of the run @param files files of the run
 */
export function endOverdueFiles(events, files) {
  /** Group or test file with which the process of a test file was started. */
  const owners = new Map(files.flatMap((file) => [file, ...testFilesOf(file)].map((testFile) => [testFile, file])));
  /** The last file in which a test started or ended, with its time, by process file. */
  const lastEvents = new Map();
  const recordEvent = ({ file }) => owners.has(file) && lastEvents.set(owners.get(file), { file, at: Date.now() });
  events.on('test:dequeue', recordEvent);
  events.on('test:complete', recordEvent);
  const timer = setInterval(() => {
    for (const pid of children()) {
      const owner = argumentsOf(pid).find((argument) => lastEvents.has(argument));
      if (owner === undefined || Date.now() - lastEvents.get(owner).at < LIMIT_MS) continue;
      const { file } = lastEvents.get(owner);
      const names = file === owner ? [file, ...testFilesOf(file)] : [file];
      console.error(`✖ no test began or ended for ${LIMIT_MS / 1_000} s, process ${pid} ended: ${names.join(', ')}`);
      process.kill(pid, 'SIGKILL');
    }
  }, PAUSE_MS);
  events.on('end', () => clearInterval(timer));
}

const testFilesOf = (file) => filesOfGroup(file).map((name) => join(ROOT, name));

/** Ids of this process's children. */
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
    // The process has ended.
    return [];
  }
}
