import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { clearProviderFaults, waitUntilResult } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  injectBankFault,
  outsideWithBankTimeout,
  sendBankCallback,
  endPayout,
  makeInquiriesDue,
  readStatementWithdrawals,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  waitForState,
  waitForStateWithoutBackoff,
  readReceivedAmount,
  readWithdrawalRow,
  withdraw,
} from './payout-fixtures.ts';

const DAY_MS = 86_400_000;
// Unless delayed on purpose, replies must be in time on a busy machine, and the third inquiry, six seconds later, can
// already prove that the bank never received it.
const BANK_TIMEOUT_MS = 2_500;

const FAULT_CASES: [string, Record<string, unknown>, 'PAID' | 'FAILED', number][] = [
  ['a plain yes', { fault: 'slow', delayMs: 30 }, 'PAID', 1],
  ['a refusal', { fault: 'decline' }, 'FAILED', 1],
  ['accepted, the answer lost', { fault: 'timeout-applied' }, 'PAID', 1],
  ['lost on the way', { fault: 'timeout-lost' }, 'PAID', 2],
  ['accepted, the answer garbage', { fault: 'garbage' }, 'PAID', 1],
  ['not accepted, the answer garbage', { fault: 'garbage', applied: false }, 'PAID', 2],
  ['HTTP 500, not accepted', { fault: 'error-500' }, 'PAID', 2],
  ['HTTP 500, but accepted', { fault: 'error-500', applied: true }, 'PAID', 1],
  ['accepted after we gave up', { fault: 'slow', delayMs: BANK_TIMEOUT_MS * 1.5 }, 'PAID', 1],
];

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: outsideWithBankTimeout(BANK_TIMEOUT_MS) });
  ledger = createTestLedger(system);
  await setPayoutDelay(system, 30);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

async function memberWith(amount: string): Promise<TestMember> {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, amount);
  return member;
}

describe('a bank that misbehaves with payouts', () => {
  test('every failure of a payout order ends in its correct outcome, paid at most once [R-WDR-02]', async () => {
    const faultRuns: {
      name: string;
      member: TestMember;
      reference: string;
      expectedState: string;
      attempts: number;
    }[] = [];
    // Inquiries start after all orders arrived: a resent order must not meet the fault of another.
    await system.database.query(`
      create function ask_later() returns trigger language plpgsql as $$
        begin new.next_inquiry_at := 'infinity'; return new; end $$;
      create trigger ask_later before update on withdraw for each row
        when (old.state = 'SENT' and new.state = 'UNKNOWN') execute function ask_later()`);
    for (const [name, bankFault, expectedState, attempts] of FAULT_CASES) {
      const member = await memberWith('500.00');
      await injectBankFault(system, bankFault);
      const { reference } = (await withdraw(system, member, 200)).body;
      await waitUntilResult(
        `${name}: the order has come`,
        async () => (await system.simulatorsApi('GET /control/faults')).body.length as number,
        (remainingCount) => remainingCount === 0,
      );
      faultRuns.push({ name, member, reference, expectedState, attempts });
    }
    await system.database.query('drop trigger ask_later on withdraw');
    await makeInquiriesDue(system);
    await waitForNoOpenWithdrawals(system);
    for (const { name, member, reference, expectedState, attempts } of faultRuns) {
      const row = await readWithdrawalRow(system, reference);
      assert.deepEqual([row.state, row.attempts], [expectedState, attempts], name);
      assert.equal(await readReceivedAmount(system, member), expectedState === 'PAID' ? '200.00' : '0.00', name);
      const expectedBalances = { free: expectedState === 'PAID' ? '300.00' : '500.00', held: '0.00' };
      assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), expectedBalances, name);
    }
  });

  test('money of a payout with unknown outcome is held and shown in progress, after any number of inquiries [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await injectBankFault(system, { fault: 'timeout-applied' });
    await injectBankFault(system, { fault: 'error-500', call: 'payout-status', times: 50 });
    const { reference } = (await withdraw(system, member, 200)).body;
    await waitUntilResult(
      'unknown',
      () => readWithdrawalRow(system, reference),
      ({ note, state }) => state === 'UNKNOWN' && note === 'HTTP 500',
    );
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '300.00', held: '200.00' });
    assert.equal((await readStatementWithdrawals(system, member))[0]?.status, 'PROCESSING');
    assertRefused(await withdraw(system, member, 200), 'REQUEST_LIMIT', 'WITHDRAW_IN_PROGRESS');
    await clearProviderFaults(system);
    await waitForStateWithoutBackoff(system, reference, 'PAID');
  });
});

describe('callbacks of payouts', () => {
  const CALLBACK_CASES: [string, Record<string, unknown>[]][] = [
    ['twice', [{ fault: 'callback-twice', call: 'payout' }]],
    ['late', [{ fault: 'callback-late', call: 'payout', delayMs: 4_000 }]],
    ['before the payout', [{ fault: 'callback-early', call: 'payout', delayMs: 600 }]],
    ['forged with a wrong signature', [{ fault: 'callback-forged', call: 'payout' }]],
    [
      'forged with a valid signature, before a failure,',
      [
        { fault: 'callback-forged', call: 'payout', applied: true },
        { fault: 'payout-failed', call: undefined },
      ],
    ],
  ];

  for (const [name, callbackFaults] of CALLBACK_CASES) {
    test(`a payout callback that arrives ${name} does not change the outcome [R-WDR-02]`, async () => {
      const member = await memberWith('500.00');
      for (const bankFault of callbackFaults) await injectBankFault(system, bankFault);
      const { reference } = (await withdraw(system, member, 200)).body;
      const { state } = await waitForState(system, reference, 'PAID', 'FAILED');
      const isPaid = callbackFaults.length === 1;
      assert.equal(state, isPaid ? 'PAID' : 'FAILED');
      assert.equal(await readReceivedAmount(system, member), isPaid ? '200.00' : '0.00');
      const expectedFree = isPaid ? '300.00' : '500.00';
      assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: expectedFree, held: '0.00' });
      await clearProviderFaults(system);
    });
  }

  test('unsigned, forged and replayed payout callbacks are refused with their codes, and trigger no inquiry [R-WDR-02] [R-NET-06]', async () => {
    const member = await memberWith('500.00');
    await setPayoutDelay(system, DAY_MS);
    const { reference } = (await withdraw(system, member, 200)).body;
    await waitForState(system, reference, 'ACCEPTED');
    // With a new fence: a pending inquiry postpones nothing.
    await system.database.query(
      `update withdraw set next_inquiry_at = now() + interval '1 hour', leased_until = now(), fence = fence + 1
        where reference = $1`,
      [reference],
    );
    const isWoken = async () =>
      (
        await system.database.query(
          `select from withdraw where reference = $1 and (is_inquiry_requested or next_inquiry_at < now() + interval '30 minutes')`,
          [reference],
        )
      ).rowCount > 0;
    const callbackBody = { event: 'payout', payoutId: 'P1', reference, status: 'PAID', reason: null, transRef: 'T1' };
    assertRefused(await sendBankCallback(system, callbackBody, { signature: null }), 'KEY_MISSING');
    assertRefused(await sendBankCallback(system, callbackBody, { signature: '' }), 'KEY_MISSING');
    for (const callbackSpoil of [
      { secret: 'somebody-elses-secret' },
      { ageSeconds: 301 },
      { ageSeconds: -330 },
      { signature: 'nonsense' },
      { signature: `t=1,v1=${'0'.repeat(64)}` },
      { signature: `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` },
      { signature: `v1=${'0'.repeat(64)}` },
    ]) {
      assertRefused(await sendBankCallback(system, callbackBody, callbackSpoil), 'KEY_INVALID');
    }
    for (const body of ['', '{', '[]', '{"event":"payout"}', '{"event":"line","reference":"W1"}']) {
      assertRefused(await sendBankCallback(system, undefined, { body }), 'NO_DATA', 'MALFORMED', 400);
    }
    assert.equal(await isWoken(), false);
    assert.deepEqual((await sendBankCallback(system, { ...callbackBody, reference: 'WNOTOURS' })).body, { ok: true });
    assert.equal(await isWoken(), false);
    // A correctly signed PAID callback, which the bank's inquiry contradicts.
    const countInquiries = async () =>
      (await system.simulatorsApi('GET /control/calls?target=bank&call=payout-status&limit=1000')).body
        .length as number;
    const before = await countInquiries();
    assert.deepEqual((await sendBankCallback(system, callbackBody)).body, { ok: true });
    await waitUntilResult('the question', countInquiries, (madeInquiries) => madeInquiries > before);
    assert.equal((await readWithdrawalRow(system, reference)).state, 'ACCEPTED');
    await endPayout(system, reference, 'FAILED', 'receiver_bank_rejected');
    await waitForState(system, reference, 'FAILED');
    for (let time = 0; time < 3; time += 1)
      assert.equal((await sendBankCallback(system, callbackBody)).status, 200, 'over is over');
    assert.equal((await readWithdrawalRow(system, reference)).state, 'FAILED');
    await setPayoutDelay(system, 30);
  });

  test('a missing payout callback changes nothing, because the bank is inquired anyway [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await injectBankFault(system, { fault: 'callback-late', call: 'payout', delayMs: DAY_MS });
    const { reference } = (await withdraw(system, member, 200)).body;
    await waitForState(system, reference, 'PAID');
    await clearProviderFaults(system);
  });

  test('after all bank faults the bank has paid each amount in the books once [R-WDR-02]', async () => {
    await waitForNoOpenWithdrawals(system);
    await assertPaidOnce(system);
  });
});
