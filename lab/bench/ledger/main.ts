// `npm run lab -- bench ledger`: ledger throughput against hand-written SQL. Rounds of all contenders alternate, so that other load
// affects them equally: compare ratios.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@krapao/server/src/platform/database/database.ts';
import { launchEmbeddedPostgres } from '@krapao/server/src/platform/database/embedded-postgres/launch.ts';
import { migrate } from '@krapao/server/src/platform/database/migrate.ts';
import { HAND_WRITTEN_TABLES, HandWritten } from './hand-written.ts';
import { InProcess } from './in-process.ts';
import { hasPgbench } from './pgbench.ts';
import { printAudits, printReport } from './report.ts';
import { measure } from './rounds.ts';
import { ThroughHttp } from './through-http.ts';

const isQuick = process.argv.includes('--quick');
const folder = mkdtempSync(join(tmpdir(), 'krapao-bench-'));
const postgres = await launchEmbeddedPostgres({ directory: join(folder, 'postgres'), maxConnections: 150 });
const database = openDatabase({ url: postgres.url, size: 4 });
const ledger = new InProcess(postgres.url, database);
const handWritten = new HandWritten(postgres.url);
let throughHttp: ThroughHttp | undefined;
try {
  await migrate(database);
  await database.query(HAND_WRITTEN_TABLES);
  await ledger.prepare();
  throughHttp = await ThroughHttp.start(postgres.url, database);
  const plan = isQuick ? { rounds: 1, roundMs: 1_000 } : { rounds: 3, roundMs: 3_000 };
  const withPgbench = hasPgbench();
  printReport(await measure({ ...plan, withPgbench, postgres, database, ledger, handWritten, http: throughHttp }));
  printAudits(await ledger.ledger.audit());
} finally {
  await throughHttp?.close();
  await handWritten.close();
  await ledger.close();
  await database.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
