import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectNode, ROOT } from '../install.mjs';

const lab = (...words) => spawnSync(projectNode(), [join(ROOT, 'lab/main.ts'), ...words], { encoding: 'utf8' });

test('the lab lists its programs, explains the options of each, and refuses an unknown one', () => {
  const { status, stdout } = lab();
  assert.equal(status, 0);
  const programs = [...stdout.matchAll(/^ {2}(\S+(?: \S+)?) {2}/gm)].map(([, name]) => name);
  for (const name of ['cluster', 'faults', 'day', 'bench product']) assert.ok(programs.includes(name), name);
  for (const name of programs) {
    const help = lab(...name.split(' '), '--help');
    assert.equal(help.status, 0, help.stderr);
    assert.ok(help.stdout.startsWith(`npm run lab -- ${name}`), help.stdout);
  }
  assert.ok(lab('bench', '--help').stdout.startsWith('npm run lab -- bench product'), 'product is the default');
  const unknown = lab('bench', 'nothing');
  assert.equal(unknown.status, 1);
  assert.match(unknown.stderr, /^There is no program bench nothing\.\n/);
});
