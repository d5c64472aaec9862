import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../install.mjs';
import { isSlow } from '../slow.mjs';
import { beginBeside, runNode } from '../tool.mjs';
import { writeGroups } from './groups.mjs';

/** Files that run concurrently on two cores. */
const DEFAULT_CONCURRENCY = 4;
/**
 * Server tests wait for retries, leases and timeouts: 4 files leave a quarter of the processor time unused, 8 starve
 * each other.
 */
const CONCURRENCY_OF_SERVER = 6;
/**
 * Number of group processes for the fast files of a workspace: enough that the last one does not run alone for long.
 */
const GROUP_COUNTS = { server: 24, simulators: 6 };
const RUN_FILES = join(import.meta.dirname, 'run-files.mjs');

/**
 * Runs the fast test files of a workspace; the report is reports/WORKSPACE.xml.
 * @param slow also runs the slow files, each in a separate process and before the others
 */
export async function runNodeTests(workspace, { slow }, options) {
  const files = testFiles(join(ROOT, workspace, 'test'));
  const fastFiles = files.filter((file) => !isSlow(file));
  const count = GROUP_COUNTS[workspace];
  const processFiles = count === undefined ? fastFiles : writeGroups(workspace, fastFiles, count);
  if (slow) processFiles.unshift(...files.filter(isSlow));
  if (processFiles.length === 0) return { passed: 0, failed: 0 };
  return runNodeFiles(workspace, processFiles, options);
}

/**
 * Runs tests concurrently with another stage, one file at a time; output goes to reports/WORKSPACE.log until the result
 * is awaited.
 */
export const beginNodeTests = (workspace, selection) =>
  beginBeside(join(ROOT, 'reports', `${workspace}.log`), (output) =>
    runNodeTests(workspace, selection, { concurrency: 1, output }),
  );

/** Runs test files; the report is reports/NAME.xml. */
export async function runNodeFiles(name, files, { concurrency, output } = {}) {
  const reportPath = join(ROOT, 'reports', `${name}.xml`);
  rmSync(reportPath, { force: true });
  const maxConcurrency = concurrency ?? (name === 'server' ? CONCURRENCY_OF_SERVER : DEFAULT_CONCURRENCY);
  const status = await runNode([RUN_FILES, reportPath, String(maxConcurrency), ...files], { output });
  const counted = countReport(existsSync(reportPath) ? readFileSync(reportPath, 'utf8') : '');
  // A run that failed outside of any test (a crash, a timeout of a file) counts as failed.
  if (status !== 0 && counted.failed === 0) counted.failed = 1;
  return counted;
}

/** Counts the tests of a JUnit report. A skipped test does not count as passed. */
export function countReport(xml) {
  const cases = xml.match(/<testcase\b[^>]*?(?:\/>|>[\s\S]*?<\/testcase>)/g) ?? [];
  const failedCount = cases.filter((item) => /<(?:failure|error|skipped)\b/.test(item)).length;
  return { passed: cases.length - failedCount, failed: failedCount };
}

/** Repeats test files when one of them or a loaded module changes. */
export const watchNodeFiles = (files) => runNode(['--test', '--watch', ...files]);

function testFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.test\.(ts|mjs)$/.test(name))
    .map((name) => join(folder, name))
    .sort();
}
