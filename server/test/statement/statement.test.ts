import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { toWireEntry, counterpartyOf } from '../../src/modules/statement/statement.ts';
import type { StatementRow } from '../../src/ledger/index.ts';
import { minor } from '@krapao/contract/money';
import { assertBooksAgree, customer, until } from '../deposit/qrcode/qr-fixtures.ts';
import { behave, misbehave, openGame, transfer, providersWithin } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import { bankFault, nothingOpen, payoutsTake, withdraw, withdrawAll } from '../withdraw/payout-fixtures.ts';

type Entry = { _id: string; amount: number; requested: number; status: string; [field: string]: unknown };

let system: System;
before(async () => {
  system = await startSystem({ outside: providersWithin(FAULTY_TIMEOUT_MS) });
  await payoutsTake(system, 50);
});
after(() => system.stop());

async function pageOf(
  member: TestMember,
  body: Record<string, unknown>,
): Promise<{ total: number; statements: Entry[] }> {
  const reply = await system.api('POST /api/statement', { token: member.token, body });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** In satang, so that the sum is exact. */
const sum = (entries: Entry[]): number => entries.reduce((total, { amount }) => total + Math.round(amount * 100), 0);

async function payIn(member: TestMember, amount: number): Promise<void> {
  const who = customer(system, member);
  const count = (await who.deposits()).length;
  const { body } = await who.create(amount);
  assert.equal((await who.pay(body.payload)).status, 200);
  await until(who.deposits, (seen) => seen.length === count + 1, 'deposited');
}

async function freeOf(member: TestMember): Promise<number> {
  const { body } = await system.api('GET /api/wallet', { token: member.token });
  return Math.round(body.wallet.amount * 100);
}

test('a new member’s statement is empty', async () => {
  assert.deepEqual(await pageOf(await registerMember(system), {}), { total: 0, statements: [] });
});

test('every movement of the wallet is in it once, and their sum is the free balance [R-STMT-02]', async () => {
  const member = await registerMember(system);
  await openGame(system, member.token, 'pg');
  await payIn(member, 500.25);
  const steps = [
    () => transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 120.1 }),
    () => transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 20.05 }),
    async () => {
      await misbehave(system, 'pg', { fault: 'decline' });
      return transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 30 });
    },
    () => payIn(member, 1),
    async () => {
      assert.equal((await withdraw(system, member, 100)).status, 200);
      await nothingOpen(system);
    },
    async () => {
      await bankFault(system, { fault: 'decline' });
      // 48.80 more than the wallet has.
      assert.equal((await withdrawAll(system, member, 350)).status, 200);
      await nothingOpen(system);
    },
  ];
  for (const step of steps) {
    await step();
    const { statements } = await pageOf(member, { limit: 100 });
    assert.equal(sum(statements), await freeOf(member));
  }
  const { total, statements } = await pageOf(member, { limit: 100 });
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

test('money on its way is in progress and not free, and becomes one final entry [R-STMT-02]', async () => {
  const member = await registerMember(system);
  await openGame(system, member.token, 'pg');
  await payIn(member, 100);
  await misbehave(system, 'pg', { fault: 'timeout-applied', call: 'TransferIn' });
  await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
  const moved = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 40 });
  assert.equal(moved.status, 202);
  const { statements } = await pageOf(member, {});
  assert.deepEqual([statements[0]?.status, statements[0]?.amount], ['PROCESSING', -40]);
  assert.equal(sum(statements), await freeOf(member));
  await behave(system, 'pg');
  const settled = await until(
    () => pageOf(member, {}),
    (seen) => seen.statements[0]?.status !== 'PROCESSING',
    'the transfer is settled',
  );
  assert.deepEqual([settled.total, settled.statements[0]?.status], [2, 'SUCCESS']);
  assert.equal(settled.statements[0]?._id, statements[0]?._id);
  assert.equal(sum(settled.statements), await freeOf(member));
});

test('total and pages agree: every entry is on exactly one page, newest first [R-STMT-02]', async () => {
  const member = await registerMember(system);
  await openGame(system, member.token, 'pg');
  await payIn(member, 300);
  for (let move = 1; move <= 12; move += 1) {
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: move });
  }
  const whole = await pageOf(member, { limit: 100 });
  assert.equal(whole.total, 13);
  assert.equal(whole.statements.length, 13);
  const ids = whole.statements.map(({ _id }) => BigInt(_id));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => (a < b ? 1 : -1)),
  );
  for (const limit of [1, 4, 5, 13]) {
    const pages: Entry[] = [];
    for (let page = 1; page <= Math.ceil(whole.total / limit); page += 1) {
      const { total, statements } = await pageOf(member, { page, limit });
      assert.equal(total, 13);
      pages.push(...statements);
    }
    assert.deepEqual(pages, whole.statements);
    assert.deepEqual((await pageOf(member, { page: 100, limit })).statements, []);
  }
  assert.equal((await pageOf(member, {})).statements.length, 10);
});

test('a page that is none is refused', async () => {
  const { token } = await registerMember(system);
  for (const body of [{ page: 0 }, { page: 1.5 }, { page: '1' }, { limit: 0 }, { limit: 101 }, { page: 1e12 }]) {
    const { status, body: answer } = await system.api('POST /api/statement', { token, body });
    assert.deepEqual([status, answer.message], [400, 'NO_DATA'], JSON.stringify(body));
  }
});

test('counterparties have their known names, and a movement of an unknown kind is not hidden', () => {
  const known = {
    WALLET: 'WALLET',
    'GAME:pg': 'pg',
    'gateway:kbank': 'KBANK',
    'provider:pg': 'PG',
    'bank:SCB-4680001234': 'bank:SCB',
    'wallet-app': 'WALLET_APP',
    suspense: 'BANK',
  };
  for (const [account, place] of Object.entries(known)) assert.equal(counterpartyOf(account), place);
  const line: StatementRow = {
    operationId: 1n,
    kind: 'unheard-of',
    reference: 'R',
    state: 'SUCCESS',
    amount: minor(1n),
    requested: minor(1n),
    debit: 'bank',
    credit: 'WALLET',
    at: new Date(0),
  };
  assert.throws(() => toWireEntry(line), /unheard-of/);
});
