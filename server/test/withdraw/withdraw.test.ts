import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import {
  clearProviderFaults,
  failProvider,
  openGame,
  untilSettled,
  transfer,
  outsideWithProviderTimeout,
} from '../harness/games.ts';
import { type MemberOptions, registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { closeWallet, setSettings } from '../harness/operator.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { waitForQueueItems } from '../harness/queues.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  injectBankFault,
  endPayout,
  readStatementWithdrawals,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  waitForState,
  readReceivedAmount,
  readWithdrawalRows,
  withdraw,
  withdrawAll,
} from './payout-fixtures.ts';

const DAY_MS = 86_400_000;
const WITHDRAW_CALLS = [
  ['withdraw', withdraw],
  ['withdrawAll', withdrawAll],
] as const;

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
  ledger = createTestLedger(system);
  await setPayoutDelay(system, 50);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

async function memberWith(amount: string, memberOptions: MemberOptions = {}): Promise<TestMember> {
  const member = await registerMember(system, memberOptions);
  if (amount !== '0.00') await fundWallet(ledger, member.id, amount);
  return member;
}
const readWallet = async ({ token }: TestMember) => (await system.api('GET /api/wallet', { token })).body;

describe('taking money out', () => {
  for (const [name, sendWithdrawal] of WITHDRAW_CALLS) {
    test(`${name}: a withdrawal is held immediately, shown in progress, and paid to the registered account [R-WDR-02]`, async () => {
      const member = await memberWith('1000.00');
      await setPayoutDelay(system, DAY_MS);
      const reply = await sendWithdrawal(system, member, 250.5);
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const { reference } = reply.body;
      const expected = {
        reference,
        status: 'PROCESSING',
        amount: 250.5,
        ...(name === 'withdrawAll' && { notBrought: [] }),
      };
      assert.deepEqual(reply.body, expected);
      const now = await readWallet(member);
      assert.deepEqual(now.wallet, { amount: 749.5, inTransit: 250.5 });
      assert.deepEqual([now.withdrawal.reference, now.withdrawal.amount], [reference, 250.5]);
      const [statementEntry] = await readStatementWithdrawals(system, member);
      const expectedEntry = {
        status: statementEntry?.status,
        amount: statementEntry?.amount,
        from: statementEntry?.from,
        to: statementEntry?.to,
        reason: statementEntry?.reason,
      };
      assert.deepEqual(expectedEntry, {
        status: 'PROCESSING',
        amount: -250.5,
        from: 'WALLET',
        to: 'SCB',
        reason: null,
      });
      await waitForState(system, reference, 'ACCEPTED');
      assert.equal((await readWallet(member)).withdrawal.state, 'ACCEPTED');
      await endPayout(system, reference, 'PAID');
      await waitForState(system, reference, 'PAID');
      const walletAfter = await readWallet(member);
      assert.deepEqual([walletAfter.wallet, walletAfter.withdrawal], [{ amount: 749.5, inTransit: 0 }, null]);
      const [paidEntry] = await readStatementWithdrawals(system, member);
      assert.deepEqual([paidEntry?.status, paidEntry?.amount, paidEntry?.requested], ['SUCCESS', -250.5, 250.5]);
      assert.equal(await readReceivedAmount(system, member), '250.50');
      const states = (await ledger.eventsSince(member.id, 0n)).filter(({ kind }) => kind === 'withdraw');
      assert.deepEqual(
        states.map(({ state, amount }) => [state, amount]),
        [
          ['PROCESSING', -25050n],
          ['SUCCESS', 0n],
        ],
      );
      await setPayoutDelay(system, 50);
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
      for (const [amount, detailCode] of cases)
        assertRefused(await sendWithdrawal(system, member, amount), 'TRANSFER_MINIMUM', detailCode);
      for (const body of ['{', '[]', '"x"', 'null']) {
        const { status } = await system.api(`POST /api/wallet/${name}`, { token: member.token, body });
        assert.ok(status >= 400 && status < 500, `${body} ${status}`);
      }
      assert.deepEqual(await readWithdrawalRows(system, member.id), []);
      assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '1000.00', held: '0.00' });
    });

    test(`${name}: more than the balance is MONEY_NOT_ENOUGH permanently, and another request is possible [R-WDR-02] [R-NET-06]`, async () => {
      const member = await memberWith('150.00');
      assertRefused(await sendWithdrawal(system, member, 150.01, 'too-much-1'), 'MONEY_NOT_ENOUGH');
      await fundWallet(ledger, member.id, '100.00');
      assertRefused(await sendWithdrawal(system, member, 150.01, 'too-much-1'), 'MONEY_NOT_ENOUGH');
      assert.deepEqual(await readStatementWithdrawals(system, member), [], 'nothing moved, nothing is listed');
      assert.equal((await readWallet(member)).withdrawal, null);
      assert.equal((await sendWithdrawal(system, member, 250)).status, 200);
      await waitForNoOpenWithdrawals(system);
    });
  }
});

describe('who may withdraw, and how often', () => {
  for (const [name, sendWithdrawal] of WITHDRAW_CALLS) {
    test(`${name}: a member without a bank account, or with a closed wallet, is refused with the code for it [R-WDR-02] [R-NET-06]`, async () => {
      const member = await memberWith('1000.00');
      await system.database.query('delete from member_bank_account where member_id = $1', [member.id]);
      assertRefused(await sendWithdrawal(system, member, 200), 'NO_BANK');
      assertRefused(await sendWithdrawal(system, member, 1), 'NO_BANK', undefined);
      await closeWallet(system, member);
      assertRefused(await sendWithdrawal(system, member, 200), 'NO_WALLET');
      await system.database.query(`update member set status = 'restricted', status_reason = 'TIME_OUT' where id = $1`, [
        member.id,
      ]);
      assertRefused(await sendWithdrawal(system, member, 200), 'INVALID_USER_4', 'TIME_OUT');
    });

    test(`${name}: one withdrawal at a time is allowed, and none while a transfer is pending [R-WDR-02] [R-NET-06]`, async () => {
      const member = await memberWith('1000.00');
      await openGame(system, member.token, 'pg');
      await failProvider(system, 'pg', { fault: 'timeout-lost', call: 'TransferIn' });
      assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 10 })).status, 202);
      assertRefused(await sendWithdrawal(system, member, 100), 'REQUEST_LIMIT', 'TRANSFER_IN_PROGRESS');
      assertRefused(await sendWithdrawal(system, member, 99), 'TRANSFER_MINIMUM', 'WITHDRAW_MINIMUM');
      await untilSettled(system);
      await clearProviderFaults(system);
      await setPayoutDelay(system, DAY_MS);
      const { reference } = (await sendWithdrawal(system, member, 100)).body;
      await waitForState(system, reference, 'ACCEPTED');
      for (const [, otherCall] of WITHDRAW_CALLS) {
        const second = await otherCall(system, member, 100);
        assertRefused(second, 'REQUEST_LIMIT', 'WITHDRAW_IN_PROGRESS');
        assert.ok(Number(second.headers.get('retry-after')) > 0);
        assertRefused(await otherCall(system, member, 100_000), 'TRANSFER_MINIMUM', 'WITHDRAW_MAXIMUM');
      }
      await endPayout(system, reference, 'PAID');
      await waitForState(system, reference, 'PAID');
      await setPayoutDelay(system, 50);
      assert.equal((await sendWithdrawal(system, member, 100)).status, 200, 'the next one');
      await waitForNoOpenWithdrawals(system);
    });

    test(`${name}: the same key always gets the same reply, and another input is refused [R-WDR-02] [R-XFER-04]`, async () => {
      const member = await memberWith('1000.00');
      const first = await sendWithdrawal(system, member, 300, 'one-withdrawal');
      assert.deepEqual((await sendWithdrawal(system, member, 300, 'one-withdrawal')).body, first.body);
      await waitForNoOpenWithdrawals(system);
      assert.deepEqual(
        (await sendWithdrawal(system, member, 300, 'one-withdrawal')).body,
        first.body,
        'also when it is over',
      );
      assertRefused(
        await sendWithdrawal(system, member, 301, 'one-withdrawal'),
        'KEY_INVALID',
        'IDEMPOTENCY_KEY_REUSED',
      );
      const [, otherCall] = WITHDRAW_CALLS.find(([callName]) => callName !== name) as (typeof WITHDRAW_CALLS)[number];
      assertRefused(await otherCall(system, member, 300, 'one-withdrawal'), 'KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED');
      for (const key of ['short', 'with a blank', 'x'.repeat(129)]) {
        assertRefused(await sendWithdrawal(system, member, 300, key), 'TRANSFER_MINIMUM', 'IDEMPOTENCY_KEY', 400);
      }
      assert.equal((await readWithdrawalRows(system, member.id)).length, 1);
      assert.equal(await readReceivedAmount(system, member), '300.00');
    });
  }
});

describe('withdrawals that are refused', () => {
  const REFUSAL_CASES: [string, MemberOptions, Record<string, unknown> | undefined, string][] = [
    ['a closed account', { bankAccountNo: '9981234567' }, undefined, 'ACCOUNT_CLOSED'],
    ['an account that the bank does not know', { bankAccountNo: '9991234567' }, undefined, 'ACCOUNT_UNKNOWN'],
    ['a refusal by our bank', {}, { fault: 'decline' }, 'BANK_REFUSED'],
    ['a refusal by the other bank', {}, { fault: 'payout-failed', call: undefined }, 'RECEIVER_REFUSED'],
  ];

  for (const [name, choices, bankFault, reason] of REFUSAL_CASES) {
    test(`${name}: a refused withdrawal is returned, and the statement shows the reason [R-WDR-02]`, async () => {
      const member = await memberWith('500.00', choices);
      if (bankFault) await injectBankFault(system, bankFault);
      const { reference } = (await withdraw(system, member, 400, `key-of-${reason}`)).body;
      await waitForState(system, reference, 'FAILED');
      assert.deepEqual((await readWallet(member)).wallet, { amount: 500, inTransit: 0 });
      const [statementEntry] = await readStatementWithdrawals(system, member);
      assert.deepEqual(
        [statementEntry?.status, statementEntry?.amount, statementEntry?.requested, statementEntry?.reason],
        ['FAILED', 0, 400, reason],
      );
      const [last] = (await ledger.eventsSince(member.id, 0n)).slice(-1);
      assert.deepEqual([last?.kind, last?.state, last?.reference], ['withdraw', 'FAILED', reference]);
      assert.equal((await withdraw(system, member, 400, `key-of-${reason}`)).body.reference, reference, 'same key');
      assert.equal(await readReceivedAmount(system, member), '0.00');
      await clearProviderFaults(system);
    });
  }

  test('a bank account in another name at the bank is not paid [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    const { bankCode, bankAccountNo: accountNo } = member;
    const openedAccount = await system.simulatorsApi('POST /bank/accounts', {
      body: { bankCode, accountNo, accountName: 'SOMEBODY ELSE' },
    });
    assert.ok(openedAccount.status < 300, JSON.stringify(openedAccount.body));
    const { reference } = (await withdraw(system, member, 400)).body;
    await waitForState(system, reference, 'FAILED');
    assert.equal((await readStatementWithdrawals(system, member))[0]?.reason, 'NAME_MISMATCH');
    assert.deepEqual((await readWallet(member)).wallet, { amount: 500, inTransit: 0 });
  });

  const limitsWithMax = (maxAmount: string) => ({
    BAHT: { min: '100.00', max: maxAmount },
    LAK: { min: '50000.00', max: '25000000.00' },
  });

  test("more than the operator's account holds is returned to the member, who can request again [R-WDR-02]", async () => {
    await setSettings(system, { withdraw: limitsWithMax('2000000.00') });
    const members = await Promise.all(Array.from({ length: 6 }, () => memberWith('2000000.00')));
    const replies = await Promise.all(members.map((member) => withdraw(system, member, 2_000_000)));
    const rows = await Promise.all(replies.map(({ body }) => waitForState(system, body.reference, 'PAID', 'FAILED')));
    const failedRows = rows.filter(({ state }) => state === 'FAILED');
    assert.ok(failedRows.length >= 2, 'ten million can pay five at most, and something was paid before');
    for (const [index, member] of members.entries()) {
      const isBack = rows[index]?.state === 'FAILED';
      assert.equal((await readWallet(member)).wallet.amount, isBack ? 2_000_000 : 0);
      if (isBack) assert.equal((await readStatementWithdrawals(system, member))[0]?.reason, 'BANK_REFUSED');
    }
    const refusedMember = members[rows.findIndex(({ state }) => state === 'FAILED')] as TestMember;
    assert.equal((await withdraw(system, refusedMember, 100)).status, 200);
    await waitForNoOpenWithdrawals(system);
    await setSettings(system, { withdraw: limitsWithMax('50000.00') });
  });

  test('a corrected name applies to the next payout, not the open one [R-WDR-02]', async () => {
    const member = await memberWith('500.00', {
      bankCode: 'GSB',
      bankAccountName: 'สมใจ ดีมาก',
      bankAccountNo: '200000000777',
    });
    await setPayoutDelay(system, DAY_MS);
    const { reference } = (await withdraw(system, member, 100)).body;
    await waitForState(system, reference, 'ACCEPTED');
    const body = { bankCode: 'GSB', bankAccountName: 'SOMJAI DEEMAK' };
    assert.equal((await system.api('PUT /api/account/bankAccountName', { token: member.token, body })).status, 200);
    const { rows } = await system.database.query('select account_name as name from withdraw where reference = $1', [
      reference,
    ]);
    assert.deepEqual(rows, [{ name: 'สมใจ ดีมาก' }]);
    await endPayout(system, reference, 'PAID');
    await waitForState(system, reference, 'PAID');
    await setPayoutDelay(system, 50);
  });

  for (const path of ['/api/wallet/withdraw', '/api/wallet/withdrawAll']) {
    test(`${path} accepts only a POST by a member [R-NET-01]`, async () => {
      const sendCallback = (method: string, headers: Record<string, string> = {}) =>
        fetch(system.url + path, { method, headers, ...(method === 'POST' && { body: '{"amount":100}' }) });
      const unsignedReply = await sendCallback('POST', { 'content-type': 'application/json' });
      assert.deepEqual([unsignedReply.status, await unsignedReply.json()], [401, { message: 'UNAUTHORIZED' }]);
      const member = await registerMember(system);
      const reply = await sendCallback('POST', {
        'content-type': 'application/json',
        authorization: `Bearer ${member.token}`,
        'x-requested-with': 'XMLHttpRequest',
      });
      const { message } = (await reply.json()) as { message: string };
      assert.deepEqual([reply.status, message], [400, 'MONEY_NOT_ENOUGH']);
      const getReply = await sendCallback('GET');
      assert.deepEqual([getReply.status, getReply.headers.get('allow')], [405, 'POST']);
    });
  }

  test('the metrics count open withdrawals and the age of the oldest', async () => {
    const waitForOpen = (count: number) =>
      waitForQueueItems(system, 'withdraw', 'resolver', (items) => items === count);
    await waitForNoOpenWithdrawals(system);
    assert.equal(await waitForOpen(0), 0);
    const member = await memberWith('100.00');
    await setPayoutDelay(system, DAY_MS);
    const { reference } = (await withdraw(system, member, 100)).body;
    await waitForState(system, reference, 'ACCEPTED');
    await system.database.query(
      `update withdraw set created_at = created_at - interval '1 hour' where reference = $1`,
      [reference],
    );
    assert.ok((await waitForOpen(1)) >= 3_600);
    await endPayout(system, reference, 'PAID');
    await waitForState(system, reference, 'PAID');
    await waitForOpen(0);
    await setPayoutDelay(system, 50);
  });

  test('after single withdrawals every audit finds nothing, and the bank has paid each amount once [R-WDR-02]', async () => {
    await waitForNoOpenWithdrawals(system);
    await assertPaidOnce(system);
  });
});
