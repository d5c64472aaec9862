import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT } from '../install.mjs';
import { runAgain, runBrowserTests } from './browser-tests.mjs';
import { cpuOf, cpuOfChildren } from './cpu.mjs';
import { writeGroups } from './node/groups.mjs';
import { countReport } from './node/node-tests.mjs';

// A separate Playwright project, below the installed packages. Its tests open no browser.
const CACHE_FOLDER = join(ROOT, 'node_modules/.cache');
const PLAYWRIGHT_CONFIG = `export default {
  projects: [{ name: 'fast' }], outputDir: 'results', reporter: [['json', { outputFile: process.env.REPORT }]],
};`;
const specFile = (tests) => `
  import { existsSync, writeFileSync } from 'node:fs';
  import { expect, test } from '@playwright/test';
  const isFirstRun = (name) => {
    const mark = new URL(name, import.meta.url).pathname;
    if (existsSync(mark)) return false;
    writeFileSync(mark, '');
    return true;
  };
  ${tests}`;
const FAILS_ONCE = (name) => `test('${name}', () => expect(isFirstRun('${name}')).toBe(false));`;

describe('journeys that fail', { concurrency: 3 }, () => {
  const folders = [];
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  async function run(tests) {
    mkdirSync(CACHE_FOLDER, { recursive: true });
    const folder = mkdtempSync(join(CACHE_FOLDER, 'unsteady-'));
    folders.push(folder);
    writeFileSync(join(folder, 'playwright.config.mjs'), PLAYWRIGHT_CONFIG);
    writeFileSync(join(folder, 'x.spec.mjs'), specFile(tests));
    const folderOptions = { cwd: folder, reports: folder };
    const firstRun = await runBrowserTests('e2e', ['fast'], folderOptions);
    return {
      first: firstRun,
      second: firstRun.again.length > 0 ? await runAgain(firstRun.again, folderOptions) : undefined,
    };
  }
  const titlesOf = (journeys) => journeys.map(({ titles }) => titles.join(' '));

  test('a failed journey that passes alone is unsteady, one that fails twice has failed', async () => {
    const tests = `test.describe('group', () => { ${FAILS_ONCE('once')} });
      test('always', () => expect(1).toBe(2));
      test('never', () => {});`;
    const { first: firstRun, second: secondRun } = await run(tests);
    assert.deepEqual([firstRun.passed, firstRun.failed, firstRun.again.length], [1, 0, 2]);
    assert.deepEqual(titlesOf(secondRun.unsteady), ['group once']);
    assert.deepEqual(titlesOf(secondRun.failed), ['always']);
  });

  test('six journeys may be unsteady in a run; with seven, all have failed and none is repeated', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const sixFailures = await run(names.map(FAILS_ONCE).join('\n'));
    assert.deepEqual(titlesOf(sixFailures.second.unsteady).toSorted(), names);
    const sevenFailures = await run([...names, 'g'].map(FAILS_ONCE).join('\n'));
    assert.deepEqual(sevenFailures.second.unsteady, []);
    assert.equal(sevenFailures.second.failed.length, 7);
  });

  test('a disabled journey, and a run that does not start, count as failed', async () => {
    const skippedRun = await run(`test.skip('off', () => {}); test('on', () => {});`);
    assert.deepEqual([skippedRun.first.passed, skippedRun.first.failed, skippedRun.first.again.length], [1, 1, 0]);
    const brokenRun = await run(`throw new Error('no tests here');`);
    assert.deepEqual([brokenRun.first.passed, brokenRun.first.failed, brokenRun.first.again.length], [0, 1, 0]);
  });
});

describe('files of tests that share a process', () => {
  const GROUP_NAME = 'runner-test';
  let folder;
  before(() => {
    mkdirSync(CACHE_FOLDER, { recursive: true });
    folder = mkdtempSync(join(CACHE_FOLDER, 'groups-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
    for (const path of writeGroups(GROUP_NAME, [], 1)) rmSync(path);
  });

  const fileOf = (name, body) => {
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(path, `import { after, before, test } from 'node:test';\n${body}`);
    return path;
  };
  const passingFile = (name) =>
    fileOf(
      name,
      `before(() => console.log('${name} begins')); after(() => console.log('${name} ends'));
       test('of ${name}', () => console.log('${name} runs'));`,
    );
  function run(files, environment = {}) {
    const reportPath = join(folder, 'report.xml');
    // With this variable the run would count as part of the outer run.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'node/run-files.mjs'), reportPath, '1', ...files],
      { encoding: 'utf8', env: { ...env, ...environment } },
    );
    const progressLines = stdout.split('\n').filter((line) => /^\w+ (begins|runs|ends)$/.test(line));
    return { status, progressLines, stderr, counted: countReport(readFileSync(reportPath, 'utf8')) };
  }
  const runGroup = (files, environment) => run(writeGroups(GROUP_NAME, files, 1), environment);

  test('each of several test files in one process has its own hooks, and they run in sequence', () => {
    const { status, progressLines, counted } = runGroup([passingFile('one'), passingFile('two')]);
    assert.deepEqual(progressLines, ['one begins', 'one runs', 'one ends', 'two begins', 'two runs', 'two ends']);
    assert.deepEqual([status, counted], [0, { passed: 2, failed: 0 }]);
  });

  test('a failing test, hook or load fails the run, and the other files still run', () => {
    for (const brokenSource of [
      `test('fails', () => { throw new Error('no'); });`,
      `after(() => { throw new Error('no'); }); test('passes', () => {});`,
      `throw new Error('no');`,
    ]) {
      const { status, progressLines } = runGroup([fileOf('broken', brokenSource), passingFile('whole')]);
      assert.notEqual(status, 0, brokenSource);
      assert.deepEqual(progressLines, ['whole begins', 'whole runs', 'whole ends'], brokenSource);
    }
  });

  const STAYS_OPEN = `test('passes', () => void setInterval(() => {}, 1_000));`;
  const LIMIT_ENVIRONMENT = { TEST_FILE_LIMIT_MS: '2000' };

  test('a test file that does not end is stopped and fails with its name; the other files run', () => {
    const open = fileOf('open', STAYS_OPEN);
    const endlessFile = fileOf('endless', `test('spins', () => { for (;;); });`);
    const { status, progressLines, stderr, counted } = run(
      [open, endlessFile, passingFile('whole')],
      LIMIT_ENVIRONMENT,
    );
    assert.deepEqual([status, counted], [1, { passed: 2, failed: 2 }]);
    assert.deepEqual(progressLines, ['whole begins', 'whole runs', 'whole ends']);
    for (const file of [open, endlessFile]) assert.match(stderr, new RegExp(`^✖ no test .* for 2 s.*: ${file}$`, 'm'));
  });

  test('in a shared process a hanging test fails its own file, and a process that stays open fails all', () => {
    const hangingFile = fileOf('hanging', `test('hangs', () => new Promise(() => setInterval(() => {}, 1_000)));`);
    assert.match(
      runGroup([passingFile('whole'), hangingFile], LIMIT_ENVIRONMENT).stderr,
      new RegExp(`ended: ${hangingFile}$`, 'm'),
    );
    const open = fileOf('open', STAYS_OPEN);
    assert.match(
      runGroup([open, passingFile('whole')], LIMIT_ENVIRONMENT).stderr,
      /ended: \S+, \S+open\.test\.mjs, \S+whole\.test\.mjs$/m,
    );
  });

  test('a slow test file that makes progress is not stopped', () => {
    const pauseCode = `await new Promise((resolve) => setTimeout(resolve, 1_000));`;
    const longFile = fileOf('long', [1, 2, 3, 4].map((n) => `test('${n}', async () => { ${pauseCode} });`).join('\n'));
    assert.deepEqual(run([longFile], LIMIT_ENVIRONMENT).counted, { passed: 4, failed: 0 });
  });
});

test('the processor time of child processes is read, whatever the name of the process', () => {
  const fields = ['S', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 900, 800, 250, 150, 20];
  assert.equal(cpuOf(`42 (a) name) ${fields.join(' ')}`), 4);
});

test('the processor time of an ended child process is included', () => {
  const cpuBefore = cpuOfChildren();
  execFileSync(process.execPath, [
    '-e',
    'for (let since = process.cpuUsage(); process.cpuUsage(since).user < 100_000; );',
  ]);
  assert.ok(cpuOfChildren() - cpuBefore >= 0.1);
});
