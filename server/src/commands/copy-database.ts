// `npm run copy-database -- URL`: copies the database of DATABASE_URL, or the one in the data folder, into an empty database
// of another server, of any PostgreSQL from 15 on, and compares every table. For moving to a cluster, with no server running.
import { copyDatabase } from '../platform/database/copy/copy-database.ts';
import { isDatabaseUrl, PERCENT_ENCODED } from '../platform/setting-forms.ts';
import { explainDatabaseFailure } from '../platform/start/start-failure.ts';
import { CannotStart } from '../platform/start/cannot-start.ts';
import { runCommand } from '../platform/start/run-command.ts';

await runCommand(async (_database, _config, url) => {
  const [target] = process.argv.slice(2);
  if (target === undefined || !isDatabaseUrl(target)) {
    const form = `postgresql://user:password@host:5432/database, with ${PERCENT_ENCODED}`;
    throw new CannotStart(`Say where to: npm run copy-database -- ${form}.`);
  }
  const copied = await copyDatabase(url, target).catch((error: unknown) => {
    const sentence = explainDatabaseFailure(error, 'DATABASE_URL or the target');
    throw sentence ? new CannotStart(sentence, { cause: error }) : error;
  });
  for (const { table, rows } of copied) process.stdout.write(`${table}: ${rows}\n`);
  process.stdout.write(`${copied.length} tables are the same in both databases.\n`);
  return 0;
});
