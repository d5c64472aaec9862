import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import type { StatementRow } from '../../src/ledger/index.ts';
import { toWireEntry, counterpartyOf } from '../../src/modules/statement/statement.ts';
import { assertBooksAgree, qrCustomer, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { clearProviderFaults, failProvider, openGame, transfer, outsideWithProviderTimeout } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  injectBankFault,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  withdraw,
  withdrawAll,
} from '../withdraw/payout-fixtures.ts';

type StatementEntry = { _id: string; amount: number; requested: number; status: string; [field: string]: unknown };

let system: System;
before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
  await setPayoutDelay(system, 50);
});
after(() => system.stop());

type StatementPage = { total: number; statements: StatementEntry[]; next?: string };

async function readStatementPage(member: TestMember, body: Record<string, unknown>): Promise<StatementPage> {
  const reply = await system.api('POST /api/statement', { token: member.token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** In satang, so that the sum is exact. */
const sumSatang = (entries: StatementEntry[]): number =>
  entries.reduce((total, { amount }) => total + Math.round(amount * 100), 0);

async function payIn(member: TestMember, amount: number): Promise<void> {
  const customer = qrCustomer(system, member);
  const count = (await customer.deposits()).length;
  const { body } = await customer.create(amount);
  assert.equal((await customer.pay(body.payload)).status, 200);
  await waitUntil(customer.deposits, (deposits) => deposits.length === count + 1, 'deposited');
}

async function readFreeAmount(member: TestMember): Promise<number> {
  const { body } = await system.api('GET /api/wallet', { token: member.token });
  return Math.round(body.wallet.amount * 100);
}

test('a new member’s statement is empty', async () => {
  assert.deepEqual(await readStatementPage(await registerMember(system), {}), { total: 0, statements: [] });
});

test('the statement has every movement of the wallet once, and they sum to the free balance [R-STMT-02]', async () => {
  const member = await registerMember(system);
  await openGame(system, member.token, 'pg');
  await payIn(member, 500.25);
  const entrySteps = [
    () => transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 120.1 }),
    () => transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 20.05 }),
    async () => {
      await failProvider(system, 'pg', { fault: 'decline' });
      return transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 30 });
    },
    () => payIn(member, 1),
    async () => {
      assert.equal((await withdraw(system, member, 100)).status, 200);
      await waitForNoOpenWithdrawals(system);
    },
    async () => {
      await injectBankFault(system, { fault: 'decline' });
      // 48.80 more than the wallet has.
      assert.equal((await withdrawAll(system, member, 350)).status, 200);
      await waitForNoOpenWithdrawals(system);
    },
  ];
  for (const entryStep of entrySteps) {
    await entryStep();
    const { statements } = await readStatementPage(member, { limit: 100 });
    assert.equal(sumSatang(statements), await readFreeAmount(member));
  }
  const { total, statements } = await readStatementPage(member, { limit: 100 });
  assert.equal(total, statements.length);
  assert.deepEqual(
    statements.map(({ statementType, status, from, to, amount, requested }) => [
      statementType,
      status,
      from,
      to,
      amount,
      requested,
    ]),
    [
      ['withdraw', 'FAILED', 'WALLET', 'SCB', 0, 350],
      ['transfer', 'SUCCESS', 'pg', 'WALLET', 48.8, 48.8],
      ['withdraw', 'SUCCESS', 'WALLET', 'SCB', -100, 100],
      ['deposit', 'SUCCESS', 'KBANK', 'WALLET', 1, 1],
      ['transfer', 'FAILED', 'WALLET', 'pg', 0, 30],
      ['transfer', 'SUCCESS', 'pg', 'WALLET', 20.05, 20.05],
      ['transfer', 'SUCCESS', 'WALLET', 'pg', -120.1, 120.1],
      ['deposit', 'SUCCESS', 'KBANK', 'WALLET', 500.25, 500.25],
    ],
  );
  await assertBooksAgree(system);
});

test('money in transit is in progress and not free, and becomes one final entry [R-STMT-02]', async () => {
  const member = await registerMember(system);
  await openGame(system, member.token, 'pg');
  await payIn(member, 100);
  await failProvider(system, 'pg', { fault: 'timeout-applied', call: 'TransferIn' });
  await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
  const transferReply = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 40 });
  assert.equal(transferReply.status, 202);
  const { statements } = await readStatementPage(member, {});
  assert.deepEqual([statements[0]?.status, statements[0]?.amount], ['PROCESSING', -40]);
  assert.equal(sumSatang(statements), await readFreeAmount(member));
  await clearProviderFaults(system, 'pg');
  const settledPage = await waitUntil(
    () => readStatementPage(member, {}),
    (result) => result.statements[0]?.status !== 'PROCESSING',
    'the transfer is settled',
  );
  assert.deepEqual([settledPage.total, settledPage.statements[0]?.status], [2, 'SUCCESS']);
  assert.equal(settledPage.statements[0]?._id, statements[0]?._id);
  assert.equal(sumSatang(settledPage.statements), await readFreeAmount(member));
});

test('total and pages agree: every entry is on exactly one page, newest first [R-STMT-02]', async () => {
  const member = await registerMember(system);
  await openGame(system, member.token, 'pg');
  await payIn(member, 300);
  for (let moveNumber = 1; moveNumber <= 12; moveNumber += 1) {
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: moveNumber });
  }
  const wholePage = await readStatementPage(member, { limit: 100 });
  assert.equal(wholePage.total, 13);
  assert.equal(wholePage.statements.length, 13);
  const ids = wholePage.statements.map(({ _id }) => BigInt(_id));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => (a < b ? 1 : -1)),
  );
  for (const limit of [1, 4, 5, 13]) {
    const pagedEntries: StatementEntry[] = [];
    for (let page = 1; page <= Math.ceil(wholePage.total / limit); page += 1) {
      const { total, statements } = await readStatementPage(member, { page, limit });
      assert.equal(total, 13);
      pagedEntries.push(...statements);
    }
    assert.deepEqual(pagedEntries, wholePage.statements);
    assert.deepEqual((await readStatementPage(member, { page: 100, limit })).statements, []);
  }
  assert.equal((await readStatementPage(member, {})).statements.length, 10);
});

test('pages that continue from a cursor have every movement once, although others arrive between them [R-STMT-02]', async () => {
  const member = await registerMember(system);
  await openGame(system, member.token, 'pg');
  await payIn(member, 300);
  const move = (amount: number) => transfer(system, member.token, { from: 'WALLET', to: 'pg', amount });
  for (let amount = 1; amount <= 11; amount += 1) await move(amount);
  // A failed transfer is one row of two entries.
  await failProvider(system, 'pg', { fault: 'decline' });
  await move(30);
  for (const filter of [{}, { types: ['deposit', 'transfer'] }]) {
    const expected = (await readStatementPage(member, { ...filter, limit: 100 })).statements;
    const pages: StatementPage[] = [await readStatementPage(member, { ...filter, limit: 5 })];
    for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) {
      await move(1);
      pages.push(await readStatementPage(member, { ...filter, limit: 5, before: next }));
    }
    assert.deepEqual(
      pages.flatMap(({ statements }) => statements),
      expected,
    );
    const count = expected.length;
    assert.deepEqual(
      pages.map(({ total }) => total),
      Array.from({ length: Math.ceil(count / 5) }, (_, page) => count - page * 5),
    );
    const skipped = await readStatementPage(member, { ...filter, limit: 5, page: 2, before: pages[0]?.next });
    assert.deepEqual(skipped, { ...pages[2], total: count - 5 });
  }
  const first = await readStatementPage(member, { before: '1' });
  assert.deepEqual(first, { total: 0, statements: [] });
});

test('an invalid page number is refused', async () => {
  const { token } = await registerMember(system);
  for (const body of [
    { page: 0 },
    { page: 1.5 },
    { page: '1' },
    { limit: 0 },
    { limit: 101 },
    { page: 1e12 },
    { before: '0' },
    { before: 5 },
  ]) {
    const { status, body: reply } = await system.api('POST /api/statement', { token, body });
    assert.deepEqual([status, reply.message], [400, 'NO_DATA'], JSON.stringify(body));
  }
});

test('counterparties have their known names, and a movement of unknown kind is shown', () => {
  const expectedCounterparties = {
    WALLET: 'WALLET',
    'GAME:pg': 'pg',
    'gateway:kbank': 'KBANK',
    'provider:pg': 'PG',
    'bank:SCB-4680001234': 'bank:SCB',
    'wallet-app': 'WALLET_APP',
    suspense: 'BANK',
  };
  for (const [account, counterparty] of Object.entries(expectedCounterparties))
    assert.equal(counterpartyOf(account), counterparty);
  const statementRow: StatementRow = {
    operationId: 1n,
    kind: 'unheard-of',
    reference: 'R',
    state: 'SUCCESS',
    amount: minor(1n),
    requested: minor(1n),
    balance: minor(1n),
    debit: 'bank',
    credit: 'WALLET',
    at: new Date(0),
  };
  assert.throws(() => toWireEntry(statementRow), /unheard-of/);
});
