import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/**
 * Processor time of ended children and their descendants, in seconds. Unlike wall time it does not depend on the load
 * of the machine. 0 on systems without /proc.
 */
export function cpuOfChildren() {
  try {
    return cpuOf(readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return 0;
  }
}

/**
 * Seconds of `cutime` and `cstime` in the text of /proc/PID/stat, whose second field may contain spaces and brackets.
 */
export function cpuOf(stat) {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}
