import type { Run } from '../product/rounds.ts';
import type { JobCost } from './jobs.ts';

/** Costs of the jobs of one size. */
export type JobsOfTree = { tree: string; costs: readonly JobCost[] };

/** Allowed ratio of the cost in the large system. */
const RATIO_AIM = 1.2;
const NAME_WIDTH = 24;
const CELL_WIDTH = 12;

/** Ratios of CPU per command between the sizes; marks missed aims. */
export function formatRatios({ results }: Run): string {
  const rows = [...new Set(results.map(({ command }) => command))].map((command) => {
    const [smallFigures, largeFigures] = results
      .filter((result) => result.command === command)
      .map(({ figures }) => figures);
    if (!smallFigures || !largeFigures) throw new Error(`${command} was not measured at both sizes`);
    const apiRatio = largeFigures.apiMs / smallFigures.apiMs;
    const postgresRatio = largeFigures.postgresMs / smallFigures.postgresMs;
    const totalRatio = (largeFigures.apiMs + largeFigures.postgresMs) / (smallFigures.apiMs + smallFigures.postgresMs);
    return formatRow(command, [
      formatRatio(apiRatio),
      formatRatio(postgresRatio),
      formatRatio(totalRatio),
      `${oneDecimal(smallFigures.statements)} ${oneDecimal(largeFigures.statements)}`,
    ]);
  });
  return ['', formatRow('large / small', ['API', 'PG', 'both', 'stmts']), ...rows].join('\n');
}

/** CPU and time of each job at both sizes, as a table. */
export function formatJobs([small, large]: readonly JobsOfTree[]): string {
  if (!small || !large) throw new Error('the jobs were not measured at both sizes');
  const rows = small.costs.map((smallCost, index) => {
    const cells = [smallCost, large.costs[index]].flatMap((cost) =>
      [cost?.apiMs, cost?.postgresMs, cost?.tookMs].map((value) => oneDecimal(value ?? NaN)),
    );
    return formatRow(smallCost.name, cells);
  });
  const titles = [small, large].flatMap(({ tree }) => [`API ${tree}`, 'PG ms', 'took ms']);
  return ['', formatRow('jobs', titles), ...rows].join('\n');
}

const oneDecimal = (value: number): string => value.toFixed(1);
const formatRatio = (value: number): string => `${value.toFixed(2)}${value > RATIO_AIM ? ' !' : '  '}`;
const formatRow = (name: string, cells: readonly string[]): string =>
  [name.padEnd(NAME_WIDTH), ...cells.map((cell) => cell.padStart(CELL_WIDTH))].join('');
