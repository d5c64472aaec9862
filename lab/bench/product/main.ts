// `npm run lab -- bench product`: cost of each member command through the real routes of a system started like `npm start`. Every wait
// and the whole run have a time limit.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { type StopFunctions, runToEnd, log } from '../run-to-end.ts';
import { commands } from './commands.ts';
import { startDoubleEntry } from './double-entry.ts';
import { createMembers } from './members.ts';
import { type Options, readOptions } from './options.ts';
import { formatStatements, formatTable, writeReport } from './report.ts';
import { runRounds, type Tree } from './rounds.ts';
import { startSystem } from './system.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Time for the start, members and counting. */
const OVERHEAD_MS = 600_000;
/** Factor for preparations and last commands of measurements. */
const TIME_FACTOR = 6;

await runToEnd(async ({ folder, stopFunctions, limit }) => {
  const options = readOptions(process.argv.slice(2));
  limit(limitOf(options));
  await run(options, folder, stopFunctions);
});

async function run(options: Options, folder: string, stopFunctions: StopFunctions): Promise<void> {
  const rootsByName: Record<string, string> = {
    ...(options.against === undefined ? {} : { before: options.against }),
    [options.against === undefined ? 'this' : 'after']: ROOT,
  };
  log(`load of this machine ${(loadavg()[0] ?? 0).toFixed(1)}`);
  const doubleEntry = await startDoubleEntry(join(folder, 'double-entry'));
  stopFunctions.push(() => doubleEntry.stop());
  const trees: Tree[] = [];
  for (const [name, root] of Object.entries(rootsByName)) {
    log(`starting ${root} …`);
    const system = await startSystem({
      name,
      root,
      data: join(folder, name),
      nice: options.simulatorsNice,
      apiProcesses: root === ROOT && name !== 'before' ? options.apiProcesses : undefined,
      onLaunched: (stop) => stopFunctions.push(stop),
    });
    stopFunctions.push(() => system.close());
    const members = await createMembers(system, options.members);
    stopFunctions.push(async () => members.forEach(({ socket }) => socket.close()));
    trees.push({ system, members });
  }
  const figures = await runRounds(options, trees, doubleEntry, log);
  log(formatTable(figures));
  if (options.list) log(formatStatements(figures));
  writeReport(options, figures, rootsByName);
  log(`all figures: ${options.output}`);
}

function limitOf({ only, rounds, seconds, against }: Options): number {
  const trees = against === undefined ? 1 : 2;
  const measurements = commands.filter(({ name }) => only.includes(name)).length * trees + 1;
  return OVERHEAD_MS + measurements * (rounds + 2) * seconds * 1_000 * TIME_FACTOR;
}
