import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../install.mjs';

const textOf = (path) => readFileSync(join(ROOT, path), 'utf8');

/** Runs the line of a page that removes old releases in a folder instead of /opt. @returns the releases left */
function releasesLeft(page, releases, current) {
  const [line] = /ls -dv \/opt\/krapao-.*rm -rf/.exec(textOf(page));
  const folder = mkdtempSync(join(tmpdir(), 'krapao-releases-'));
  try {
    for (const release of releases) mkdirSync(join(folder, `krapao-${release}`));
    mkdirSync(join(folder, 'krapao-data'));
    symlinkSync(`krapao-${current}`, join(folder, 'krapao'));
    const { status, stderr } = spawnSync('sh', ['-c', line.replaceAll('/opt', folder)], { encoding: 'utf8' });
    assert.equal(stderr, '');
    assert.equal(status, 0);
    assert.ok(readdirSync(folder).includes('krapao-data'));
    return readdirSync(folder)
      .flatMap((name) => /^krapao-(\d+)$/.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the pages about upgrades remove old releases, and keep the running one and the one before', () => {
  for (const page of ['docs/deploy/one-machine.md', 'docs/deploy/cluster-operation.md']) {
    assert.deepEqual(releasesLeft(page, [8, 9, 10, 11], 11), [10, 11]);
    assert.deepEqual(releasesLeft(page, [8, 9, 10, 11], 8), [8, 10, 11]);
    assert.deepEqual(releasesLeft(page, [1, 2], 2), [1, 2]);
    assert.deepEqual(releasesLeft(page, [1], 1), [1]);
  }
});

test('backups are kept for seven days, and WAL that this program does not remove for longer', () => {
  assert.match(textOf('deploy/systemd/krapao-backup.service'), /krapao\.ts backup \/var\/backups\/krapao --keep 7 /);
  assert.match(textOf('deploy/patroni/wal-archive.conf'), /^d \/var\/lib\/wal-archive .* 8d$/m);
  assert.match(textOf('docs/deploy/backup.md'), /"Expiration":\{"Days":8\}/);
});
