import { copyDatabase } from '../platform/database/copy.ts';
import { isDatabaseUrl, PERCENT_ENCODED } from '../platform/env-schemas.ts';
import { explainDatabaseFailure } from '../platform/start/startup-errors.ts';
import { UserError } from '../platform/errors.ts';
import { runCliCommand } from './run-command.ts';

await runCliCommand(async (_database, _config, url) => {
  const [target] = process.argv.slice(2);
  if (target === undefined || !isDatabaseUrl(target)) {
    const form = `postgresql://user:password@host:5432/database, with ${PERCENT_ENCODED}`;
    throw new UserError(`Say where to: npm run copy-database -- ${form}.`);
  }
  const copied = await copyDatabase(url, target).catch((error: unknown) => {
    const sentence = explainDatabaseFailure(error, 'DATABASE_URL or the target');
    throw sentence ? new UserError(sentence, { cause: error }) : error;
  });
  for (const { table, rows } of copied) process.stdout.write(`${table}: ${rows}\n`);
  process.stdout.write(`${copied.length} tables are the same in both databases.\n`);
  return 0;
});
