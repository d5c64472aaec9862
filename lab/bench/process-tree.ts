import { readdirSync, readFileSync } from 'node:fs';

// What Linux has counted in since long before this was written; getconf CLK_TCK says the same.
const MS_PER_TICK = 10;

type Process = { parent: number; ticks: number };

/** CPU that processes have used so far, in ms, each with its descendants and those that these have buried. */
export type TreeCpu = {
  /** @param without processes that are not counted, with their descendants */
  of(root: number, without?: readonly number[]): number;
};

/** Reads all processes of the machine, once. */
export function readCpu(): TreeCpu {
  const { processes, children } = readProcesses();
  const ticksOf = (pid: number, without: readonly number[]): number => {
    if (without.includes(pid)) return 0;
    const below = (children.get(pid) ?? []).map((child) => ticksOf(child, without));
    return below.reduce((sum, ticks) => sum + ticks, processes.get(pid)?.ticks ?? 0);
  };
  return { of: (root, without = []) => ticksOf(root, without) * MS_PER_TICK };
}

/** A process and its descendants. @param without processes that are left out, with their descendants */
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
    const found = /^\d+$/.test(name) ? readProcess(name) : undefined;
    if (!found) continue;
    processes.set(Number(name), found);
    children.set(found.parent, [...(children.get(found.parent) ?? []), Number(name)]);
  }
  return { processes, children };
}

function readProcess(pid: string): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program may hold spaces; the fields begin after its closing bracket.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (place: number): number => Number(fields[place]);
    return { parent: at(1), ticks: at(11) + at(12) + at(13) + at(14) };
  } catch {
    // It has ended since.
    return undefined;
  }
}
