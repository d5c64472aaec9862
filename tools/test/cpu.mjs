import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/**
 * Processor time, in seconds, of all programs that this process has started and that have ended, and of theirs. Unlike wall time it
 * says the same on a busy machine. 0 where the system does not tell.
 */
export function cpuOfChildren() {
  try {
    return cpuOf(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return 0;
  }
}

/** Seconds of `cutime` and `cstime` in the text of a /proc/PID/stat, whose second field may hold spaces and brackets. */
export function cpuOf(stat) {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
