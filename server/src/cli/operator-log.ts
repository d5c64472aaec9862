import { timeOf } from '../platform/time.ts';
import type { Database } from '../platform/database/database.ts';
import { type OperatorEntry, selectOperatorLog } from '../platform/operator-log.ts';
import { runCliCommand, positionalArgs } from './run-command.ts';

const NEWEST = 100;
const ALL_OF_ONE = 10_000;

await runCliCommand((database) => list(database, process.argv.slice(2)));

// An arrival is identified by two words: its bank and its reference.
async function list(database: Database, args: string[]): Promise<number> {
  const words = positionalArgs(args, [0, 2], 'Write `npm run operator-log`, with or without a SUBJECT.');
  const subject = words.length === 0 ? undefined : words.join(' ');
  const entries = await selectOperatorLog(database, { subject, limit: subject === undefined ? NEWEST : ALL_OF_ONE });
  for (const entry of entries) process.stdout.write(`${lineOf(entry)}\n`);
  process.stdout.write(`${entries.length} entries\n`);
  return 0;
}

function lineOf({ at, operator, what, subject, reason }: OperatorEntry): string {
  return [timeOf(at), operator.padEnd(12), what.padEnd(24), subject, reason].join('  ');
}
