// `npm run audit`: checks the books against themselves and prints one line per check. Exits with 1 when a check finds a
// violation. Reads the database of DATABASE_URL, or the one in the data folder, whether the server runs or not.
import { audit } from '../ledger/module.ts';
import type { Database } from '../platform/database/database.ts';
import { runCommand } from '../platform/start/run-command.ts';

await runCommand(report);

async function report(database: Database): Promise<number> {
  const audits = await audit(database);
  for (const { name, violations } of audits) {
    process.stdout.write(`${violations === 0 ? 'right' : `WRONG: ${violations}`.padEnd(5)}  ${name}\n`);
  }
  const wrong = audits.filter(({ violations }) => violations > 0).length;
  process.stdout.write(`${audits.length} checks, ${wrong} wrong\n`);
  return wrong === 0 ? 0 : 1;
}
