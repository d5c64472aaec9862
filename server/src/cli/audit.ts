import { audit } from '../ledger/index.ts';
import type { Database } from '../platform/database/database.ts';
import { systemClock } from '../platform/time.ts';
import { metricsFileOption, writeMetricsFile, runCliCommand } from './run-command.ts';

await runCliCommand(report);

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
