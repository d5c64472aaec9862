// `npm run migrate`: brings the database of DATABASE_URL, or the one in the data folder, to the schema of this program,
// and prints what it applied. `npm start` does the same; no other command changes a schema.
import { migrate } from '../platform/database/migrate.ts';
import { runCommand } from '../platform/start/run-command.ts';
import { wordsOf } from '../platform/start/words.ts';

let applied: string[] = [];
await runCommand(
  async () => {
    for (const name of applied) process.stdout.write(`applied ${name}\n`);
    process.stdout.write(`${applied.length} applied, the database is up to date\n`);
    return 0;
  },
  async (database) => {
    wordsOf(process.argv.slice(2), [0, 0], 'Write `npm run migrate`: it has no options. Nothing was changed.');
    applied = await migrate(database);
  },
);
