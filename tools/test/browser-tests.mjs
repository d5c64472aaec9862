import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';
import { runNode } from './tool.mjs';

/**
 * Runs a project of journeys over a system of its own; the report is reports/STAGE.json. One that passed on a retry has failed.
 */
export async function runBrowserTests(stage, project) {
  const report = join(ROOT, 'reports', `${stage}.json`);
  rmSync(report, { force: true });
  const words = ['test', `--project=${project}`, '--no-deps'];
  const status = await runNode([join(ROOT, 'node_modules/.bin/playwright'), ...words], {
    cwd: join(ROOT, 'e2e'),
    env: { ...process.env, REPORT: report },
  });
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  const { stats } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = stats.unexpected + stats.flaky + stats.skipped;
  return { passed: stats.expected, failed: failed === 0 && status !== 0 ? 1 : failed };
}
