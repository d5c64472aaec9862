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

// A project of its own, within reach of the packages. Its tests open no browser.
const CACHE = join(ROOT, 'node_modules/.cache');
const CONFIG = `export default {
  projects: [{ name: 'fast' }], outputDir: 'results', reporter: [['json', { outputFile: process.env.REPORT }]],
};`;
const SPEC = (tests) => `
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
    mkdirSync(CACHE, { recursive: true });
    const folder = mkdtempSync(join(CACHE, 'unsteady-'));
    folders.push(folder);
    writeFileSync(join(folder, 'playwright.config.mjs'), CONFIG);
    writeFileSync(join(folder, 'x.spec.mjs'), SPEC(tests));
    const place = { cwd: folder, reports: folder };
    const first = await runBrowserTests('e2e', ['fast'], place);
    return { first, second: first.again.length > 0 ? await runAgain(first.again, place) : undefined };
  }
  const titlesOf = (journeys) => journeys.map(({ titles }) => titles.join(' '));

  test('one that passes alone is unsteady, one that fails twice has failed', async () => {
    const tests = `test.describe('group', () => { ${FAILS_ONCE('once')} });
      test('always', () => expect(1).toBe(2));
      test('never', () => {});`;
    const { first, second } = await run(tests);
    assert.deepEqual([first.passed, first.failed, first.again.length], [1, 0, 2]);
    assert.deepEqual(titlesOf(second.unsteady), ['group once']);
    assert.deepEqual(titlesOf(second.failed), ['always']);
  });

  test('three may be unsteady in a run; with four, all have failed and none runs again', async () => {
    const three = await run(['a', 'b', 'c'].map(FAILS_ONCE).join('\n'));
    assert.deepEqual(titlesOf(three.second.unsteady).toSorted(), ['a', 'b', 'c']);
    const four = await run(['a', 'b', 'c', 'd'].map(FAILS_ONCE).join('\n'));
    assert.deepEqual(four.second.unsteady, []);
    assert.equal(four.second.failed.length, 4);
  });

  test('one that is switched off has failed, and a run that does not start too', async () => {
    const off = await run(`test.skip('off', () => {}); test('on', () => {});`);
    assert.deepEqual([off.first.passed, off.first.failed, off.first.again.length], [1, 1, 0]);
    const broken = await run(`throw new Error('no tests here');`);
    assert.deepEqual([broken.first.passed, broken.first.failed, broken.first.again.length], [0, 1, 0]);
  });
});

describe('files of tests that share a process', () => {
  const GROUP = 'runner-test';
  let folder;
  before(() => {
    mkdirSync(CACHE, { recursive: true });
    folder = mkdtempSync(join(CACHE, 'groups-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
    for (const path of writeGroups(GROUP, [], 1)) rmSync(path);
  });

  const fileOf = (name, body) => {
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(path, `import { after, before, test } from 'node:test';\n${body}`);
    return path;
  };
  const plain = (name) =>
    fileOf(
      name,
      `before(() => console.log('${name} begins')); after(() => console.log('${name} ends'));
       test('of ${name}', () => console.log('${name} runs'));`,
    );
  function run(files, environment = {}) {
    const report = join(folder, 'report.xml');
    // With this variable the run would count as a part of this one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, 'node/run-files.mjs'), report, '1', ...files],
      { encoding: 'utf8', env: { ...env, ...environment } },
    );
    const said = stdout.split('\n').filter((line) => /^\w+ (begins|runs|ends)$/.test(line));
    return { status, said, stderr, counted: countReport(readFileSync(report, 'utf8')) };
  }
  const runGroup = (files, environment) => run(writeGroups(GROUP, files, 1), environment);

  test('each has its own hooks, around its own tests, one file after the other', () => {
    const { status, said, counted } = runGroup([plain('one'), plain('two')]);
    assert.deepEqual(said, ['one begins', 'one runs', 'one ends', 'two begins', 'two runs', 'two ends']);
    assert.deepEqual([status, counted], [0, { passed: 2, failed: 0 }]);
  });

  test('a test, a hook or a load that fails fails the run, and the other files run all the same', () => {
    for (const broken of [
      `test('fails', () => { throw new Error('no'); });`,
      `after(() => { throw new Error('no'); }); test('passes', () => {});`,
      `throw new Error('no');`,
    ]) {
      const { status, said } = runGroup([fileOf('broken', broken), plain('whole')]);
      assert.notEqual(status, 0, broken);
      assert.deepEqual(said, ['whole begins', 'whole runs', 'whole ends'], broken);
    }
  });

  const STAYS_OPEN = `test('passes', () => void setInterval(() => {}, 1_000));`;
  const LIMIT = { TEST_FILE_LIMIT_MS: '2000' };

  test('a file that stays open, or never returns, is ended with its name and fails; the other files run', () => {
    const open = fileOf('open', STAYS_OPEN);
    const endless = fileOf('endless', `test('spins', () => { for (;;); });`);
    const { status, said, stderr, counted } = run([open, endless, plain('whole')], LIMIT);
    assert.deepEqual([status, counted], [1, { passed: 2, failed: 2 }]);
    assert.deepEqual(said, ['whole begins', 'whole runs', 'whole ends']);
    for (const file of [open, endless]) assert.match(stderr, new RegExp(`^✖ no test .* for 2 s.*: ${file}$`, 'm'));
  });

  test('in a group, a file whose test hangs is named alone, and all files if their process stays open', () => {
    const hanging = fileOf('hanging', `test('hangs', () => new Promise(() => setInterval(() => {}, 1_000)));`);
    assert.match(runGroup([plain('whole'), hanging], LIMIT).stderr, new RegExp(`ended: ${hanging}$`, 'm'));
    const open = fileOf('open', STAYS_OPEN);
    assert.match(
      runGroup([open, plain('whole')], LIMIT).stderr,
      /ended: \S+, \S+open\.test\.mjs, \S+whole\.test\.mjs$/m,
    );
  });

  test('a file that takes long but goes on is not ended', () => {
    const pause = `await new Promise((resolve) => setTimeout(resolve, 1_000));`;
    const long = fileOf('long', [1, 2, 3, 4].map((n) => `test('${n}', async () => { ${pause} });`).join('\n'));
    assert.deepEqual(run([long], LIMIT).counted, { passed: 4, failed: 0 });
  });
});

test('the processor time of a process’s children is read whatever the process is called', () => {
  const fields = ['S', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 900, 800, 250, 150, 20];
  assert.equal(cpuOf(`42 (a) name) ${fields.join(' ')}`), 4);
});

test('a child that has ended adds what it used', () => {
  const before = cpuOfChildren();
  execFileSync(process.execPath, [
    '-e',
    'for (let since = process.cpuUsage(); process.cpuUsage(since).user < 100_000; );',
  ]);
  assert.ok(cpuOfChildren() - before >= 0.1);
});
