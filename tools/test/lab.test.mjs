import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectNode, ROOT } from '../install.mjs';

const runLab = (...args) => spawnSync(projectNode(), [join(ROOT, 'lab/main.ts'), ...args], { encoding: 'utf8' });

test('the lab lists its programs, explains the options of each, and refuses an unknown one', () => {
  const { status, stdout } = runLab();
  assert.equal(status, 0);
  const programNames = [...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2}/gm)].map(([, name]) => name);
  for (const name of ['cluster', 'faults', 'day', 'bench product']) assert.ok(programNames.includes(name), name);
  for (const name of programNames) {
    const help = runLab(...name.split(' '), '--help');
    assert.equal(help.status, 0, help.stderr);
    assert.ok(help.stdout.startsWith(`npm run lab -- ${name}`), help.stdout);
  }
  assert.ok(runLab('bench', '--help').stdout.startsWith('npm run lab -- bench product'), 'product is the default');
  const unknownResult = runLab('bench', 'nothing');
  assert.equal(unknownResult.status, 1);
  assert.match(unknownResult.stderr, /^There is no program bench nothing\.\n/);
});
