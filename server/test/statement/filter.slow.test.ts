import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { statementStatuses, statementTypes } from '@krapao/contract/statement';
import fc from 'fast-check';
import { qrCustomer, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { failProvider, openGame, outsideWithProviderTimeout, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import { injectBankFault, waitForNoOpenWithdrawals, setPayoutDelay, withdraw } from '../withdraw/payout-fixtures.ts';

type Entry = {
  _id: string;
  statementType: string;
  status: string;
  from: string;
  to: string;
  amount: number;
  requested: number;
  balance: number;
  reference: string;
  createdAt: string;
};
type Filter = {
  types?: string[];
  game?: string;
  status?: string;
  from?: string;
  until?: string;
  reference?: string;
  search?: string;
  before?: string;
};
type PageBody = { total: number; statements: Entry[]; older?: { before: string; searchedFrom: string } };

let system: System;
let member: TestMember;
let everything: Entry[];

async function pageOf({ token }: TestMember, body: Filter & { page?: number; limit?: number }): Promise<PageBody> {
  const reply = await system.api('POST /api/statement', { token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

async function payIn(who: TestMember, amount: number): Promise<void> {
  const payer = qrCustomer(system, who);
  const count = (await payer.deposits()).length;
  const { body } = await payer.create(amount);
  assert.equal((await payer.pay(body.payload)).status, 200);
  await waitUntil(payer.deposits, (deposits) => deposits.length === count + 1, 'deposited');
}

async function freeMoneyOf({ token }: TestMember): Promise<number> {
  const { body } = await system.api('GET /api/wallet', { token });
  return body.wallet.amount;
}

before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
  await setPayoutDelay(system, 50);
  member = await registerMember(system);
  await openGame(system, member.token, 'pg');
  await openGame(system, member.token, 'askmebet');
  await payIn(member, 900);
  for (const game of ['pg', 'askmebet', 'pg']) {
    await transfer(system, member.token, { from: 'WALLET', to: game, amount: 30 });
    await transfer(system, member.token, { from: game, to: 'WALLET', amount: 10 });
  }
  await failProvider(system, 'pg', { fault: 'decline' });
  await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 25 });
  await payIn(member, 50.25);
  assert.equal((await withdraw(system, member, 100)).status, 200);
  await waitForNoOpenWithdrawals(system);
  await injectBankFault(system, { fault: 'decline' });
  assert.equal((await withdraw(system, member, 200)).status, 200);
  await waitForNoOpenWithdrawals(system);
  everything = (await pageOf(member, { limit: 100 })).statements;
});
after(() => system.stop());

const hasAmount = (amount: number) => (entry: Entry) => [Math.abs(entry.amount), entry.requested].includes(amount);
const isOfGame = (game: string) => (entry: Entry) => [entry.from, entry.to].includes(game);
const isNone = () => false;

/** What each text finds: amounts in any writing, and names of games and providers in each language. */
const SEARCHES: Readonly<Record<string, (entry: Entry) => boolean>> = {
  ...Object.fromEntries(
    ['30', '๓๐', '໓໐', '３０', '30.00', '30,0', '฿30', '30 บาท', '-30', '−30.00', '+30', ' 30 '].map((text) => [
      text,
      hasAmount(30),
    ]),
  ),
  ...Object.fromEntries(
    [
      '฿-900',
      '-฿900',
      '-900 บาท',
      '฿ - 900',
      '900.-',
      '฿900.-',
      '-900.- บาท',
      '๙๐๐.–',
      '\u2060-900',
      '฿\u2060-900',
    ].map((text) => [text, hasAmount(900)]),
  ),
  '25': hasAmount(25),
  '50.25': hasAmount(50.25),
  '๕๐.๒๕': hasAmount(50.25),
  '200': hasAmount(200),
  '0': hasAmount(0),
  ...Object.fromEntries(['PG SLOT', 'pgslot', 'slot PG', 'พีจี', 'ພີຈີ'].map((text) => [text, isOfGame('pg')])),
  ...Object.fromEntries(['askmebet', 'อาสก์มีเบท', 'ອາສມີເບັດ', 'ASKME'].map((text) => [text, isOfGame('askmebet')])),
  ...Object.fromEntries(
    [
      'zz',
      '....',
      '-',
      '.-',
      '--30',
      '30-',
      '30.--',
      '1.000.-',
      '฿',
      '%%%%',
      '1.000',
      '30.001',
      '₭30',
      '1e3',
      '9'.repeat(40),
      '🙂',
      '\u200b',
      'Naga',
    ].map((text) => [text, isNone]),
  ),
};

/** What a search finds, by its definition. */
const isFound = (search: string, entry: Entry): boolean =>
  SEARCHES[search]?.(entry) ?? entry.reference.toLowerCase().startsWith(search.toLowerCase());

/** What a filter selects, by its definition. */
const matches = (filter: Filter) => (entry: Entry) =>
  (!filter.types || filter.types.includes(entry.statementType)) &&
  (!filter.status || filter.status === entry.status) &&
  (!filter.game || [entry.from, entry.to].includes(filter.game)) &&
  (!filter.from || entry.createdAt >= filter.from) &&
  (!filter.until || entry.createdAt < filter.until) &&
  (!filter.reference || entry.reference.toLowerCase().startsWith(filter.reference.toLowerCase())) &&
  (!filter.search || isFound(filter.search, entry));

test('any filter by kind, game, state, period, reference and search returns exactly the matching movements, newest first [R-WALLET-06]', async () => {
  const times = everything.map(({ createdAt }) => createdAt);
  const prefixes = everything.flatMap(({ reference }) => [reference, reference.slice(0, 4), reference.toLowerCase()]);
  const copied = `\u202a${everything[0]?.reference ?? ''}\u202c`;
  for (const field of ['search', 'reference'] as const)
    assert.deepEqual(
      (await pageOf(member, { [field]: copied })).statements.map(({ reference }) => reference),
      [everything[0]?.reference],
    );
  const filter = fc.record(
    {
      types: fc.subarray([...statementTypes], { minLength: 1 }),
      game: fc.constantFrom('pg', 'askmebet', 'royal'),
      status: fc.constantFrom(...statementStatuses),
      from: fc.constantFrom(...times),
      until: fc.constantFrom(...times),
      reference: fc.constantFrom(...prefixes, 'NONE', '%%%%', '____'),
      search: fc.constantFrom(...Object.keys(SEARCHES), ...prefixes),
    },
    { requiredKeys: [] },
  );
  // Each text alone too: other restrictions hide most of what it finds.
  for (const search of [...Object.keys(SEARCHES), ...prefixes])
    assert.deepEqual(
      (await pageOf(member, { search, limit: 100 })).statements,
      everything.filter(matches({ search })),
      search,
    );
  await fc.assert(
    fc.asyncProperty(filter, fc.constantFrom(1, 3, 100), async (chosen, limit) => {
      const expected = everything.filter(matches(chosen));
      const found: Entry[] = [];
      for (let page = 1; page === 1 || found.length < expected.length; page += 1) {
        const { total, statements, older } = await pageOf(member, { ...chosen, page, limit });
        assert.deepEqual([total, older], [expected.length, undefined]);
        if (statements.length === 0) break;
        found.push(...statements);
      }
      assert.deepEqual(found, expected);
    }),
    { numRuns: 60 },
  );
});

test('the balance of each movement is the free money in the wallet right after it [R-WALLET-06]', async () => {
  const other = await registerMember(system);
  await openGame(system, other.token, 'pg');
  const latest = async (): Promise<Entry | undefined> => (await pageOf(other, { limit: 1 })).statements[0];
  await payIn(other, 300.5);
  assert.equal((await latest())?.balance, 300.5);
  await transfer(system, other.token, { from: 'WALLET', to: 'pg', amount: 120.25 });
  assert.equal((await latest())?.balance, 180.25);
  await transfer(system, other.token, { from: 'pg', to: 'WALLET', amount: 20 });
  assert.equal((await latest())?.balance, 200.25);
  assert.equal(await freeMoneyOf(other), 200.25);
});

test('a filter sees movements of its member only [R-WALLET-06]', async () => {
  const stranger = await registerMember(system);
  const reference = everything[0]?.reference ?? '';
  for (const filter of [{ reference }, { search: reference }, { search: '30' }, { search: 'PG SLOT' }])
    assert.deepEqual(await pageOf(stranger, filter), { total: 0, statements: [] });
  assert.equal((await pageOf(member, { reference })).total > 0, true);
});

test('a search reads the newest 50,000 entries, and its cursor reaches the older ones [R-WALLET-06]', async () => {
  const busy = await registerMember(system);
  await payIn(busy, 100);
  const { database } = system;
  const { rows } = await database.query<{ id: bigint; seq: bigint }>(
    `select id, seq from ledger.account where member_id = $1 and kind = 'WALLET'`,
    [busy.id],
  );
  const [wallet] = rows;
  assert.ok(wallet);
  const [deposit] = (await pageOf(busy, {})).statements;
  // Entries that only the search reads: they end nothing and move nothing.
  await database.query(
    `insert into ledger.entry (account_id, seq, operation_id, amount, balance, held, at)
     select $1, $2::bigint + n, $3, 0, 0, 0, now() from generate_series(1, 50000) n`,
    [wallet.id, wallet.seq, deposit?._id],
  );
  await database.query(`update ledger.account set seq = seq + 50000 where id = $1`, [wallet.id]);
  const newest = await pageOf(busy, { status: 'FAILED' });
  assert.deepEqual([newest.total, newest.statements], [0, []]);
  assert.match(newest.older?.searchedFrom ?? '', /^\d{4}-/);
  const { before } = newest.older ?? {};
  const older = await pageOf(busy, { status: 'SUCCESS', ...(before && { before }) });
  assert.deepEqual(older, { total: 1, statements: [deposit] });
});

test('a malformed filter is refused', async () => {
  const bodies: object[] = [
    { types: [] },
    { types: ['interest'] },
    { types: 'deposit' },
    { game: '' },
    { game: 'x'.repeat(33) },
    { status: 'success' },
    { from: 'yesterday' },
    { until: 5 },
    { reference: 'abc' },
    { reference: 'x'.repeat(65) },
    { reference: 'ab\u0000cd' },
    { search: '' },
    { search: 'x'.repeat(65) },
    { search: '3\u00000' },
    { search: '\ud800' },
    { search: 30 },
    { status: 'FAILED', before: '0' },
    { status: 'FAILED', before: '-1' },
    { status: 'FAILED', before: '9'.repeat(19) },
    { status: 'FAILED', before: 5 },
  ];
  for (const body of bodies) {
    const { status, body: reply } = await system.api('POST /api/statement', { token: member.token, body });
    assert.deepEqual([status, reply.message], [400, 'NO_DATA'], JSON.stringify(body));
  }
});
