// `npm run lab -- bench scale`: whether commands and jobs cost the same among a million members as among ten thousand.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { statementsOf, tableOf, writeReport } from '../product/report.ts';
import { runRounds, type Tree } from '../product/rounds.ts';
import { runToEnd, say } from '../run-to-end.ts';
import { startFilled } from './filled-system.ts';
import { auditBooks, measureJobs } from './jobs.ts';
import { readScaleOptions } from './options.ts';
import { jobTableOf, ratioTableOf } from './report.ts';

const HERE = join(import.meta.dirname, '../../..');
/** Filling takes most of it. */
const LIMIT_MS = 3 * 60 * 60_000;

await runToEnd(async ({ folder, closing, limit }) => {
  const { sizes, data, hasCommands, isAudited, bench } = readScaleOptions(process.argv.slice(2));
  limit(LIMIT_MS);
  say(`load of this machine ${(loadavg()[0] ?? 0).toFixed(1)}`);
  const trees: Tree[] = [];
  for (const members of sizes) trees.push(await startFilled(members, data ?? folder, bench.members, closing));
  const jobs = [];
  for (const { system } of trees) jobs.push({ tree: system.name, costs: await measureJobs(system) });
  say(jobTableOf(jobs));
  if (hasCommands) {
    const figures = await runRounds(bench, trees, undefined, say);
    say(tableOf(figures));
    say(ratioTableOf(figures));
    if (bench.list) say(statementsOf(figures));
    writeReport(bench, figures, { this: HERE });
    say(`all figures: ${bench.output}`);
  }
  if (isAudited) for (const { system } of trees) say(`${system.name}: ${await auditBooks(system)}`);
});
