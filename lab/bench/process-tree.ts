import { readdirSync, readFileSync } from 'node:fs';

// Linux counts CPU in ticks of 10 ms (getconf CLK_TCK is 100).
const MS_PER_TICK = 10;

type Process = { parent: number; ticks: number };

/** CPU used so far in ms, per process with its running and ended descendants. */
export type TreeCpu = {
  /** @param without processes to exclude, with their descendants */
  of(root: number, without?: readonly number[]): number;
};

/** Reads all processes of the machine. */
export function readCpu(): TreeCpu {
  const { processes, children } = readProcesses();
  const ticksOf = (pid: number, without: readonly number[]): number => {
    if (without.includes(pid)) return 0;
    const ofChildren = (children.get(pid) ?? []).map((child) => ticksOf(child, without));
    return ofChildren.reduce((sum, ticks) => sum + ticks, processes.get(pid)?.ticks ?? 0);
  };
  return { of: (root, without = []) => ticksOf(root, without) * MS_PER_TICK };
}

/** A process and its descendants. @param without processes to exclude, with their descendants */
export function processesOf(root: number, without: readonly number[] = []): number[] {
  const { children } = readProcesses();
  const from = (pid: number): number[] =>
    without.includes(pid) ? [] : [pid, ...(children.get(pid) ?? []).flatMap((child) => from(child))];
  return from(root);
}

function readProcesses(): { processes: Map<number, Process>; children: Map<number, number[]> } {
  const processes = new Map<number, Process>();
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const process = /^\d+$/.test(name) ? readProcess(name) : undefined;
    if (!process) continue;
    processes.set(Number(name), process);
    children.set(process.parent, [...(children.get(process.parent) ?? []), Number(name)]);
  }
  return { processes, children };
}

function readProcess(pid: string): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program name may contain spaces; fields start after its stopFunctions bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (index: number): number => Number(fields[index]);
    return { parent: at(1), ticks: at(11) + at(12) + at(13) + at(14) };
  } catch {
    // The process has ended.
    return undefined;
  }
}
