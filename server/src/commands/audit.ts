// `npm run audit`: checks the books against themselves and prints one line per check. Exits with 1 when a check finds a
// violation. Reads the database of DATABASE_URL, or the one in the data folder, whether the server runs or not.
// `--metrics FILE` also writes the outcome for Prometheus.
import { audit } from '../ledger/module.ts';
import type { Database } from '../platform/database/database.ts';
import { systemClock } from '../platform/clock.ts';
import { metricsFileOption, writeMetricsFile } from '../platform/start/metrics-file.ts';
import { runCommand } from '../platform/start/run-command.ts';

await runCommand(report);

async function report(database: Database): Promise<number> {
  const metricsFile = metricsFileOption(process.argv.slice(2));
  const audits = await audit(database);
  for (const { name, violations } of audits) {
    process.stdout.write(`${violations === 0 ? 'right' : `WRONG: ${violations}`.padEnd(5)}  ${name}\n`);
  }
  const wrong = audits.filter(({ violations }) => violations > 0).length;
  writeMetricsFile(metricsFile, 'audit', 'wrong', wrong, systemClock.now());
  process.stdout.write(`${audits.length} checks, ${wrong} wrong\n`);
  return wrong === 0 ? 0 : 1;
}
