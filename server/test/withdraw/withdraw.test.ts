import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { behave, misbehave, openGame, settled, transfer, providersWithin } from '../harness/games.ts';
import { type MemberChoices, registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { closeWallet, setSettings } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  bankFault,
  end,
  linesOf,
  nothingOpen,
  payoutsTake,
  reaches,
  receivedBy,
  rowsOf,
  withdraw,
  withdrawAll,
} from './payout-fixtures.ts';
import { queueHolds } from '../harness/queues.ts';

const DAY_MS = 86_400_000;
const BOTH = [
  ['withdraw', withdraw],
  ['withdrawAll', withdrawAll],
] as const;

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: providersWithin(FAULTY_TIMEOUT_MS) });
  ledger = ledgerOf(system);
  await payoutsTake(system, 50);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

async function memberWith(amount: string, choices: MemberChoices = {}): Promise<TestMember> {
  const member = await registerMember(system, choices);
  if (amount !== '0.00') await fund(ledger, member.id, amount);
  return member;
}
const wallet = async ({ token }: TestMember) => (await system.api('GET /api/wallet', { token })).body;

describe('taking money out', () => {
  for (const [name, ask] of BOTH) {
    test(`${name}: the money is held immediately, shown in progress, and paid to the registered account [R-WDR-02]`, async () => {
      const member = await memberWith('1000.00');
      await payoutsTake(system, DAY_MS);
      const reply = await ask(system, member, 250.5);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const { reference } = reply.body;
      const expected = {
        reference,
        status: 'PROCESSING',
        amount: 250.5,
        ...(name === 'withdrawAll' && { notBrought: [] }),
      };
      assert.deepEqual(reply.body, expected);
      const now = await wallet(member);
      assert.deepEqual(now.wallet, { amount: 749.5, inTransit: 250.5 });
      assert.deepEqual([now.withdrawal.reference, now.withdrawal.amount], [reference, 250.5]);
      const [line] = await linesOf(system, member);
      const shown = {
        status: line?.status,
        amount: line?.amount,
        from: line?.from,
        to: line?.to,
        reason: line?.reason,
      };
      assert.deepEqual(shown, { status: 'PROCESSING', amount: -250.5, from: 'WALLET', to: 'SCB', reason: null });
      await reaches(system, reference, 'ACCEPTED');
      assert.equal((await wallet(member)).withdrawal.state, 'ACCEPTED');
      await end(system, reference, 'PAID');
      await reaches(system, reference, 'PAID');
      const after = await wallet(member);
      assert.deepEqual([after.wallet, after.withdrawal], [{ amount: 749.5, inTransit: 0 }, null]);
      const [paid] = await linesOf(system, member);
      assert.deepEqual([paid?.status, paid?.amount, paid?.requested], ['SUCCESS', -250.5, 250.5]);
      assert.equal(await receivedBy(system, member), '250.50');
      const states = (await ledger.eventsSince(member.id, 0n)).filter(({ kind }) => kind === 'withdraw');
      assert.deepEqual(
        states.map(({ state, amount }) => [state, amount]),
        [
          ['PROCESSING', -25050n],
          ['SUCCESS', 0n],
        ],
      );
      await payoutsTake(system, 50);
    });

    test(`${name}: an invalid amount, or one outside the limits, is refused with its detail and holds nothing [R-WDR-02] [R-NET-06]`, async () => {
      const member = await memberWith('1000.00');
      const cases: [unknown, string][] = [
        [99.99, 'WITHDRAW_MINIMUM'],
        [0.01, 'WITHDRAW_MINIMUM'],
        [50_000.01, 'WITHDRAW_MAXIMUM'],
        [9_999_999_999_999, 'WITHDRAW_MAXIMUM'],
        ...[0, -100, 100.001, 1e300, '100', null, true, [], {}, [100], { amount: 100 }, undefined].map(
          (amount): [unknown, string] => [amount, 'AMOUNT_INVALID'],
        ),
      ];
      for (const [amount, detail] of cases)
        assertRefused(await ask(system, member, amount), 'TRANSFER_MINIMUM', detail);
      for (const body of ['{', '[]', '"x"', 'null']) {
        const { status } = await system.api(`POST /api/wallet/${name}`, { token: member.token, body });
        assert.ok(status >= 400 && status < 500, `${body} ${status}`);
      }
      assert.deepEqual(await rowsOf(system, member.id), []);
      assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '1000.00', held: '0.00' });
    });

    test(`${name}: more than the balance is MONEY_NOT_ENOUGH permanently, and the next request is free [R-WDR-02] [R-NET-06]`, async () => {
      const member = await memberWith('150.00');
      assertRefused(await ask(system, member, 150.01, 'too-much-1'), 'MONEY_NOT_ENOUGH');
      await fund(ledger, member.id, '100.00');
      assertRefused(await ask(system, member, 150.01, 'too-much-1'), 'MONEY_NOT_ENOUGH');
      assert.deepEqual(await linesOf(system, member), [], 'nothing moved, nothing is listed');
      assert.equal((await wallet(member)).withdrawal, null);
      assert.equal((await ask(system, member, 250)).status, 200);
      await nothingOpen(system);
    });
  }
});

describe('who may withdraw, and how often', () => {
  for (const [name, ask] of BOTH) {
    test(`${name}: a member without a bank account, or with a closed wallet, is refused with its code [R-WDR-02] [R-NET-06]`, async () => {
      const member = await memberWith('1000.00');
      await system.database.query('delete from member_bank_account where member_id = $1', [member.id]);
      assertRefused(await ask(system, member, 200), 'NO_BANK');
      assertRefused(await ask(system, member, 1), 'NO_BANK', undefined);
      await closeWallet(system, member);
      assertRefused(await ask(system, member, 200), 'NO_WALLET');
      await system.database.query(`update member set status = 'restricted', status_reason = 'TIME_OUT' where id = $1`, [
        member.id,
      ]);
      assertRefused(await ask(system, member, 200), 'INVALID_USER_4', 'TIME_OUT');
    });

    test(`${name}: one at a time, and not while a transfer is pending [R-WDR-02] [R-NET-06]`, async () => {
      const member = await memberWith('1000.00');
      await openGame(system, member.token, 'pg');
      await misbehave(system, 'pg', { fault: 'timeout-lost', call: 'TransferIn' });
      assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 10 })).status, 202);
      assertRefused(await ask(system, member, 100), 'REQUEST_LIMIT', 'TRANSFER_IN_PROGRESS');
      assertRefused(await ask(system, member, 99), 'TRANSFER_MINIMUM', 'WITHDRAW_MINIMUM');
      await settled(system);
      await behave(system);
      await payoutsTake(system, DAY_MS);
      const { reference } = (await ask(system, member, 100)).body;
      await reaches(system, reference, 'ACCEPTED');
      for (const [, other] of BOTH) {
        const second = await other(system, member, 100);
        assertRefused(second, 'REQUEST_LIMIT', 'WITHDRAW_IN_PROGRESS');
        assert.ok(Number(second.headers.get('retry-after')) > 0);
        assertRefused(await other(system, member, 100_000), 'TRANSFER_MINIMUM', 'WITHDRAW_MAXIMUM');
      }
      await end(system, reference, 'PAID');
      await reaches(system, reference, 'PAID');
      await payoutsTake(system, 50);
      assert.equal((await ask(system, member, 100)).status, 200, 'the next one');
      await nothingOpen(system);
    });

    test(`${name}: the same key always gets the same reply, another input is refused [R-WDR-02] [R-XFER-04]`, async () => {
      const member = await memberWith('1000.00');
      const first = await ask(system, member, 300, 'one-withdrawal');
      assert.deepEqual((await ask(system, member, 300, 'one-withdrawal')).body, first.body);
      await nothingOpen(system);
      assert.deepEqual((await ask(system, member, 300, 'one-withdrawal')).body, first.body, 'also when it is over');
      assertRefused(await ask(system, member, 301, 'one-withdrawal'), 'KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED');
      const [, other] = BOTH.find(([another]) => another !== name) as (typeof BOTH)[number];
      assertRefused(await other(system, member, 300, 'one-withdrawal'), 'KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED');
      for (const key of ['short', 'with a blank', 'x'.repeat(129)]) {
        assertRefused(await ask(system, member, 300, key), 'TRANSFER_MINIMUM', 'IDEMPOTENCY_KEY', 400);
      }
      assert.equal((await rowsOf(system, member.id)).length, 1);
      assert.equal(await receivedBy(system, member), '300.00');
    });
  }
});

describe('withdrawals that are refused', () => {
  const REFUSALS: [string, MemberChoices, Record<string, unknown> | undefined, string][] = [
    ['a closed account', { bankAccountNo: '9981234567' }, undefined, 'ACCOUNT_CLOSED'],
    ['an account that the bank does not know', { bankAccountNo: '9991234567' }, undefined, 'ACCOUNT_UNKNOWN'],
    ['a refusal of our bank', {}, { fault: 'decline' }, 'BANK_REFUSED'],
    ['a refusal of the other bank', {}, { fault: 'payout-failed', call: undefined }, 'RECEIVER_REFUSED'],
  ];

  for (const [name, choices, fault, reason] of REFUSALS) {
    test(`${name}: the money comes back, and the statement says why [R-WDR-02]`, async () => {
      const member = await memberWith('500.00', choices);
      if (fault) await bankFault(system, fault);
      const { reference } = (await withdraw(system, member, 400, `key-of-${reason}`)).body;
      await reaches(system, reference, 'FAILED');
      assert.deepEqual((await wallet(member)).wallet, { amount: 500, inTransit: 0 });
      const [line] = await linesOf(system, member);
      assert.deepEqual([line?.status, line?.amount, line?.requested, line?.reason], ['FAILED', 0, 400, reason]);
      const [last] = (await ledger.eventsSince(member.id, 0n)).slice(-1);
      assert.deepEqual([last?.kind, last?.state, last?.reference], ['withdraw', 'FAILED', reference]);
      assert.equal((await withdraw(system, member, 400, `key-of-${reason}`)).body.reference, reference, 'same key');
      assert.equal(await receivedBy(system, member), '0.00');
      await behave(system);
    });
  }

  test('an account that the bank knows by another name is not paid [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    const { bankCode, bankAccountNo: accountNo } = member;
    const opened = await system.world('POST /bank/accounts', {
      body: { bankCode, accountNo, accountName: 'SOMEBODY ELSE' },
    });
    assert.ok(opened.status < 300, JSON.stringify(opened.body));
    const { reference } = (await withdraw(system, member, 400)).body;
    await reaches(system, reference, 'FAILED');
    assert.equal((await linesOf(system, member))[0]?.reason, 'NAME_MISMATCH');
    assert.deepEqual((await wallet(member)).wallet, { amount: 500, inTransit: 0 });
  });

  const limits = (max: string) => ({ BAHT: { min: '100.00', max }, LAK: { min: '50000.00', max: '25000000.00' } });

  test('more than our account at the bank holds: the money comes back, and the member can ask again [R-WDR-02]', async () => {
    await setSettings(system, { withdraw: limits('2000000.00') });
    const members = await Promise.all(Array.from({ length: 6 }, () => memberWith('2000000.00')));
    const replies = await Promise.all(members.map((member) => withdraw(system, member, 2_000_000)));
    const rows = await Promise.all(replies.map(({ body }) => reaches(system, body.reference, 'PAID', 'FAILED')));
    const failed = rows.filter(({ state }) => state === 'FAILED');
    assert.ok(failed.length >= 2, 'ten million can pay five at most, and something was paid before');
    for (const [index, member] of members.entries()) {
      const isBack = rows[index]?.state === 'FAILED';
      assert.equal((await wallet(member)).wallet.amount, isBack ? 2_000_000 : 0);
      if (isBack) assert.equal((await linesOf(system, member))[0]?.reason, 'BANK_REFUSED');
    }
    const again = members[rows.findIndex(({ state }) => state === 'FAILED')] as TestMember;
    assert.equal((await withdraw(system, again, 100)).status, 200);
    await nothingOpen(system);
    await setSettings(system, { withdraw: limits('50000.00') });
  });

  test('a respelled name reaches the next payout, not the open one [R-WDR-02]', async () => {
    const member = await memberWith('500.00', {
      bankCode: 'GSB',
      bankAccountName: 'สมใจ ดีมาก',
      bankAccountNo: '200000000777',
    });
    await payoutsTake(system, DAY_MS);
    const { reference } = (await withdraw(system, member, 100)).body;
    await reaches(system, reference, 'ACCEPTED');
    const body = { bankCode: 'GSB', bankAccountName: 'SOMJAI DEEMAK' };
    assert.equal((await system.api('PUT /api/account/bankAccountName', { token: member.token, body })).status, 200);
    const { rows } = await system.database.query('select account_name as name from withdraw where reference = $1', [
      reference,
    ]);
    assert.deepEqual(rows, [{ name: 'สมใจ ดีมาก' }]);
    await end(system, reference, 'PAID');
    await reaches(system, reference, 'PAID');
    await payoutsTake(system, 50);
  });

  for (const path of ['/api/wallet/withdraw', '/api/wallet/withdrawAll']) {
    test(`${path} answers only a POST of a member [R-NET-01]`, async () => {
      const send = (method: string, headers: Record<string, string> = {}) =>
        fetch(system.url + path, { method, headers, ...(method === 'POST' && { body: '{"amount":100}' }) });
      const stranger = await send('POST', { 'content-type': 'application/json' });
      assert.deepEqual([stranger.status, await stranger.json()], [401, { message: 'UNAUTHORIZED' }]);
      const member = await registerMember(system);
      const reply = await send('POST', {
        'content-type': 'application/json',
        authorization: `Bearer ${member.token}`,
        'x-requested-with': 'XMLHttpRequest',
      });
      assert.deepEqual([reply.status, await reply.json()], [400, { message: 'MONEY_NOT_ENOUGH' }]);
      const other = await send('GET');
      assert.deepEqual([other.status, other.headers.get('allow')], [405, 'POST']);
    });
  }

  test('the metrics count open withdrawals and the age of the oldest', async () => {
    const open = (count: number) => queueHolds(system, 'withdraw', 'resolver', (items) => items === count);
    await nothingOpen(system);
    assert.equal(await open(0), 0);
    const member = await memberWith('100.00');
    await payoutsTake(system, DAY_MS);
    const { reference } = (await withdraw(system, member, 100)).body;
    await reaches(system, reference, 'ACCEPTED');
    await system.database.query(
      `update withdraw set created_at = created_at - interval '1 hour' where reference = $1`,
      [reference],
    );
    assert.ok((await open(1)) >= 3_600);
    await end(system, reference, 'PAID');
    await reaches(system, reference, 'PAID');
    await open(0);
    await payoutsTake(system, 50);
  });

  test('after all that the books are right, and the bank has paid what they say [R-WDR-02]', async () => {
    await nothingOpen(system);
    await assertPaidOnce(system);
  });
});
