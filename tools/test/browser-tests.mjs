import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';
import { runNode } from './tool.mjs';

/** Runs the journeys over the running system; the report is reports/e2e.json. One that passed on a retry has failed. */
export async function runBrowserTests() {
  const report = join(ROOT, 'reports/e2e.json');
  rmSync(report, { force: true });
  const status = await runNode([join(ROOT, 'node_modules/.bin/playwright'), 'test'], { cwd: join(ROOT, 'e2e') });
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { stats } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = stats.unexpected + stats.flaky + stats.skipped;
  return { passed: stats.expected, failed: failed === 0 && status !== 0 ? 1 : failed };
}
