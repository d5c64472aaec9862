import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommand } from '../../harness/command.ts';
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts';

let fresh: FreshDatabase;
before(async () => {
  fresh = await freshDatabase();
});
after(() => fresh.dropDatabase());

const runCliCommand = (name: 'audit' | 'migrate') => runCommand({ databaseUrl: fresh.url }, name);

async function assertRefuses(expectedMessage: RegExp): Promise<void> {
  const { status, output } = await runCliCommand('audit');
  assert.equal(status, 1, output);
  assert.match(output, expectedMessage);
  assert.doesNotMatch(output, /^\s+at /m, 'a sentence, not a stack');
}

test('every command except migrate leaves an empty database empty', async () => {
  await fresh.database.query('drop schema ledger, commands, public cascade');
  await fresh.database.query('create schema public');
  await assertRefuses(/^This database is empty: `krapao migrate` or the start of the server sets it up\.$/m);
  const { rows } = await fresh.database.query(
    `select 1 from pg_tables where schemaname in ('public', 'ledger', 'commands')`,
  );
  assert.equal(rows.length, 0);
  const migrateResult = await runCliCommand('migrate');
  assert.equal(migrateResult.status, 0, migrateResult.output);
  assert.match(migrateResult.output, /^applied 0300-platform\.sql$/m);
  assert.match((await runCliCommand('migrate')).output, /^0 applied, the database is up to date$/m);
  assert.match((await runCliCommand('audit')).output, /, 0 wrong$/m);
});

test('commands refuse an older and a newer database', async () => {
  await fresh.database.query(`update schema_migration set number = 9999, name = '9999-later.sql', oldest_program = 9999
    where number = (select max(number) from schema_migration)`);
  await assertRefuses(/^This database is newer than this program: it has the migration 9999-later\.sql\./m);
  await fresh.database.query('delete from schema_migration where number = 9999');
  await assertRefuses(/^This database is older than this program: it lacks 1 of \d+ migrations, the first is /m);
});

test('a database older than the first migration is refused with the next step, unchanged', async () => {
  const { rows: history } = await fresh.database.query('select * from schema_migration order by number');
  await fresh.database.query(
    `insert into schema_migration (number, name, sha256) values (262, '0262-platform.sql', 'x')`,
  );
  for (const name of ['migrate', 'audit'] as const) {
    const { status, output } = await runCliCommand(name);
    assert.equal(status, 1, output);
    assert.equal(
      output.trim(),
      `This database is from before the first release (it has the migration 0262-platform.sql) and can't be brought up to date: set DATA_DIR to a new folder, or DATABASE_URL to an empty database, and start again.`,
    );
  }
  await fresh.database.query('delete from schema_migration where number = 262');
  const { rows } = await fresh.database.query('select * from schema_migration order by number');
  assert.deepEqual(rows, history);
});

test('commands report a folder without a database, and create none', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-nothing-'));
  try {
    const { status, output } = await runCommand({ databaseUrl: '' }, 'audit', [], { DATA_DIR: directory });
    assert.equal(status, 1);
    assert.match(
      output,
      /^There is no database in .*: set DATA_DIR or DATABASE_URL, or start the server, which makes one\.$/m,
    );
    assert.equal(existsSync(join(directory, 'postgres')), false);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
