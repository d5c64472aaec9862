import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOperatorDataReader } from '../../src/modules/operator-data/read-operator-data.ts';
import { seedOperatorData } from '../../src/modules/operator-data/seed.ts';
import { type Database, openDatabase, type Queryable } from '../../src/platform/database/database.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts';

const NO_PARTIES = {
  gateways: new Map(),
  providers: new Set<string>(),
  bankAccounts: new Set<string>(),
  walletAppPhone: undefined,
};

let fresh: FreshDatabase;
/** Two processes of a server. */
let processDatabases: Database[];
before(async () => {
  fresh = await freshDatabase();
  await seedOperatorData(fresh.database);
  processDatabases = [openDatabase({ url: fresh.url }), openDatabase({ url: fresh.url })];
});
after(async () => {
  await Promise.all(processDatabases.map((database) => database.close()));
  await fresh.dropDatabase();
});

const sql = (text: string, values: unknown[] = []) => fresh.database.query(text, values);
const readVersion = async (): Promise<string> =>
  (await fresh.database.query<{ version: string }>('select version from operator_data_version')).rows[0]?.version ?? '';

/** Counts the statements that read all operator data. */
function countingQueryable(database: Database): Queryable & { loadCount: number } {
  const queryable: Queryable & { loadCount: number } = {
    loadCount: 0,
    query: (text, ...rest) => {
      if (text.includes('operator_data_setting')) queryable.loadCount += 1;
      return database.query(text, ...rest);
    },
  };
  return queryable;
}

test('a change of any table of operator data, also by SQL, changes the version of operator data', async () => {
  const tables = [
    'operator_data_bank',
    'operator_data_source',
    'operator_data_text',
    'operator_data_setting',
    'operator_data_banner',
    'operator_data_limit',
  ];
  for (const table of [...tables, 'operator_data_address_rule', 'deposit_account', 'deposit_wallet_app', 'game']) {
    const before = await readVersion();
    await sql(`delete from ${table} where false`);
    assert.notEqual(await readVersion(), before, table);
  }
  const before = await readVersion();
  await fresh.database
    .tx(async (tx) => {
      await tx.query(`update operator_data_limit set hits = hits + 1 where name = 'spin.member'`);
      throw new Error('undone');
    })
    .catch(() => {});
  assert.equal(await readVersion(), before, 'what was not committed has no version');
});

test('each process caches operator data until its version changes, also after lost connections and a failover', async () => {
  const processReaders = processDatabases.map(countingQueryable);
  const data = processReaders.map((queryable) => createOperatorDataReader(queryable, {}, NO_PARTIES));
  const readHits = () => Promise.all(data.map(async (readConfig) => (await readConfig()).limit('spin.member').hits));
  const waitForHitsEverywhere = (count: number) =>
    waitUntil(readHits, (hitCounts) => hitCounts.every((hitCount) => hitCount === count), `${count} everywhere`);
  const [first = 0] = await readHits();
  for (let readNumber = 0; readNumber < 100; readNumber += 1) assert.deepEqual(await readHits(), [first, first]);
  const loadCounts = processReaders.map((queryable) => queryable.loadCount);
  assert.deepEqual(loadCounts, [1, 1]);

  await sql(`update operator_data_limit set hits = $1 where name = 'spin.member'`, [first + 1]);
  await waitForHitsEverywhere(first + 1);
  assert.deepEqual(
    processReaders.map((queryable) => queryable.loadCount),
    [2, 2],
  );

  await sql(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await sql(`update operator_data_limit set hits = $1 where name = 'spin.member'`, [first + 2]);
  await waitForHitsEverywhere(first + 2);

  // Simulates a promoted standby that lacks the last change, followed by another change.
  const versionBefore = await readVersion();
  await sql(`update operator_data_limit set hits = $1 where name = 'spin.member'`, [first + 3]);
  await waitForHitsEverywhere(first + 3);
  await sql(`update operator_data_limit set hits = $1 where name = 'spin.member'`, [first + 2]);
  await sql('update operator_data_version set version = $1', [versionBefore]);
  await waitForHitsEverywhere(first + 2);
});
