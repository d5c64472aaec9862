import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../install.mjs';
import { writeGroups } from './groups.mjs';
import { beginBeside, runNode } from '../tool.mjs';

/** How many files run at once on two cores. */
const AT_ONCE = 4;
/** Those of the server wait for retries, leases and timeouts: four leave a quarter of the processor time unused, eight starve them. */
const AT_ONCE_OF_SERVER = 6;
/** How many processes the short files of a workspace share: enough that the last one to end is not alone for long. */
const GROUPS = { server: 24, simulators: 6 };
const RUN_FILES = join(import.meta.dirname, 'run-files.mjs');

/**
 * Those that take longest, the longest first: each as long as many others together, so none may begin when the rest
 * ends. Reading slips comes earlier than by its length: it computes while the others wait.
 */
export const LONGEST_FIRST = [
  'server/test/withdraw/crash.test.ts',
  'server/test/nodes/rolling-upgrade.test.ts',
  'server/test/deposit/slip/reading.test.ts',
  'server/test/transfer/operator.test.ts',
  'server/test/transfer/crash.test.ts',
  'server/test/nodes/several-nodes.test.ts',
  'server/test/backup/backup.test.ts',
  'server/test/deposit/slip/reasons.test.ts',
  'server/test/transfer/provider/provider-faults.test.ts',
  'server/test/deposit/slip/upload.test.ts',
  'server/test/deposit/qrcode/gateways/each-gateway.test.ts',
  'server/test/deposit/qrcode/pay-qrcode.test.ts',
  'server/test/platform/start/main.test.ts',
  'server/test/transfer/game-to-game.test.ts',
  'server/test/platform/crypto/reencrypt.test.ts',
  'server/test/nodes/failover.test.ts',
  'server/test/transfer/provider/faults.test.ts',
  'server/test/platform/database/embedded-postgres.test.ts',
  'server/test/platform/http/slow-client/slow-clients.test.ts',
  'server/test/deposit/qrcode/kill.test.ts',
  'server/test/deposit/bank-transfer/kill.test.ts',
  'server/test/deposit/slip/crash.test.ts',
  'server/test/reconcile/random-day.test.ts',
  'server/test/withdraw/lying-bank.test.ts',
  'server/test/deposit/truelink/truelink.test.ts',
  'server/test/event/member-socket.test.ts',
  'server/test/ledger/kill.test.ts',
  'server/test/reconcile/reconcile.test.ts',
  'server/test/account/log-in.test.ts',
  'simulators/test/process.test.ts',
  'simulators/test/games/sports-kill.test.ts',
  'simulators/test/games/lotto-process.test.ts',
  'tools/test/start.test.mjs',
];

/** Runs every *.test.ts of a workspace, some files at a time; the report is reports/WORKSPACE.xml. */
export async function runNodeTests(workspace, atOnce, output) {
  const files = testFiles(join(ROOT, workspace, 'test'));
  if (files.length === 0) return { passed: 0, failed: 0 };
  return runNodeFiles(workspace, grouped(workspace, files), atOnce, output);
}

/** The same beside another stage, one file at a time; its output goes to reports/WORKSPACE.log until its result is asked for. */
export const beginNodeTests = (workspace) =>
  beginBeside(join(ROOT, 'reports', `${workspace}.log`), (output) => runNodeTests(workspace, 1, output));

/** Runs test files; the report is reports/NAME.xml. */
export async function runNodeFiles(name, files, atOnce = name === 'server' ? AT_ONCE_OF_SERVER : AT_ONCE, output) {
  const report = join(ROOT, 'reports', `${name}.xml`);
  rmSync(report, { force: true });
  const status = await runNode([RUN_FILES, report, String(atOnce), ...files], { output });
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

/** Those that take long, each in a process of its own, and first; then the others in groups. */
function grouped(workspace, files) {
  const count = GROUPS[workspace];
  if (count === undefined) return files;
  const isLong = (file) => LONGEST_FIRST.some((path) => join(ROOT, path) === file);
  const short = files.filter((file) => !isLong(file));
  return [...files.filter(isLong), ...writeGroups(workspace, short, count)];
}

function testFiles(folder) {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { recursive: true })
    .filter((name) => /\.test\.(ts|mjs)$/.test(name))
    .map((name) => join(folder, name))
    .sort();
  const long = LONGEST_FIRST.map((path) => join(ROOT, path));
  return [...long.filter((path) => found.includes(path)), ...found.filter((path) => !long.includes(path))];
}
