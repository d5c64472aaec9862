import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { verdictOf } from '../../lab/bench/soak/verdict.ts';
import { projectNode, ROOT } from '../install.mjs';

const MONEY_COMMANDS = new Set(['deposit', 'transfer-in', 'transfer-out', 'withdraw', 'bonus-claim']);
const COMMAND_NAMES = [
  'login',
  'wallet',
  'statement',
  'deposit',
  'transfer-in',
  'transfer-out',
  'play-refresh',
  'withdraw',
  'bonus-claim',
  'spin',
  'chat-message',
  'mix',
];

const folder = mkdtempSync(join(tmpdir(), 'krapao-bench-test-'));
const launchedPrograms = [];
after(async () => {
  for (const { child, ended } of launchedPrograms) {
    child.kill('SIGINT');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

const launchProduct = (...args) => launchProgram('product', ...args);

function launchProgram(bench, ...args) {
  const child = spawn(projectNode(), [join(ROOT, `lab/bench/${bench}/main.ts`), ...args], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const run = { child, ended: once(child, 'close').then(([code]) => ({ code, text })) };
  launchedPrograms.push(run);
  return run;
}

/** @returns exit code and output */
const runBench = (...args) => launchProduct(...args).ended;

test('the bench runs every command to its outcome, counts its cost, and leaves no processes or files', async () => {
  const output = join(folder, 'bench.json');
  const sizeOptions = ['--rounds', '1', '--seconds', '0.1', '--in-flight', '2', '--members', '3', '--skip-warm-up'];
  // With the lowest priority the simulators would get no processor time next to the other tests.
  const { code, text } = await runBench(...sizeOptions, '--simulators-nice', '0', '--output', output);
  assert.equal(code, 0, text);
  const report = JSON.parse(readFileSync(output, 'utf8'));
  assert.deepEqual(
    report.results.map(({ command }) => command),
    COMMAND_NAMES,
  );
  for (const { command, figures } of report.results) {
    assert.ok(figures.count > 0, `${command} ran`);
    const { commands, statements, unnamed, commits } = figures.counted;
    assert.ok(commands > 0 && statements > 0, `statements of ${command} were counted`);
    assert.ok(unnamed <= statements, `${command} has no more unnamed statements than statements`);
    if (MONEY_COMMANDS.has(command)) assert.ok(commits > 0, `${command} commits`);
    assert.match(text, new RegExp(`^${command} +\\d`, 'm'), `${command} stands in the table`);
  }
  assert.ok(report.doubleEntry.perSecond > 0);
  assert.deepEqual(readdirSync(folder), ['bench.json'], 'no data folder is left');
});

test('a bench interrupted while its system starts stops it, and leaves no processes or files', async () => {
  const { child, ended } = launchProduct('--only', 'wallet');
  const isStarting = () => readdirSync(folder).some((name) => existsSync(join(folder, name, 'this/running.json')));
  while (child.exitCode === null && !isStarting()) await wait(20);
  child.kill('SIGINT');
  const { code, text } = await ended;
  assert.equal(code, 1, text);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'bench.json'),
    [],
    'no data folder is left',
  );
});

test("a soak starts commands at its rate, records the system's resources, and ends with the audits", async () => {
  const output = join(folder, 'soak.json');
  const sizeOptions = ['--minutes', '0.1', '--per-second', '5', '--members', '3', '--every', '2'];
  const { code, text } = await launchProgram('soak', ...sizeOptions, '--output', output).ended;
  assert.equal(code, 0, text);
  const { rows, reasons, audits } = JSON.parse(readFileSync(output, 'utf8'));
  assert.deepEqual(reasons, []);
  assert.ok(rows.reduce((sum, { done }) => sum + done, 0) > 0, 'commands ended while samples were taken');
  for (const row of rows) {
    for (const measure of ['apiMb', 'postgresMb', 'simulatorsMb', 'connections', 'files', 'databaseMb', 'walMb']) {
      assert.ok(row[measure] > 0, `${measure} is measured`);
    }
  }
  assert.deepEqual(
    audits.map(({ status }) => status),
    [0, 0],
  );
});

test('a soak reports only a resource that still grows after the first quarter as unbounded', () => {
  const row = { apiMb: 100, postgresMb: 100, connections: 20, files: 100, walMb: 100 };
  const grownMeasures = (change) =>
    verdictOf(Array.from({ length: 60 }, (_, minute) => ({ ...row, ...change(minute) })))
      .filter(({ isBounded }) => !isBounded)
      .map(({ measure }) => measure);
  assert.deepEqual(
    grownMeasures(() => ({})),
    [],
  );
  assert.deepEqual(
    grownMeasures((minute) => ({ apiMb: 100 + 10 * Math.min(minute, 12) })),
    [],
    'caches may fill',
  );
  assert.deepEqual(
    grownMeasures((minute) => ({ apiMb: 100 + 2 * minute, files: 100 + minute })),
    ['apiMb', 'files'],
  );
});

test('the bench refuses a command that it does not know', async () => {
  const { code, text } = await runBench('--only', 'transfer-sideways');
  assert.equal(code, 1);
  assert.match(text, /There is no command transfer-sideways/);
});
