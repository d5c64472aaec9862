import type { Run } from '../product/rounds.ts';
import type { JobCost } from './jobs.ts';

/** Costs of the jobs at each size. */
export type JobsOfTree = { tree: string; costs: readonly JobCost[] };

/** How much more a command may cost among the members of the large system. */
const AIM = 1.2;
const NAME_WIDTH = 24;
const WIDTH = 12;

/** CPU of each command at both sizes, and their ratio, marked where the aim is missed. */
export function ratioTableOf({ results }: Run): string {
  const rows = [...new Set(results.map(({ command }) => command))].map((command) => {
    const [small, large] = results.filter((result) => result.command === command).map(({ figures }) => figures);
    if (!small || !large) throw new Error(`${command} was not measured at both sizes`);
    const api = large.apiMs / small.apiMs;
    const postgres = large.postgresMs / small.postgresMs;
    const both = (large.apiMs + large.postgresMs) / (small.apiMs + small.postgresMs);
    return line(command, [
      ratio(api),
      ratio(postgres),
      ratio(both),
      `${few(small.statements)} ${few(large.statements)}`,
    ]);
  });
  return ['', line('large / small', ['API', 'PG', 'both', 'stmts']), ...rows].join('\n');
}

/** CPU and time of each job at both sizes. */
export function jobTableOf([small, large]: readonly JobsOfTree[]): string {
  if (!small || !large) throw new Error('the jobs were not measured at both sizes');
  const rows = small.costs.map((one, at) => {
    const other = large.costs[at];
    const cells = [one, other].flatMap((cost) =>
      [cost?.apiMs, cost?.postgresMs, cost?.tookMs].map((value) => few(value ?? NaN)),
    );
    return line(one.name, cells);
  });
  const titles = [small, large].flatMap(({ tree }) => [`API ${tree}`, 'PG ms', 'took ms']);
  return ['', line('jobs', titles), ...rows].join('\n');
}

const few = (value: number): string => value.toFixed(1);
const ratio = (value: number): string => `${value.toFixed(2)}${value > AIM ? ' !' : '  '}`;
const line = (name: string, cells: readonly string[]): string =>
  [name.padEnd(NAME_WIDTH), ...cells.map((cell) => cell.padStart(WIDTH))].join('');
