import { readdirSync, readFileSync } from 'node:fs';

// Linux counts CPU in ticks of 10 ms (getconf CLK_TCK is 100).
const MS_PER_TICK = 10;

type ProcessEntry = { parent: number; ticks: number };

/** CPU used so far in ms, per process with its running and ended descendants. */
export type TreeCpu = {
  /** @param without processes to exclude, with their descendants */
  of(root: number, without?: readonly number[]): number;
};

/** Reads all processes of the machine. */
export function readCpu(): TreeCpu {
  const { processes, children } = readProcesses();
  const ticksOf = (pid: number, excludedPids: readonly number[]): number => {
    if (excludedPids.includes(pid)) return 0;
    const ofChildren = (children.get(pid) ?? []).map((child) => ticksOf(child, excludedPids));
    return ofChildren.reduce((total, ticks) => total + ticks, processes.get(pid)?.ticks ?? 0);
  };
  return { of: (root, without = []) => ticksOf(root, without) * MS_PER_TICK };
}

/** A process and its descendants. @param excludedPids processes to exclude, with their descendants */
export function processesOf(root: number, excludedPids: readonly number[] = []): number[] {
  const { children } = readProcesses();
  const descendantsOf = (pid: number): number[] =>
    excludedPids.includes(pid) ? [] : [pid, ...(children.get(pid) ?? []).flatMap((child) => descendantsOf(child))];
  return descendantsOf(root);
}

function readProcesses(): { processes: Map<number, ProcessEntry>; children: Map<number, number[]> } {
  const processes = new Map<number, ProcessEntry>();
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const process = /^\d+$/.test(name) ? readProcess(name) : undefined;
    if (!process) continue;
    processes.set(Number(name), process);
    children.set(process.parent, [...(children.get(process.parent) ?? []), Number(name)]);
  }
  return { processes, children };
}

function readProcess(pid: string): ProcessEntry | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name may contain spaces; the fields start after its closing bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const numberAt = (index: number): number => Number(fields[index]);
    return { parent: numberAt(1), ticks: numberAt(11) + numberAt(12) + numberAt(13) + numberAt(14) };
  } catch {
    // The process has ended.
    return undefined;
  }
}
