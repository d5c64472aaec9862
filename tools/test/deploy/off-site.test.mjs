import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../install.mjs';

const folder = mkdtempSync(join(tmpdir(), 'krapao-off-site-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const pathOf = (name) => join(folder, name);
const NEWEST_SECONDS = 1_700_000_000;

// The page's script on folders of this test, with stand-ins of age and aws: a file is an object of the bucket.
const page = readFileSync(join(ROOT, 'docs/deploy/off-site.md'), 'utf8');
const script = /krapao-offsite <<'END'\n([\s\S]*?)\nEND\n/.exec(page)[1];
for (const name of [
  'etc/krapao',
  'etc/nginx',
  'var/lib/krapao-wal',
  'var/lib/krapao-offsite',
  'var/lib/krapao-metrics',
])
  mkdirSync(pathOf(name), { recursive: true });
for (const name of ['bin', 'bucket/wal']) mkdirSync(pathOf(name), { recursive: true });
for (const [name, text] of [
  ['bin/age', 'cat'],
  ['bin/aws', `[ ! -e ${pathOf('away')} ] && cat > ${pathOf('bucket')}/\${4#s3://backups.example/}`],
])
  writeFileSync(pathOf(name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
for (const date of ['20200101T000000Z', '20200102T000000Z', '20990101T000000Z']) {
  mkdirSync(pathOf(`var/backups/krapao/krapao-${date}`), { recursive: true });
  writeFileSync(pathOf(`var/backups/krapao/krapao-${date}/backup.json`), '{}');
  utimesSync(pathOf(`var/backups/krapao/krapao-${date}/backup.json`), NEWEST_SECONDS, NEWEST_SECONDS);
}

const putWal = (name, seconds) => {
  writeFileSync(pathOf(`var/lib/krapao-wal/${name}`), name);
  utimesSync(pathOf(`var/lib/krapao-wal/${name}`), seconds, seconds);
};
const copied = () =>
  readdirSync(pathOf('bucket'), { recursive: true, encoding: 'utf8' })
    .map(String)
    .toSorted((a, b) => (a < b ? -1 : 1));
function copyOffSite(args = []) {
  const text = script.replaceAll('/var/', `${folder}/var/`).replace('tar -C / ', `tar -C ${folder} `);
  const env = { PATH: `${pathOf('bin')}:/usr/bin:/bin`, AGE_RECIPIENT: 'age1' };
  return spawnSync('bash', ['--norc', '-c', text, 'krapao-offsite', ...args], { env, encoding: 'utf8' });
}

test('the off-site copy has each archived WAL file once, the newest past backup, the settings, and a metric', () => {
  putWal('000000010000000000000002.gz', 2_000);
  putWal('000000010000000000000003.gz', 3_000);
  putWal('000000010000000000000004.gz.part', 4_000);
  assert.deepEqual([copyOffSite(['wal']).stderr, copied().length], ['', 3]);
  rmSync(pathOf('bucket/wal/000000010000000000000002.gz.age'));
  putWal('000000010000000000000004.gz', 5_000);
  assert.deepEqual([copyOffSite().stderr, copyOffSite().status], ['', 0]);
  assert.deepEqual(copied(), [
    'etc.tar.age',
    'krapao-20200102T000000Z.tar.age',
    'wal',
    'wal/000000010000000000000003.gz.age',
    'wal/000000010000000000000004.gz.age',
  ]);
  const metrics = readFileSync(pathOf('var/lib/krapao-metrics/krapao-offsite.prom'), 'utf8');
  assert.match(metrics, new RegExp(`^krapao_offsite_timestamp_seconds ${NEWEST_SECONDS}$`, 'm'));
});

test('a failed off-site copy ends with a failure, and the next run copies the rest', () => {
  putWal('000000010000000000000005.gz', 6_000);
  writeFileSync(pathOf('away'), '');
  assert.notEqual(copyOffSite(['wal']).status, 0);
  rmSync(pathOf('away'));
  assert.equal(copyOffSite(['wal']).status, 0);
  assert.ok(copied().includes('wal/000000010000000000000005.gz.age'));
});
