import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

test('the printed clean-up of releases keeps the two newest and the running one', () => {
  for (const page of ['docs/deploy/one-machine.md', 'docs/deploy/cluster-operation.md']) {
    assert.deepEqual(releasesLeft(page, [8, 9, 10, 11], 11), [10, 11]);
    assert.deepEqual(releasesLeft(page, [8, 9, 10, 11], 8), [8, 10, 11]);
    assert.deepEqual(releasesLeft(page, [1, 2], 2), [1, 2]);
    assert.deepEqual(releasesLeft(page, [1], 1), [1]);
  }
});

test('backups are kept for seven days, and their copies elsewhere for a day more', () => {
  assert.match(textOf('deploy/systemd/krapao-backup.service'), /krapao\.ts backup \/var\/backups\/krapao --keep 7 /);
  assert.match(textOf('docs/deploy/off-site.md'), /"Expiration":\{"Days":8\}/);
});

const WAL = ['A0', 'A1', 'A2', 'A3'].map((end) => `0000000100000000000000${end}`);

/** Runs the program that prunes an archive, with a database whose comment is given. @returns what it did */
function pruneArchive(comment) {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-prune-'));
  try {
    writeFileSync(join(folder, 'psql'), `#!/bin/sh\nprintf '%s\\n' '${comment}'\n`, { mode: 0o755 });
    // As `pg_archivecleanup` does: removes files before the last argument, without the extension and whatever the timeline.
    const cleanup = `#!/bin/sh\n[ "$1 $2" = '-x .gz' ] || exit 9\ncd "$3"; for file in *.gz; do
      name=\${file%.gz}; [ "$(printf '%s\\n' "\${name#????????}" "\${4#????????}" | sort | head -1)" = "\${4#????????}" ] || rm "$file"; done\n`;
    writeFileSync(join(folder, 'pg_archivecleanup'), cleanup, { mode: 0o755 });
    const archive = join(folder, 'archive');
    mkdirSync(archive);
    for (const name of WAL) writeFileSync(join(archive, `${name}.gz`), '');
    const program = textOf('deploy/patroni/krapao-wal-prune')
      .replace('/usr/lib/postgresql/15/bin/pg_archivecleanup', join(folder, 'pg_archivecleanup'))
      .replace('archive=/var/lib/wal-archive', `archive=${archive}`);
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH ?? ''}` };
    const { status, stderr } = spawnSync('sh', ['-c', program], { env, encoding: 'utf8' });
    return { status, stderr, left: readdirSync(archive).map((name) => name.slice(22, 24)) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a database server removes archived WAL by what backups need, never by age, and none without their record', () => {
  assert.match(textOf('deploy/patroni/wal-archive.conf'), /^d \/var\/lib\/wal-archive 0700 postgres postgres -$/m);
  assert.deepEqual(pruneArchive(`backups need WAL from 0000000700000000000000A2`), {
    status: 0,
    stderr: '',
    left: ['A2', 'A3'],
  });
  for (const comment of ['', 'a comment of someone', 'backups need WAL from', 'backups need WAL from ../A2']) {
    const { status, stderr, left } = pruneArchive(comment);
    assert.equal(status, 1, comment);
    assert.match(stderr, /^No backup has noted which WAL it needs/);
    assert.equal(left.length, WAL.length);
  }
});
