// `npm run lab -- bench scale`: cost of commands and jobs with a million members against ten thousand.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { formatStatements, formatTable, writeReport } from '../product/report.ts';
import { runRounds, type Tree } from '../product/rounds.ts';
import { runToEnd, log } from '../run-to-end.ts';
import { startFilled } from './filled-system.ts';
import { auditBooks, measureJobs } from './jobs.ts';
import { readScaleOptions } from './options.ts';
import { formatJobs, formatRatios } from './report.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Mostly for the fill. */
const LIMIT_MS = 3 * 60 * 60_000;

await runToEnd(async ({ folder, stopFunctions, limit }) => {
  const { sizes, data, hasCommands, isAudited, bench } = readScaleOptions(process.argv.slice(2));
  limit(LIMIT_MS);
  log(`load of this machine ${(loadavg()[0] ?? 0).toFixed(1)}`);
  const trees: Tree[] = [];
  for (const members of sizes) trees.push(await startFilled(members, data ?? folder, bench.members, stopFunctions));
  const jobs = [];
  for (const { system } of trees) jobs.push({ tree: system.name, costs: await measureJobs(system) });
  log(formatJobs(jobs));
  if (hasCommands) {
    const figures = await runRounds(bench, trees, undefined, log);
    log(formatTable(figures));
    log(formatRatios(figures));
    if (bench.list) log(formatStatements(figures));
    writeReport(bench, figures, { this: ROOT });
    log(`all figures: ${bench.output}`);
  }
  if (isAudited) for (const { system } of trees) log(`${system.name}: ${await auditBooks(system)}`);
});
