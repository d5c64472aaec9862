import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ROOT } from '../install.mjs';
import { runAgain, runBrowserTests } from './browser-tests.mjs';
import { cpuOf, cpuOfChildren } from './cpu.mjs';

// A project of its own, within reach of the packages. Its tests open no browser.
const CACHE = join(ROOT, 'node_modules/.cache');
const CONFIG = `export default {
  projects: [{ name: 'phone' }], outputDir: 'results', reporter: [['json', { outputFile: process.env.REPORT }]],
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
    const first = await runBrowserTests('e2e', 'phone', place);
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
