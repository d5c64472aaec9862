import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { CHILD_ENVIRONMENT } from '../harness/child-environment.ts';

const CLI_PATH = join(import.meta.dirname, '../../src/cli/krapao.ts');

/** Runs a shell script with `krapao` as its `"$@"`. */
function runScript(script: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('sh', ['-c', script, 'sh', process.execPath, CLI_PATH], {
    env: CHILD_ENVIRONMENT,
    encoding: 'utf8',
  });
}

test('a command whose output is no longer read (head) ends quietly with its own status', () => {
  const { stdout, stderr } = runScript('{ "$@" --help; echo status $? >&2; } | true');
  assert.deepEqual([stdout, stderr], ['', 'status 0\n']);
});

test('a command whose output disk is full ends with a message and status 1', () => {
  const { status, stderr } = runScript('"$@" --help > /dev/full');
  assert.match(stderr, /^The output can't be written: its disk is full\. The command went on\.\n$/);
  assert.equal(status, 1);
});
