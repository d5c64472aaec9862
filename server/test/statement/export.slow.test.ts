import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { deleteParts, endExport, failExport, storePart } from '../../src/modules/statement/export-queries.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { otherSpellings } from '../harness/hostile-text.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { ledgerAccountsOf } from '../ledger/books.ts';
import { parseCsv } from './parse-csv.ts';

const YEAR_START = '2026-01-01T00:00:00.000Z';
const DAY_MS = 24 * 3_600_000;

const FILE_ID = '019ad000-0000-7000-8000-000000000001';
const HELD_FILE_ID = '019ad000-0000-7000-8000-000000000002';

/** How far the server's clock is ahead. */
let aheadMs = 0;
let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ clock: { now: () => new Date(Date.now() + aheadMs) } });
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger.close();
  await system.stop();
});

const tomorrow = (): string => new Date(Date.now() + DAY_MS).toISOString();
const lastMonth = (): string => new Date(Date.now() - 30 * DAY_MS).toISOString();
const period = () => ({ from: lastMonth(), until: tomorrow() });

const request = ({ token }: TestMember, body: object, key: string = randomUUID()) =>
  system.api('POST /api/statement/export', { token, body, headers: { 'idempotency-key': key } });

const statusOf = async ({ token }: TestMember, id: string) =>
  (await system.api(`GET /api/statement/export/${id}`, { token })).body;

/** Requests a file and waits for its rows, header included. */
async function csvOf(member: TestMember, body: object = {}): Promise<string[][]> {
  const { status, body: reply } = await request(member, { format: 'csv', language: 'en', ...period(), ...body });
  assert.equal(status, 202, JSON.stringify(reply));
  const made = await waitUntil(
    () => statusOf(member, reply.id),
    ({ state }) => state !== 'RUNNING',
    'the file is made',
  );
  assert.equal(made.state, 'DONE');
  const response = await fetch(made.url);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="krapao-statement\.csv"$/);
  const rows = parseCsv(Buffer.from(await response.arrayBuffer()).toString('utf8'));
  assert.equal(rows.length - 1, made.lines);
  return rows;
}

test('a CSV file has every movement of the period once, oldest first, in the requested language [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  const operations = ledgerAccountsOf(member.id);
  await fundWallet(ledger, member.id, '500.25');
  const reference = randomUUID();
  await ledger.post(operations.hold(reference, 12_050n));
  await ledger.post(operations.resolve('post', `${reference}p`, reference));
  const rows = await csvOf(member);
  assert.deepEqual(rows[0], [
    'Date (UTC+7)',
    'Time (UTC+7)',
    'Kind',
    'From',
    'To',
    'Amount',
    'Attempted, not moved',
    'Balance',
    'Currency',
    'Status',
    'Reference',
    'Details',
  ]);
  const [day = '', time = ''] = rows[1] ?? [];
  assert.match(`${day} ${time}`, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.ok(Math.abs(Date.now() - Date.parse(`${day}T${time}+07:00`)) < 60_000, `${day} ${time}`);
  assert.deepEqual(
    rows.slice(1).map((cells) => cells.slice(2, 10)),
    [
      ['Deposits', 'bank', 'Wallet', '500.25', '', '500.25', 'THB', 'Success'],
      ['Transfers', 'Wallet', 'PG SLOT', '-120.50', '', '379.75', 'THB', 'Success'],
    ],
  );
  assert.equal(rows[2]?.[10], reference);
  const headers = { th: 'วันที่ (UTC+7)', la: 'ວັນທີ (UTC+7)' };
  for (const [language, header] of Object.entries(headers))
    assert.equal((await csvOf(member, { language }))[0]?.[0], header);
});

test('a CSV file names each PromptPay gateway as members see it at their bank, never by its code [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  for (const gateway of ['ww', 'fp', 'payonex'])
    await fundWallet(ledger, member.id, '100', 'BAHT', `gateway:${gateway}`);
  for (const [language, name] of Object.entries({ en: 'PromptPay QR', th: 'QR พร้อมเพย์', la: 'QR ພ້ອມເພ' })) {
    const rows = await csvOf(member, { language });
    assert.deepEqual(
      rows.slice(1).map(([, , , from]) => from),
      [name, name, name],
    );
    assert.doesNotMatch(rows.flat().join(' '), /\b(?:WW|FP|PAYONEX)\b/);
  }
});

test('each CSV balance is the previous one plus the amount; a failed movement shows the attempted amount and moves none [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  const operations = ledgerAccountsOf(member.id);
  await fundWallet(ledger, member.id, '300');
  const failed = randomUUID();
  await ledger.post(operations.hold(failed, 10_000n));
  await ledger.post(operations.pay(randomUUID(), 5_000n));
  await ledger.post(operations.resolve('void', `${failed}v`, failed));
  await fundWallet(ledger, member.id, '500');
  const cells = (rows: string[][]) => rows.slice(1).map((row) => row.slice(5, 8));
  assert.deepEqual(cells(await csvOf(member)), [
    ['300.00', '', '300.00'],
    ['0.00', '100.00', '300.00'],
    ['-50.00', '', '250.00'],
    ['500.00', '', '750.00'],
  ]);
  assert.deepEqual(cells(await csvOf(member, { status: 'FAILED' })), [['0.00', '100.00', '']]);
});

test('a CSV file of a past period ends with the balance at its end, with which the next one continues [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  const operations = ledgerAccountsOf(member.id);
  await fundWallet(ledger, member.id, '700.50');
  const border = new Date(Date.now() + 1).toISOString();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await ledger.post(operations.pay(randomUUID(), 20_025n));
  await fundWallet(ledger, member.id, '1000');
  const cells = (rows: string[][]) => rows.slice(1).map((row) => [row[5], row[7]]);
  assert.deepEqual(cells(await csvOf(member, { until: border })), [['700.50', '700.50']]);
  assert.deepEqual(cells(await csvOf(member, { from: border })), [
    ['-200.25', '500.25'],
    ['1000.00', '1500.25'],
  ]);
});

test("a statement file with any filter has the wallet's balance after each movement [R-WALLET-06]", async () => {
  const member = await registerMember(system);
  const operations = ledgerAccountsOf(member.id);
  await fundWallet(ledger, member.id, '700.50');
  const held = randomUUID();
  await ledger.post(operations.hold(held, 20_025n));
  await fundWallet(ledger, member.id, '1000');
  const filters = [
    { types: ['transfer'] },
    { game: 'pg' },
    { status: 'PROCESSING' },
    { reference: held },
    { search: 'PG SLOT' },
  ];
  for (const filter of filters) {
    const rows = (await csvOf(member, filter)).slice(1);
    assert.deepEqual(
      rows.map((cells) => [cells[5], cells[7]]),
      [['-200.25', '500.25']],
      JSON.stringify(filter),
    );
  }
});

test('a CSV file names wallets, banks, games and rewards in its language [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  const { deposit, hold } = ledgerAccountsOf(member.id);
  await ledger.post(deposit(randomUUID(), 50_000n));
  await ledger.post({ ...deposit(randomUUID(), 5_000n), kind: 'bonus', debit: { houseAccount: 'cost:coupon' } });
  await ledger.post(hold(randomUUID(), 1_000n));
  const rows = await csvOf(member, { language: 'th' });
  assert.deepEqual(
    rows.slice(1).map((cells) => [cells[3], cells[4]]),
    [
      ['KBANK', 'กระเป๋า'],
      ['วงล้อ', 'กระเป๋า'],
      ['กระเป๋า', 'PG SLOT'],
    ],
  );
});

test('a CSV file contains exactly the movements of its filter [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, '100');
  await ledger.post(ledgerAccountsOf(member.id).hold(randomUUID(), 1_000n));
  const kinds = (rows: string[][]): (string | undefined)[] => rows.slice(1).map((cells) => cells[2]);
  assert.deepEqual(kinds(await csvOf(member, { types: ['transfer'] })), ['Transfers']);
  assert.deepEqual(kinds(await csvOf(member, { status: 'FAILED' })), []);
  for (const search of ['100', '๑๐', 'PG SLOT', 'ພີຈີ', 'none']) {
    const { body } = await system.api('POST /api/statement', { token: member.token, body: { search } });
    const listed = body.statements.map(({ reference }: { reference: string }) => reference);
    assert.equal(listed.length, search === 'none' ? 0 : 1, search);
    const rows = await csvOf(member, { search });
    assert.deepEqual(
      rows.slice(1).map((cells) => cells[10]),
      listed,
      search,
    );
  }
  assert.deepEqual(kinds(await csvOf(member, { from: YEAR_START, until: '2026-01-02T00:00:00.000Z' })), []);
});

test('one statement file is created at a time, the same key names the same file, and ten a day are allowed [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  const key = randomUUID();
  const body = { format: 'csv', language: 'th', ...period() };
  const replies = await Promise.all([1, 2, 3, 4].map(() => request(member, body, key)));
  assert.deepEqual(new Set(replies.map(({ status, body: reply }) => `${status} ${reply.id}`)).size, 1);
  const reused = await request(member, { ...body, language: 'en' }, key);
  assert.equal(reused.body.message, 'KEY_INVALID');
  const isMade = (id: string) =>
    waitUntil(
      () => statusOf(member, id),
      ({ state }) => state !== 'RUNNING',
      'the file is made',
    );
  const firstId = replies[0]?.body.id ?? '';
  await isMade(firstId);
  const { database } = system;
  await database.query(
    `update statement_export set work_at = now() + interval '1 hour', state = 'RUNNING', ended_at = null,
    content = null, lines = null where member_id = $1`,
    [member.id],
  );
  const second = await request(member, body);
  assertRefused(second, 'REQUEST_LIMIT', 'EXPORT_RUNNING');
  await database.query(`update statement_export set work_at = now() where member_id = $1`, [member.id]);
  await isMade(firstId);
  for (let file = 2; file <= 10; file += 1) await csvOf(member);
  const eleventh = await request(member, body);
  assertRefused(eleventh, 'REQUEST_LIMIT', 'EXPORTS_PER_DAY');
});

test('a statement file has no parts of an earlier attempt that had more', async () => {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, '10.00');
  // An attempt that ended after its second part, as a killed process leaves it.
  await system.database.query(
    `with leftover as (
       insert into statement_export (id, member_id, input, request_hash, work_at)
       values ($1, $2, $3, '', now()) returning id)
     insert into statement_export_part (export_id, part, lines, content) select id, 2, 5, '' from leftover`,
    [FILE_ID, member.id, JSON.stringify({ format: 'csv', language: 'en', ...period(), currency: 'BAHT' })],
  );
  const made = await waitUntil(
    () => statusOf(member, FILE_ID),
    ({ state }) => state !== 'RUNNING',
    'the file is made',
  );
  assert.deepEqual([made.state, made.lines, made.parts.map(({ lines }: { lines: number }) => lines)], ['DONE', 1, [1]]);
});

test('a process that lost its lease of a statement file changes neither the file nor its parts', async () => {
  const member = await registerMember(system);
  const part = { content: Buffer.from('other'), lines: 1 };
  // Held by a process that does not run here.
  await system.database.query(
    `with file as (
       insert into statement_export (id, member_id, input, request_hash, work_at, leased_by, leased_to)
       values ($1, $2, '{}', '', now() + interval '1 hour', -1, now() + interval '1 hour') returning id)
     insert into statement_export_part (export_id, part, lines, content) select id, 2, 5, 'held' from file`,
    [HELD_FILE_ID, member.id],
  );
  const read = () =>
    system.database.query(
      `select e.state, p.part, p.lines, p.content from statement_export e join statement_export_part p on p.export_id = e.id
        where e.id = $1 order by p.part`,
      [HELD_FILE_ID],
    );
  const { rows } = await read();
  assert.equal(rows.length, 1);
  await deleteParts(system.database, HELD_FILE_ID);
  for (const number of [2, 3]) await storePart(system.database, HELD_FILE_ID, number, part);
  await endExport(system.database, HELD_FILE_ID, part);
  await failExport(system.database, HELD_FILE_ID);
  assert.deepEqual((await read()).rows, rows);
});

test('a statement file is accessible to its member only, and its address expires after ten minutes [R-WALLET-06]', async () => {
  const [owner, stranger] = [await registerMember(system), await registerMember(system)];
  const { body } = await request(owner, { format: 'csv', language: 'en', ...period() });
  const made = await waitUntil(
    () => statusOf(owner, body.id),
    ({ state }) => state === 'DONE',
    'the file is made',
  );
  const foreign = await system.api(`GET /api/statement/export/${body.id}`, { token: stranger.token });
  assert.equal(foreign.body.message, 'NO_DATA');
  const file = await fetch(made.url);
  const head = await fetch(made.url, { method: 'HEAD' });
  assert.deepEqual([file.status, head.status, await head.text()], [200, 200, '']);
  for (const name of ['content-type', 'content-disposition', 'content-length', 'cache-control'])
    assert.equal(head.headers.get(name), file.headers.get(name), name);
  assert.equal(Date.parse(made.expiresAt) - Date.now() <= 10 * 60_000, true);
  const token = made.url.slice(made.url.lastIndexOf('/') + 1);
  for (const forged of [...otherSpellings(token), `${token}x`, token.slice(0, -4), 'AAAA']) {
    const address = `${system.url}/api/statement-export/${forged}`;
    const refused = (await (await fetch(address)).json()) as { message: string };
    assert.equal(refused.message, 'NO_DATA');
  }
});

test('text that a spreadsheet would read as a formula or separator stays text [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  const references = ['=1+1,"x"', '+66', '-5', '@SUM(A1)'];
  for (const [index, reference] of references.entries()) {
    await ledger.post({ ...ledgerAccountsOf(member.id).deposit(`${member.id}${index}`, 100n), reference });
  }
  const cells = (await csvOf(member)).slice(1).map((row) => row[10]);
  assert.deepEqual(
    cells,
    references.map((reference) => `'${reference}`),
  );
});

test('the period of a statement file has at most 12 months [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, '10');
  const until = tomorrow();
  const before = (days: number): string => new Date(Date.parse(until) - days * DAY_MS).toISOString();
  assert.equal((await csvOf(member, { from: before(366), until })).length, 2);
  const body = { format: 'pdf', language: 'en', from: before(366.001), until };
  assertRefused(await request(member, body), 'NO_DATA', 'PERIOD', 400);
});

test('statement and files refuse the year 0000 and fractions below nanoseconds, and the next file is still created', async () => {
  const member = await registerMember(system);
  for (const from of [
    '0000-06-01T00:00:00Z',
    `2026-10-01T00:00:00.${'1'.repeat(600)}Z`,
    '2026-10-01T00:00:00.1234567890Z',
  ]) {
    const times = { from, until: from.replace('-01T', '-02T') };
    assertRefused(
      await system.api('POST /api/statement', { token: member.token, body: times }),
      'NO_DATA',
      'from',
      400,
    );
    assertRefused(await request(member, { format: 'csv', language: 'en', ...times }), 'NO_DATA', 'from', 400);
  }
  assert.equal(
    (await csvOf(member, { from: '1000-01-01T00:00:00Z', until: '1000-01-01T00:00:00.123456789Z' })).length,
    1,
  );
});

test('the address of a statement file works for ten minutes, after which a new one can be requested [R-WALLET-06]', async () => {
  const member = await registerMember(system);
  const { body } = await request(member, { format: 'csv', language: 'en', ...period() });
  const made = await waitUntil(
    () => statusOf(member, body.id),
    ({ state }) => state === 'DONE',
    'the file is made',
  );
  aheadMs = 9 * 60_000;
  assert.equal((await fetch(made.url)).status, 200);
  aheadMs = 10 * 60_000 + 1_000;
  const ended = await fetch(made.url);
  assert.equal(((await ended.json()) as { message: string }).message, 'NO_DATA');
  const renewed = await statusOf(member, body.id);
  assert.equal((await fetch(renewed.url)).status, 200);
  aheadMs = 0;
});

test('a malformed request for a statement file is refused', async () => {
  const member = await registerMember(system);
  const good = { format: 'csv', language: 'en', ...period() };
  const bodies = [
    { ...good, format: 'xlsx' },
    { ...good, language: 'fr' },
    { ...good, from: undefined },
    { ...good, from: good.until, until: good.from },
    { ...good, from: '2020-01-01T00:00:00Z' },
    { ...good, until: 'now' },
    { ...good, types: ['none'] },
  ];
  for (const body of bodies) {
    const { status, body: reply } = await request(member, body);
    assert.deepEqual([status, reply.message], [400, 'NO_DATA'], JSON.stringify(body));
  }
  for (const id of ['x', randomUUID(), '%00']) {
    const { body: reply } = await system.api(`GET /api/statement/export/${id}`, { token: member.token });
    assert.equal(reply.message, 'NO_DATA', id);
  }
});
