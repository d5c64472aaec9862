import { queues as sources } from '../inventory.ts';
import { failingItem, selectFailing } from '../platform/jobs/failed-work.ts';
import { type Queue, selectQueues } from '../platform/jobs/queues.ts';
import { positionalArgs } from './arguments.ts';
import { withDatabase } from './run-command.ts';

export const USAGE = 'Write `krapao queues`: it has no options.';
const [MINUTE_SECONDS, QUEUE_WIDTH, COUNT_WIDTH] = [60, 18, 6];

export const queues = withDatabase(async (args, { database, print }) => {
  positionalArgs(args, [0, 0], USAGE);
  const failingItems = await selectFailing(database, sources);
  for (const queue of await selectQueues(database, sources)) print(`${rowOf(queue)}\n`);
  for (const item of failingItems) print(`${item.queue}  ${failingItem(item)}`);
  print(`${failingItems.length} items fail\n`);
  return 0;
});

function rowOf({ queue, waitsFor, count, oldestSeconds, operatedBy }: Queue): string {
  const age = count === 0 ? '' : `, the oldest for ${Math.floor(oldestSeconds / MINUTE_SECONDS)} min`;
  const waiting = `${String(count).padStart(COUNT_WIDTH)} for the ${waitsFor}${age}`;
  return `${queue.padEnd(QUEUE_WIDTH)}${waiting}  ${operatedBy}`;
}
