import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { createLedger, InvalidOperation, type LedgerEvent, type Operation } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { booksOf } from './books.ts';

const fresh = await freshDatabase();
const open = () => createLedger({ url: fresh.url, database: fresh.database, currency: 'BAHT' });
const [ledger, other] = [open(), open()];
after(async () => {
  await ledger.close();
  await other.close();
  await fresh.drop();
});

const until = async (done: () => boolean): Promise<void> => {
  for (let waited = 0; waited < 60_000 && !done(); waited += 10)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(done(), true);
};

test('a statement has one line per movement, and its amounts add up to the free wallet at every step', async () => {
  const books = booksOf('statement');
  const free = async () => (await ledger.balances('statement')).find(({ kind }) => kind === 'WALLET')?.free ?? 0n;
  const steps = [
    books.deposit('s1', 50_000n),
    books.hold('s2', 20_000n),
    books.resolve('post', 's2p', 's2'),
    books.hold('s3', 10_000n),
    books.resolve('void', 's3v', 's3'),
    books.pay('s4', 99_999n),
    books.adjust('s5', 35_000n),
    books.home('s6', minor(35_000n)),
    books.hold('s7', 1_000n),
    books.mark('s8'),
  ];
  for (const step of steps) {
    await ledger.post(step);
    const { lines } = await ledger.statement('statement', { page: 1, limit: 100 });
    assert.equal(
      lines.reduce((sum, { amount }) => sum + amount, 0n),
      await free(),
    );
  }
  const { total, pages, lines } = await ledger.statement('statement', { page: 1, limit: 3 });
  assert.deepEqual({ total, pages }, { total: 6, pages: 2 });
  const second = await ledger.statement('statement', { page: 2, limit: 3 });
  const entries = [...lines, ...second.lines].map(({ kind, reference, state, amount, requested, debit, credit }) =>
    [kind, reference, state, amount, requested, `${debit}>${credit}`].join(' '),
  );
  assert.deepEqual(entries, [
    'finish_bonus s8 SUCCESS 0 0 WALLET>cost:bonus',
    'transfer s7 PROCESSING -1000 1000 WALLET>GAME:pg',
    'transfer s6 SUCCESS 35000 35000 GAME:pg>WALLET',
    'transfer s3 FAILED 0 10000 WALLET>GAME:pg',
    'transfer s2 SUCCESS -20000 20000 WALLET>GAME:pg',
    'deposit s1 SUCCESS 50000 50000 gateway:kbank>WALLET',
  ]);
  assert.deepEqual((await ledger.statement('nobody', { page: 1, limit: 10 })).lines, []);
  assert.deepEqual((await ledger.statement('statement', { page: 9, limit: 3 })).lines, []);
  const [right, ...wrong] = await Promise.allSettled([
    ledger.statement('statement', { page: 1, limit: 3 }),
    ledger.statement('statement', { page: 0, limit: 3 }),
    ledger.statement('statement', { page: 1, limit: 1.5 }),
    ledger.statement('statement', { page: Number.MAX_SAFE_INTEGER, limit: 100 }),
  ]);
  assert.equal(right.status, 'fulfilled', 'a page that can not be read fails alone');
  for (const one of wrong) assert.ok(one.status === 'rejected' && one.reason instanceof InvalidOperation);
});

test('a follower receives each batch once and in order, of this process and of another one', async () => {
  const books = booksOf('followed');
  const here: LedgerEvent[] = [];
  const there: LedgerEvent[] = [];
  let warm = false;
  const keep = (into: LedgerEvent[]) => (events: readonly LedgerEvent[]) => {
    into.push(...events.filter(({ memberId }) => memberId === 'followed'));
  };
  const ends = [ledger.onBatch(keep(here)), other.onBatch(keep(there)), other.onBatch(() => (warm = true))];
  // The other one begins with what happens once it has looked where the lanes stand.
  for (let count = 0; !warm; count += 1) {
    await ledger.post(booksOf('warm').deposit(`w${count}`, 1n));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await ledger.post(books.deposit('f0', 5_000n));
  const posted = [
    ...(await ledger.post(books.hold('f1', 2_000n))),
    ...(await other.post(books.resolve('post', 'f1p', 'f1'))),
    ...(await other.post(books.adjust('f2', 1_500n))),
    ...(await ledger.post(books.hold('f3', 500n))),
    ...(await ledger.post(books.resolve('void', 'f3v', 'f3'))),
    ...(await ledger.post(books.mark('f5'))),
  ];
  await ledger.post(books.pay('f4', 99_999n));
  await ledger.post(books.hold('f1', 2_000n));
  await until(() => here.length === 7 && there.length === 7);
  const inOrder = (events: LedgerEvent[]) => events.toSorted((a, b) => Number(a.operationId - b.operationId));
  assert.deepEqual(inOrder(here), inOrder(there));
  assert.deepEqual(
    inOrder(here).map(({ type, state, amount, reference }) => `${type} ${state} ${amount} ${reference}`),
    [
      'transfer SUCCESS 5000 f0',
      'hold PROCESSING -2000 f1',
      'post SUCCESS 0 f1',
      'adjust SUCCESS 0 f2',
      'hold PROCESSING -500 f3',
      'void FAILED 500 f3',
      'mark SUCCESS 0 f5',
    ],
  );
  // Events read after a gap equal the events that would have been sent.
  const first = here[0] as LedgerEvent;
  assert.deepEqual(await ledger.eventsSince('followed', first.operationId), inOrder(here).slice(1));
  assert.deepEqual(await ledger.eventsSince('followed', 0n), inOrder(here));
  assert.deepEqual(await ledger.eventsSince('followed', 0n, 2), inOrder(here).slice(0, 2));
  assert.deepEqual(await ledger.eventsSince('followed', posted.at(-1)?.operationId ?? 0n), []);
  for (const end of ends) end();
});

test('events of several members asked about in one turn are read in one statement, each from their own past', async () => {
  let statements = 0;
  const database: typeof fresh.database = {
    ...fresh.database,
    query: (...asked) => {
      statements += 1;
      return fresh.database.query(...asked);
    },
  };
  const counted = createLedger({ url: fresh.url, database, currency: 'BAHT' });
  const members = ['one', 'two', 'three'];
  const ids = new Map<string, bigint[]>();
  for (const [index, member] of members.entries()) {
    const books = booksOf(member);
    const posted = Array.from({ length: 30 + index }, (_, at) => books.deposit(`${member}-${at}`, 100n));
    const verdicts = await Promise.all(posted.map((operation) => ledger.post(operation)));
    ids.set(
      member,
      verdicts.flat().map(({ operationId }) => operationId),
    );
  }
  for (let seen = 0; seen <= 30; seen += 1) {
    statements = 0;
    const answers = await Promise.all(
      members.map((member) => counted.eventsSince(member, ids.get(member)?.[seen - 1] ?? 0n)),
    );
    assert.equal(statements, 1);
    assert.deepEqual(
      answers.map((events) => events.map(({ operationId }) => operationId)),
      members.map((member) => ids.get(member)?.slice(seen)),
    );
  }
  await counted.close();
});

test('unresolved holds are found by their age', async () => {
  const books = booksOf('forgotten');
  await ledger.post(books.deposit('o1', 1_000n));
  const [open] = await ledger.post(books.hold('o2', 700n));
  const later = new Date(Date.now() + 60_000);
  const found = (await ledger.openHolds(later)).filter(({ memberId }) => memberId === 'forgotten');
  assert.deepEqual(
    found.map(({ operationId, reference, amount }) => [operationId, reference, amount]),
    [[open?.operationId, 'o2', 700n]],
  );
  assert.deepEqual(await ledger.openHolds(new Date(0)), []);
  await ledger.post(books.resolve('void', 'o2v', 'o2'));
  assert.equal(
    (await ledger.openHolds(later)).some(({ memberId }) => memberId === 'forgotten'),
    false,
  );
});

test('an operation that makes no sense is refused before it is sent', async () => {
  const books = booksOf('sense');
  const deposit = books.deposit('n1', 100n);
  const wrong = [
    { ...deposit, amount: minor(0n) },
    { ...deposit, amount: minor(-5n) },
    { ...deposit, amount: minor(10n ** 15n + 1n) },
    { ...deposit, reference: '' },
    { ...deposit, reference: 'a\u001fb' },
    { ...deposit, credit: { member: 'another-member', kind: 'WALLET' as const } },
    { ...deposit, credit: deposit.debit },
    { ...books.hold('n2', 5n), debit: { house: 'bank' } },
    { ...books.mark('n4'), debit: { house: 'bank' } },
  ];
  for (const operation of wrong as Operation[]) await assert.rejects(ledger.post(operation), InvalidOperation);
  await assert.rejects(ledger.post([deposit, deposit]), InvalidOperation);
  await assert.rejects(ledger.post([deposit, booksOf('else').deposit('n3', 1n)]), InvalidOperation);
  await assert.rejects(ledger.post([]), InvalidOperation);
  assert.deepEqual(await ledger.balances('sense'), []);
});
