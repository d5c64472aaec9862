import { readFileSync, statfsSync } from 'node:fs';

const IN_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
const GIB = 1024 ** 3;
/** A whole run took 0.9 GB at most: databases, folders of data, profiles of browsers. */
const NEEDED = 3 * GIB;
/** That much stays for the programs. */
const LEFT = 6 * GIB;

/**
 * A folder in memory for databases and folders that tests throw away: a database cloned and dropped takes an eighth of
 * its processor time there. Undefined where memory is short; tests take the usual folder then.
 */
export function folderInMemory() {
  try {
    const { type, bavail, bsize } = statfsSync(IN_MEMORY);
    const available = Number(/^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024;
    return type === TMPFS && bavail * bsize >= NEEDED && available >= NEEDED + LEFT ? IN_MEMORY : undefined;
  } catch {
    return undefined;
  }
}
