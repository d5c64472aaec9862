// `npm run lab -- bench product`: what the product's own commands cost, on the real routes of a system started as `npm start` starts it.
// Ends by itself: every wait inside has a limit, and the whole run has one.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { type Closing, runToEnd, say } from '../run-to-end.ts';
import { startDoubleEntry } from './double-entry.ts';
import { makeMembers } from './members.ts';
import { type Options, readOptions } from './options.ts';
import { statementsOf, tableOf, writeReport } from './report.ts';
import { runRounds, type Tree } from './rounds.ts';
import { startSystem } from './system.ts';
import { commands } from './commands.ts';

const HERE = join(import.meta.dirname, '../../..');
/** Starting, members, counting; beside the measurements themselves. */
const AROUND_MS = 600_000;
/** A measurement may take longer than wished, as its last commands do, and has to be prepared. */
const SLACK = 6;

await runToEnd(async ({ folder, closing, limit }) => {
  const options = readOptions(process.argv.slice(2));
  limit(limitOf(options));
  await run(options, folder, closing);
});

async function run(options: Options, folder: string, closing: Closing): Promise<void> {
  const roots: Record<string, string> = {
    ...(options.against === undefined ? {} : { before: options.against }),
    [options.against === undefined ? 'this' : 'after']: HERE,
  };
  say(`load of this machine ${(loadavg()[0] ?? 0).toFixed(1)}`);
  const doubleEntry = await startDoubleEntry(join(folder, 'double-entry'));
  closing.push(() => doubleEntry.stop());
  const trees: Tree[] = [];
  for (const [name, root] of Object.entries(roots)) {
    say(`starting ${root} …`);
    const system = await startSystem({
      name,
      root,
      data: join(folder, name),
      nice: options.simulatorsNice,
      apiProcesses: root === HERE && name !== 'before' ? options.apiProcesses : undefined,
      onLaunched: (stop) => closing.push(stop),
    });
    closing.push(() => system.close());
    const members = await makeMembers(system, options.members);
    closing.push(async () => members.forEach(({ socket }) => socket.close()));
    trees.push({ system, members });
  }
  const figures = await runRounds(options, trees, doubleEntry, say);
  say(tableOf(figures));
  if (options.list) say(statementsOf(figures));
  writeReport(options, figures, roots);
  say(`all figures: ${options.output}`);
}

function limitOf({ only, rounds, seconds, against }: Options): number {
  const trees = against === undefined ? 1 : 2;
  const measurements = commands.filter(({ name }) => only.includes(name)).length * trees + 1;
  return AROUND_MS + measurements * (rounds + 2) * seconds * 1_000 * SLACK;
}
