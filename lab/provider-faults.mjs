// `npm run lab -- faults`: transfers in both directions with every provider, every fault, and the server killed in each phase; then the
// table of outcomes. Two to four minutes.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from '../tools/install.mjs';
import { runNode } from '../tools/test/tool.mjs';

const TABLE_PATHS = ['provider-faults.txt', 'provider-crashes.txt'].map((name) => join(ROOT, 'reports', name));
const TEST_PATHS = ['provider/provider-faults.slow.test.ts', 'crash.slow.test.ts'].map((name) =>
  join(ROOT, 'server/test/transfer', name),
);

ensureInstalled();
for (const table of TABLE_PATHS) rmSync(table, { force: true });
process.exitCode = await runNode(['--test', '--test-concurrency=1', ...TEST_PATHS]);
for (const table of TABLE_PATHS) {
  if (existsSync(table)) console.log(`\n${readFileSync(table, 'utf8').trimEnd()}`);
}
