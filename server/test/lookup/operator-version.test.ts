import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createSiteConfig } from '../../src/modules/lookup/operator-data.ts';
import { seedLookup } from '../../src/modules/lookup/seed.ts';
import { type Database, openDatabase, type Queryable } from '../../src/platform/database/database.ts';
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts';
import { until } from '../deposit/qrcode/qr-fixtures.ts';

let fresh: FreshDatabase;
/** Two processes of a server. */
let processes: Database[];
before(async () => {
  fresh = await freshDatabase();
  await seedLookup(fresh.database);
  processes = [openDatabase({ url: fresh.url }), openDatabase({ url: fresh.url })];
});
after(async () => {
  await Promise.all(processes.map((database) => database.close()));
  await fresh.drop();
});

const sql = (text: string, values: unknown[] = []) => fresh.database.query(text, values);
const versionNow = async (): Promise<string> =>
  (await fresh.database.query<{ version: string }>('select version from lookup_version')).rows[0]?.version ?? '';

/** Counts the statements that read all of the operator's data. */
function counting(database: Database): Queryable & { loads: number } {
  const on: Queryable & { loads: number } = {
    loads: 0,
    query: (text, ...rest) => {
      if (text.includes('lookup_setting')) on.loads += 1;
      return database.query(text, ...rest);
    },
  };
  return on;
}

test('every table that operators configure changes the version, also by plain SQL', async () => {
  const tables = ['lookup_bank', 'lookup_source', 'lookup_text', 'lookup_setting', 'lookup_banner', 'lookup_limit'];
  for (const table of [...tables, 'lookup_address_rule', 'deposit_account', 'deposit_wallet_app', 'game']) {
    const before = await versionNow();
    await sql(`delete from ${table} where false`);
    assert.notEqual(await versionNow(), before, table);
  }
  const before = await versionNow();
  await fresh.database
    .tx(async (tx) => {
      await tx.query(`update lookup_limit set hits = hits + 1 where name = 'spin.member'`);
      throw new Error('undone');
    })
    .catch(() => {});
  assert.equal(await versionNow(), before, 'what was not committed has no version');
});

test('each process keeps the data while the version stays, and follows it, after lost connections and a failover too', async () => {
  const readers = processes.map(counting);
  const data = readers.map((on) => createSiteConfig(on, {}));
  const hits = () => Promise.all(data.map(async (read) => (await read()).limit('spin.member').hits));
  const everywhere = (count: number) =>
    until(hits, (seen) => seen.every((one) => one === count), `${count} everywhere`);
  const [first = 0] = await hits();
  for (let call = 0; call < 100; call += 1) assert.deepEqual(await hits(), [first, first]);
  const loads = readers.map((on) => on.loads);
  assert.deepEqual(loads, [1, 1]);

  await sql(`update lookup_limit set hits = $1 where name = 'spin.member'`, [first + 1]);
  await everywhere(first + 1);
  assert.deepEqual(
    readers.map((on) => on.loads),
    [2, 2],
  );

  await sql(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await sql(`update lookup_limit set hits = $1 where name = 'spin.member'`, [first + 2]);
  await everywhere(first + 2);

  // As a standby has it that was promoted without the last change, and another change after it.
  const kept = await versionNow();
  await sql(`update lookup_limit set hits = $1 where name = 'spin.member'`, [first + 3]);
  await everywhere(first + 3);
  await sql(`update lookup_limit set hits = $1 where name = 'spin.member'`, [first + 2]);
  await sql('update lookup_version set version = $1', [kept]);
  await everywhere(first + 2);
});
