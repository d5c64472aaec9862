import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { leasedTables } from '../../../src/inventory.ts';
import { audit } from '../../../src/ledger/audit.ts';
import { countReceived, insertOffer } from '../../bonus/bonus-fixtures.ts';
import { createQrWith, payQrcode, readChosenBonus, referenceOf } from '../../bonus/chosen-bonus.ts';
import { waitUntil } from '../../deposit/qrcode/qr-fixtures.ts';
import { type Api, apiClient } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { waitForLockWait } from '../../incentive/incentive-fixtures.ts';

/** After a restart. A chosen bonus is leased for 60 s. */
const RELEASED_WITHIN_SECONDS = 30;

type RunningServer = ServerProcess & { api: Api };
let system: System;
let server: RunningServer;
let lockingClient: pg.Client;
before(async () => {
  system = await startSystem();
  lockingClient = new pg.Client({ connectionString: system.databaseUrl });
  await lockingClient.connect();
  await system.app.close();
  server = await startServer();
});
after(async () => {
  await lockingClient?.end();
  await server?.kill();
  await system?.stop();
});

async function startServer(): Promise<RunningServer> {
  const started = await startServerProcess(system);
  return { ...started, api: apiClient(started.url) };
}

/** Makes the server wait for a table in leased work, kills it there, and starts another. */
async function killServerAt(table: string, begin: () => Promise<unknown>): Promise<void> {
  await lockingClient.query('begin');
  await lockingClient.query(`lock table ${table} in access exclusive mode`);
  await begin();
  await waitForLockWait(system);
  await server.kill();
  await lockingClient.query('rollback');
  server = await startServer();
}

test('a chosen bonus whose server was killed during its receipt is received once, before its lease of 60 s ends', async () => {
  const code = await insertOffer(system);
  const member: TestMember = await registerMember({ ...system, api: server.api });
  const { body } = await createQrWith(server, member, 300, { bonus: code });
  const reference = await referenceOf(system, body.qrcodeId);
  await killServerAt('bonus_receipt', () => payQrcode(system, member, body.payload));
  const startedMs = performance.now();
  const bonus = await waitUntil(
    () => readChosenBonus(server, member, reference),
    (chosen) => chosen !== null && chosen.state !== 'PENDING',
    'outcome of the chosen bonus',
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  assert.deepEqual([bonus?.state, bonus?.amount], ['RECEIVED', 300]);
  assert.equal(await countReceived(system, member.id), 1);
  assert.ok(seconds < RELEASED_WITHIN_SECONDS, `${seconds} s`);
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

test('when a server is killed while it writes a statement file, another writes it within 60 s, before the 150 s lease ends', async () => {
  const { token }: TestMember = await registerMember({ ...system, api: server.api });
  let id = '';
  await killServerAt('game', async () => {
    const period = { from: new Date(Date.now() - 86_400_000).toISOString(), until: new Date().toISOString() };
    const request = { ...period, format: 'csv', language: 'en' };
    const reply = await server.api('POST /api/statement/export', {
      token,
      body: request,
      idempotencyKey: randomUUID(),
    });
    assert.equal(reply.status, 202, JSON.stringify(reply.body));
    id = reply.body.id;
  });
  const { state } = await waitUntil(
    async () => (await server.api(`GET /api/statement/export/${id}`, { token })).body,
    (file) => file.state !== 'RUNNING',
    'the file, within 60 s',
  );
  assert.equal(state, 'DONE');
});

test('leases of an ended program are released in every table; those of a running or an older program are not', async () => {
  const [ended, running] = [1, 2];
  await lockingClient.query('select pg_advisory_lock(7245103, $1)', [running]);
  await system.database.query('insert into program_instance (id) values ($1), ($2)', [ended, running]);
  const names: string[] = [];
  for (const [reference, holder, isOlder] of [
    ['ENDED', ended, false],
    ['RUNNING', running, false],
    // An older program has claimed the row since, and left the columns that it doesn't know.
    ['OLDER', ended, true],
  ] as const) {
    names.push(reference);
    await system.database.query(
      `insert into qrcode (id, member_id, gateway, reference, currency, amount, state, ended_at, inquire_at, leased_to, leased_by)
       select gen_random_uuid(), gen_random_uuid(), 'KBANK', $1, 'BAHT', 1, 'FAILED', now(), at, at - $3::int * interval '1 s', $2
         from (select now() + interval '1 hour') t (at)`,
      [reference, holder, isOlder ? 1 : 0],
    );
  }
  await waitUntil(
    async () => (await system.database.query('select from program_instance where id = $1', [ended])).rows.length,
    (count) => count === 0,
    'the ended program',
  );
  const { rows } = await system.database.query<{ reference: string }>(
    `select reference from qrcode where reference = any($1) and (inquire_at is null or inquire_at < now() + interval '59 minutes')`,
    [names],
  );
  assert.deepEqual(
    rows.map(({ reference }) => reference),
    ['ENDED'],
  );
  const { rows: columns } = await system.database.query<{ table: string }>(
    `select table_name as table from information_schema.columns where column_name = 'leased_by' order by 1`,
  );
  assert.deepEqual(
    [...new Set(leasedTables.map(({ table }) => table))].toSorted(),
    columns.map(({ table }) => table).toSorted(),
  );
});
