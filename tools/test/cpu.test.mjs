import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { cpuOf, cpuOfChildren } from './cpu.mjs';

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
