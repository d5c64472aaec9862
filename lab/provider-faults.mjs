// `npm run lab -- faults`: transfers in both directions with every provider, every fault, and the server killed in each phase; then the
// table of outcomes. Two to four minutes.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from '../tools/install.mjs';
import { runNode } from '../tools/test/tool.mjs';

const TABLES = ['provider-faults.txt', 'provider-crashes.txt'].map((name) => join(ROOT, 'reports', name));
const TESTS = ['provider/provider-faults.slow.test.ts', 'crash.slow.test.ts'].map((name) =>
  join(ROOT, 'server/test/transfer', name),
);

ensureInstalled();
for (const table of TABLES) rmSync(table, { force: true });
process.exitCode = await runNode(['--test', '--test-concurrency=1', ...TESTS]);
for (const table of TABLES) {
  if (existsSync(table)) console.log(`\n${readFileSync(table, 'utf8').trimEnd()}`);
}
