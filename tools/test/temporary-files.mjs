import { readFileSync, statfsSync } from 'node:fs';

const IN_MEMORY = '/dev/shm';
const TMPFS_TYPE = 0x01021994;
const BYTES_PER_GIB = 1024 ** 3;
/** A whole run needs 0.9 GB at most: databases, data folders, browser profiles. */
const NEEDED_BYTES = 3 * BYTES_PER_GIB;
/** Memory that must remain for the programs. */
const REMAINING_MEMORY_BYTES = 6 * BYTES_PER_GIB;

/**
 * A folder in memory for databases and folders of tests: cloning and dropping a database there takes an eighth of the
 * processor time. Undefined when memory is short; tests then use the default folder.
 */
export function folderInMemory() {
  try {
    const { type, bavail, bsize } = statfsSync(IN_MEMORY);
    const availableKilobytes =
      Number(/^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024;
    return type === TMPFS_TYPE &&
      bavail * bsize >= NEEDED_BYTES &&
      availableKilobytes >= NEEDED_BYTES + REMAINING_MEMORY_BYTES
      ? IN_MEMORY
      : undefined;
  } catch {
    return undefined;
  }
}
