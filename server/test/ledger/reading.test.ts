import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { createLedger, InvalidOperation, type LedgerEvent, type Operation } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { ledgerAccountsOf } from './books.ts';

const fresh = await freshDatabase();
const openLedger = () => createLedger({ url: fresh.url, database: fresh.database, currency: 'BAHT' });
const [ledger, otherLedger] = [openLedger(), openLedger()];
after(async () => {
  await ledger.close();
  await otherLedger.close();
  await fresh.dropDatabase();
});

const waitUntil = async (isDone: () => boolean): Promise<void> => {
  for (let waitedMs = 0; waitedMs < 60_000 && !isDone(); waitedMs += 10)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(isDone(), true);
};

test('a statement has one line per movement, and its amounts sum to the free wallet at every step', async () => {
  const operations = ledgerAccountsOf('statement');
  const readFreeBalance = async () =>
    (await ledger.balances('statement')).find(({ kind }) => kind === 'WALLET')?.free ?? 0n;
  const expectedSteps = [
    operations.deposit('s1', 50_000n),
    operations.hold('s2', 20_000n),
    operations.resolve('post', 's2p', 's2'),
    operations.hold('s3', 10_000n),
    operations.resolve('void', 's3v', 's3'),
    operations.pay('s4', 99_999n),
    operations.adjust('s5', 35_000n),
    operations.home('s6', minor(35_000n)),
    operations.hold('s7', 1_000n),
    operations.mark('s8'),
  ];
  for (const expectedStep of expectedSteps) {
    await ledger.post(expectedStep);
    const { lines } = await ledger.statement('statement', { page: 1, limit: 100 });
    assert.equal(
      lines.reduce((total, { amount }) => total + amount, 0n),
      await readFreeBalance(),
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
  const [validResult, ...invalidResults] = await Promise.allSettled([
    ledger.statement('statement', { page: 1, limit: 3 }),
    ledger.statement('statement', { page: 0, limit: 3 }),
    ledger.statement('statement', { page: 1, limit: 1.5 }),
    ledger.statement('statement', { page: Number.MAX_SAFE_INTEGER, limit: 100 }),
  ]);
  assert.equal(validResult.status, 'fulfilled', 'a page that can not be read fails alone');
  for (const invalidResult of invalidResults)
    assert.ok(invalidResult.status === 'rejected' && invalidResult.reason instanceof InvalidOperation);
});

test('a follower receives each batch of this and another process once and in order', async () => {
  const operations = ledgerAccountsOf('followed');
  const ownEvents: LedgerEvent[] = [];
  const otherEvents: LedgerEvent[] = [];
  let isWarm = false;
  const collectInto = (into: LedgerEvent[]) => (events: readonly LedgerEvent[]) => {
    into.push(...events.filter(({ memberId }) => memberId === 'followed'));
  };
  const unsubscribers = [
    ledger.onBatch(collectInto(ownEvents)),
    otherLedger.onBatch(collectInto(otherEvents)),
    otherLedger.onBatch(() => (isWarm = true)),
  ];
  // The second ledger receives events from its first look at the lanes on.
  for (let count = 0; !isWarm; count += 1) {
    await ledger.post(ledgerAccountsOf('warm').deposit(`w${count}`, 1n));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await ledger.post(operations.deposit('f0', 5_000n));
  const postedVerdicts = [
    ...(await ledger.post(operations.hold('f1', 2_000n))),
    ...(await otherLedger.post(operations.resolve('post', 'f1p', 'f1'))),
    ...(await otherLedger.post(operations.adjust('f2', 1_500n))),
    ...(await ledger.post(operations.hold('f3', 500n))),
    ...(await ledger.post(operations.resolve('void', 'f3v', 'f3'))),
    ...(await ledger.post(operations.mark('f5'))),
  ];
  await ledger.post(operations.pay('f4', 99_999n));
  await ledger.post(operations.hold('f1', 2_000n));
  await waitUntil(() => ownEvents.length === 7 && otherEvents.length === 7);
  const sortBySequence = (events: LedgerEvent[]) => events.toSorted((a, b) => Number(a.operationId - b.operationId));
  assert.deepEqual(sortBySequence(ownEvents), sortBySequence(otherEvents));
  assert.deepEqual(
    sortBySequence(ownEvents).map(({ type, state, amount, reference }) => `${type} ${state} ${amount} ${reference}`),
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
  // Events read after a gap equal the missed events.
  const first = ownEvents[0] as LedgerEvent;
  assert.deepEqual(await ledger.eventsSince('followed', first.operationId), sortBySequence(ownEvents).slice(1));
  assert.deepEqual(await ledger.eventsSince('followed', 0n), sortBySequence(ownEvents));
  assert.deepEqual(await ledger.eventsSince('followed', 0n, 2), sortBySequence(ownEvents).slice(0, 2));
  assert.deepEqual(await ledger.eventsSince('followed', postedVerdicts.at(-1)?.operationId ?? 0n), []);
  for (const unsubscribe of unsubscribers) unsubscribe();
});

test('events of several members requested in one tick are read in one statement, each from its own position', async () => {
  let statements = 0;
  const database: typeof fresh.database = {
    ...fresh.database,
    query: (...queryArgs) => {
      statements += 1;
      return fresh.database.query(...queryArgs);
    },
  };
  const countedLedger = createLedger({ url: fresh.url, database, currency: 'BAHT' });
  const members = ['one', 'two', 'three'];
  const ids = new Map<string, bigint[]>();
  for (const [index, member] of members.entries()) {
    const operations = ledgerAccountsOf(member);
    const postedOperations = Array.from({ length: 30 + index }, (_, index) =>
      operations.deposit(`${member}-${index}`, 100n),
    );
    const verdicts = await Promise.all(postedOperations.map((operation) => ledger.post(operation)));
    ids.set(
      member,
      verdicts.flat().map(({ operationId }) => operationId),
    );
  }
  for (let seenCount = 0; seenCount <= 30; seenCount += 1) {
    statements = 0;
    const eventPages = await Promise.all(
      members.map((member) => countedLedger.eventsSince(member, ids.get(member)?.[seenCount - 1] ?? 0n)),
    );
    assert.equal(statements, 1);
    assert.deepEqual(
      eventPages.map((events) => events.map(({ operationId }) => operationId)),
      members.map((member) => ids.get(member)?.slice(seenCount)),
    );
  }
  await countedLedger.close();
});

test('unresolved holds older than a given age are found', async () => {
  const operations = ledgerAccountsOf('forgotten');
  await ledger.post(operations.deposit('o1', 1_000n));
  const [openHold] = await ledger.post(operations.hold('o2', 700n));
  const laterTime = new Date(Date.now() + 60_000);
  const foundHolds = (await ledger.openHolds(laterTime)).filter(({ memberId }) => memberId === 'forgotten');
  assert.deepEqual(
    foundHolds.map(({ operationId, reference, amount }) => [operationId, reference, amount]),
    [[openHold?.operationId, 'o2', 700n]],
  );
  assert.deepEqual(await ledger.openHolds(new Date(0)), []);
  await ledger.post(operations.resolve('void', 'o2v', 'o2'));
  assert.equal(
    (await ledger.openHolds(laterTime)).some(({ memberId }) => memberId === 'forgotten'),
    false,
  );
});

test('an inconsistent ledger operation is refused before it is sent', async () => {
  const operations = ledgerAccountsOf('sense');
  const deposit = operations.deposit('n1', 100n);
  const invalidRequests = [
    { ...deposit, amount: minor(0n) },
    { ...deposit, amount: minor(-5n) },
    { ...deposit, amount: minor(10n ** 15n + 1n) },
    { ...deposit, reference: '' },
    { ...deposit, reference: 'a\u001fb' },
    { ...deposit, credit: { member: 'another-member', kind: 'WALLET' as const } },
    { ...deposit, credit: deposit.debit },
    { ...operations.hold('n2', 5n), debit: { houseAccount: 'bank' } },
    { ...operations.mark('n4'), debit: { houseAccount: 'bank' } },
  ];
  for (const operation of invalidRequests as Operation[])
    await assert.rejects(ledger.post(operation), InvalidOperation);
  await assert.rejects(ledger.post([deposit, deposit]), InvalidOperation);
  await assert.rejects(ledger.post([deposit, ledgerAccountsOf('else').deposit('n3', 1n)]), InvalidOperation);
  await assert.rejects(ledger.post([]), InvalidOperation);
  assert.deepEqual(await ledger.balances('sense'), []);
});
