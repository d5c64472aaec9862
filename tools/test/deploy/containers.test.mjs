import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../install.mjs';

const textOf = (path) => readFileSync(join(ROOT, path), 'utf8');
const KEPT_OUT = ['deploy/container/.env', 'deploy/container/backups', 'deploy/container/secrets'];

test('keys and backups beside the compose file come neither into git nor into the image', () => {
  const ignoredPatterns = textOf('.dockerignore').split('\n');
  for (const path of KEPT_OUT) {
    assert.ok(ignoredPatterns.includes(path), path);
    const fileInside = path.endsWith('.env') ? path : `${path}/any`;
    assert.equal(spawnSync('git', ['check-ignore', '--quiet', fileInside], { cwd: ROOT }).status, 0, fileInside);
  }
  for (const path of ['.git', 'data', '**/node_modules']) assert.ok(ignoredPatterns.includes(path), path);
});

test('what the files of the containers mount or run is there', () => {
  const compose = textOf('deploy/container/compose.yml');
  const mountedPaths = [...compose.matchAll(/(\.\.?\/[\w./-]+):\//g)].map(([, path]) => join('deploy/container', path));
  assert.ok(mountedPaths.includes('deploy/container/replication.sh'));
  assert.ok(mountedPaths.includes('deploy/prometheus'));
  for (const path of mountedPaths) assert.ok(KEPT_OUT.includes(path) || existsSync(join(ROOT, path)), path);
  const script = textOf('deploy/container/krapao');
  for (const [, path] of script.matchAll(/node ([\w/.-]+\.(?:mjs|ts))/g)) assert.ok(existsSync(join(ROOT, path)), path);
});

test('krapao COMMAND of the container says which commands there are, and runs those', () => {
  const script = textOf('deploy/container/krapao').replace('cd /opt/krapao', `cd ${ROOT}`);
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` };
  const run = (command) => spawnSync('sh', ['-c', script, 'krapao', command], { env, encoding: 'utf8' });
  for (const command of ['bench', 'alerts']) {
    const { status, stderr } = run(command);
    assert.match(stderr, /^error: unknown command '\w+'\n/);
    for (const commandName of ['backup', 'doctor', 'outside'])
      assert.match(stderr, new RegExp(`^ {2}${commandName} `, 'm'));
    assert.equal(status, 1);
  }
  assert.equal(JSON.parse(run('sbom').stdout).bomFormat, 'CycloneDX');
});
