import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { archiveCommand, restoreCommand } from '../../../server/src/platform/database/embedded-postgres/wal-archive.ts';
import { ROOT } from '../../install.mjs';

const textOf = (path) => readFileSync(join(ROOT, path), 'utf8');

test('every deployment archives WAL with the command of the embedded database, and closes a file after 45 s', () => {
  for (const [path, folder] of [
    ['deploy/container/compose.yml', '/wal'],
    ['deploy/patroni/patroni.yml', '/var/lib/wal-archive'],
  ]) {
    const text = textOf(path);
    assert.ok(text.includes(archiveCommand(folder)), path);
    assert.match(text, /archive_timeout[=:] ?45s/);
    assert.match(text, /wal_compression[=:] ?'?on/);
  }
});

test('the page for a restore in containers reads WAL files with the command of the embedded database', () => {
  assert.ok(textOf('docs/deploy/containers.md').includes(`restore_command = '${restoreCommand('/wal')}'`));
});
