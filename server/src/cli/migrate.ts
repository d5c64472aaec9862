import { migrate } from '../platform/database/migrate.ts';
import { runCliCommand, positionalArgs } from './run-command.ts';

let applied: string[] = [];
await runCliCommand(
  async () => {
    for (const name of applied) process.stdout.write(`applied ${name}\n`);
    process.stdout.write(`${applied.length} applied, the database is up to date\n`);
    return 0;
  },
  async (database) => {
    positionalArgs(process.argv.slice(2), [0, 0], 'Write `npm run migrate`: it has no options. Nothing was changed.');
    applied = await migrate(database);
  },
);
