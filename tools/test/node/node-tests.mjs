import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../install.mjs';
import { isSlow } from '../slow.mjs';
import { writeGroups } from './groups.mjs';
import { beginBeside, runNode } from '../tool.mjs';

/** Files that run concurrently on two cores. */
const CONCURRENCY = 4;
/** Tests of the server wait for retries, leases and timeouts: with 4 files a quarter of the processor time is unused, 8 starve them. */
const CONCURRENCY_OF_SERVER = 6;
/** Processes that share the fast files of a workspace: enough that the last one to end does not run alone for long. */
const GROUPS = { server: 24, simulators: 6 };
const RUN_FILES = join(import.meta.dirname, 'run-files.mjs');

/**
 * Runs the fast test files of a workspace; the report is reports/WORKSPACE.xml.
 * @param slow also the slow ones, each in a process of its own and before the others
 */
export async function runNodeTests(workspace, { slow }, options) {
  const files = testFiles(join(ROOT, workspace, 'test'));
  const fast = files.filter((file) => !isSlow(file));
  const count = GROUPS[workspace];
  const processes = count === undefined ? fast : writeGroups(workspace, fast, count);
  if (slow) processes.unshift(...files.filter(isSlow));
  if (processes.length === 0) return { passed: 0, failed: 0 };
  return runNodeFiles(workspace, processes, options);
}

/** The same concurrently with another stage, one file at a time; its output goes to reports/WORKSPACE.log until its result is asked for. */
export const beginNodeTests = (workspace, selection) =>
  beginBeside(join(ROOT, 'reports', `${workspace}.log`), (output) =>
    runNodeTests(workspace, selection, { concurrency: 1, output }),
  );

/** Runs test files; the report is reports/NAME.xml. */
export async function runNodeFiles(name, files, { concurrency, output } = {}) {
  const report = join(ROOT, 'reports', `${name}.xml`);
  rmSync(report, { force: true });
  const most = concurrency ?? (name === 'server' ? CONCURRENCY_OF_SERVER : CONCURRENCY);
  const status = await runNode([RUN_FILES, report, String(most), ...files], { output });
  const counted = countReport(existsSync(report) ? readFileSync(report, 'utf8') : '');
  // A run that failed outside of any test (a crash, a timeout of a file) has failed all the same.
  if (status !== 0 && counted.failed === 0) counted.failed = 1;
  return counted;
}

/** Counts the tests of a JUnit report. A skipped one has shown nothing, so it has not passed. */
export function countReport(xml) {
  const cases = xml.match(/<testcase\b[^>]*?(?:\/>|>[\s\S]*?<\/testcase>)/g) ?? [];
  const failed = cases.filter((item) => /<(?:failure|error|skipped)\b/.test(item)).length;
  return { passed: cases.length - failed, failed };
}

/** Runs test files again whenever one of them or a module that they load changes. */
export const watchNodeFiles = (files) => runNode(['--test', '--watch', ...files]);

function testFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.test\.(ts|mjs)$/.test(name))
    .map((name) => join(folder, name))
    .sort();
}
