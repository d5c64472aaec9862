import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../install.mjs';
import { runNode } from './tool.mjs';

const AT_ONCE = 3;
const FILE_PATIENCE_MS = 300_000;

/** Runs every *.test.ts of a workspace, three files at a time: they mostly wait for the outside; the report is reports/WORKSPACE.xml. */
export async function runNodeTests(workspace) {
  const files = testFiles(join(ROOT, workspace, 'test'));
  if (files.length === 0) return { passed: 0, failed: 0 };
  const report = join(ROOT, 'reports', `${workspace}.xml`);
  const status = await runNode([
    '--test',
    `--test-concurrency=${AT_ONCE}`,
    `--test-timeout=${FILE_PATIENCE_MS}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=junit',
    `--test-reporter-destination=${report}`,
    ...files,
  ]);
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

function testFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.test\.(ts|mjs)$/.test(name))
    .map((name) => join(folder, name))
    .sort();
}
