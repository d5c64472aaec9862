import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { audit, type Ledger } from '../../src/ledger/index.ts';
import { apiClient } from '../harness/api-client.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import { waitUntilResult } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { createTestLedger, fundWallet, readBalance } from '../harness/money.ts';
import { startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  acceptedReply,
  type BankReply,
  type ControlledBank,
  PAYOUT_NOT_FOUND,
  startControlledBank,
  statusReply,
} from './controlled-bank.ts';
import {
  readWithdrawalRow,
  sendBankCallback,
  waitForState,
  waitForStateWithoutBackoff,
  withdraw,
} from './payout-fixtures.ts';

/** Longer than a command waits for a running inquiry. */
const BANK_TIMEOUT_MS = 25_000;
const WHY = ['bank', 'ticket', '123'];

let system: System;
let ledger: Ledger;
let bank: ControlledBank;
/** Replies to inquiries, by reference. ACCEPTED unless set. */
const replies = new Map<string, () => BankReply | Promise<BankReply>>();
const inquiries = new Map<string, number>();
before(async () => {
  bank = await startControlledBank();
  bank.send = acceptedReply;
  bank.inquire = (order) => {
    if (!order) return PAYOUT_NOT_FOUND;
    inquiries.set(order.reference, inquiriesAbout(order.reference) + 1);
    return replies.get(order.reference)?.() ?? statusReply(order, 'ACCEPTED');
  };
  system = await startSystem({
    outside: (config) => ({ ...config, bank: { ...config.bank, url: bank.url, timeoutMs: BANK_TIMEOUT_MS } }),
  });
  ledger = createTestLedger(system);
});
afterEach(async () => {
  const violated = (await audit(system.database)).filter(({ violations }) => violations !== 0);
  assert.deepEqual(violated, []);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
  await bank?.close();
});

const inquiriesAbout = (reference: string): number => inquiries.get(reference) ?? 0;
const runPayouts = (...args: string[]): Promise<CommandResult> => runCommand(system, 'payouts', args);

/** An accepted payout of 150 of 1000 baht, sent an hour ago, whose next inquiry is in five minutes. */
async function acceptedPayout() {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, '1000.00');
  const { reference } = (await withdraw(system, member, 150)).body as { reference: string };
  await waitForState(system, reference, 'ACCEPTED');
  await system.database.query(
    `update withdraw set sent_at = now() - interval '1 hour', leased_until = now(), fence = fence + 1, is_inquiry_requested = false,
       next_inquiry_at = now() + interval '5 minutes' where reference = $1`,
    [reference],
  );
  return { ...member, reference };
}
const callbackOf = (reference: string, status: 'PAID' | 'FAILED') => ({
  event: 'payout',
  payoutId: 'P1',
  reference,
  status,
  reason: null,
  transRef: 'T1',
});
const orderOf = (reference: string) => {
  const order = bank.orders.findLast((candidate) => candidate.reference === reference);
  assert.ok(order);
  return order;
};
/** Starts an inquiry that the test answers. */
async function startInquiry(reference: string): Promise<(reply: BankReply) => void> {
  const { promise, resolve } = Promise.withResolvers<BankReply>();
  replies.set(reference, () => promise);
  const before = inquiriesAbout(reference);
  await system.database.query('update withdraw set next_inquiry_at = now() where reference = $1', [reference]);
  await waitUntilResult(
    'the inquiry',
    async () => inquiriesAbout(reference),
    (count) => count > before,
  );
  return resolve;
}
async function assertSettledOnce({ id, reference }: { id: string; reference: string }, state: 'PAID' | 'FAILED') {
  await waitForState(system, reference, state);
  const free = state === 'PAID' ? '850.00' : '1000.00';
  assert.deepEqual(await readBalance(ledger, id, 'WALLET'), { free, held: '0.00' });
  const { rows } = await system.database.query<{ count: number }>(
    `select count(*)::int as count from ledger.operation where reference = $1 and type in ('post', 'void')`,
    [reference],
  );
  assert.deepEqual(rows, [{ count: 1 }]);
}
const readLog = async (reference: string): Promise<(string | undefined)[]> => {
  const { output } = await runCommand(system, 'operator-log', [reference]);
  return output
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((row) => row.split(/ {2,}/)[2]);
};

describe('an operator and unsettled payouts', { concurrency: true }, () => {
  test('`payouts inquire` inquires a payout within seconds instead of five minutes, also in state MANUAL [R-WDR-02]', async () => {
    const payout = await acceptedPayout();
    const { reference } = payout;
    const result = await runPayouts('inquire', reference, 'nok', ...WHY);
    assert.match(result.output, new RegExp(`^${reference} is asked about now, by operator:nok\\.`));
    await waitUntilResult(
      'the inquiry',
      async () => inquiriesAbout(reference),
      (count) => count === 1,
    );
    assert.equal((await runPayouts('manual', reference, 'nok', ...WHY)).status, 0);
    replies.set(reference, () => statusReply(orderOf(reference), 'PAID'));
    assert.equal((await runPayouts('inquire', reference, 'nok', ...WHY)).status, 0);
    await assertSettledOnce(payout, 'PAID');
    assert.deepEqual(await readLog(reference), ['payouts inquire', 'payouts manual', 'payouts inquire']);
  });

  test('`payouts manual` takes a payout after its running inquiry, and the bank is not inquired again [R-WDR-02]', async () => {
    const payout = await acceptedPayout();
    const { reference } = payout;
    const reply = await startInquiry(reference);
    const command = runPayouts('manual', reference, 'nok', ...WHY);
    assert.equal(await Promise.race([command, sleep(500, 'waits')]), 'waits');
    reply(statusReply(orderOf(reference), 'ACCEPTED'));
    assert.match((await command).output, new RegExp(`^${reference} is MANUAL now, by operator:nok\\.`));
    await system.database.query('update withdraw set next_inquiry_at = now() where reference = $1', [reference]);
    await sleep(1_500);
    assert.equal(inquiriesAbout(reference), 1);
    const settled = await Promise.all(
      ['paid', 'failed', 'paid', 'failed'].map((outcome, index) =>
        runPayouts('settle', reference, outcome, `op${index}`, ...WHY),
      ),
    );
    const winner = settled.findIndex(({ status }) => status === 0);
    assert.equal(settled.filter(({ status }) => status === 0).length, 1, JSON.stringify(settled));
    for (const { output } of settled.filter(({ status }) => status !== 0)) {
      assert.match(output, new RegExp(`decided already, by operator:op${winner}|it is (PAID|FAILED)`));
    }
    await assertSettledOnce(payout, winner % 2 === 0 ? 'PAID' : 'FAILED');
  });

  test("an outcome of the running inquiry precedes the operator's command [R-WDR-02]", async () => {
    const payout = await acceptedPayout();
    const { reference } = payout;
    const reply = await startInquiry(reference);
    const command = runPayouts('manual', reference, 'nok', ...WHY);
    await sleep(200);
    reply(statusReply(orderOf(reference), 'PAID'));
    assert.match((await command).output, /does not allow that, it is PAID\./);
    await assertSettledOnce(payout, 'PAID');
    assert.deepEqual(await readLog(reference), []);
  });

  test('a payout is taken from a silent inquiry after 15 s; its later PAID still ends it, once [R-WDR-02]', async () => {
    const payout = await acceptedPayout();
    const { reference } = payout;
    const reply = await startInquiry(reference);
    const startedMs = performance.now();
    assert.equal((await runPayouts('manual', reference, 'nok', ...WHY)).status, 0);
    const waitedMs = performance.now() - startedMs;
    assert.ok(waitedMs > 14_000 && waitedMs < 24_000, String(waitedMs));
    assert.equal((await readWithdrawalRow(system, reference)).state, 'MANUAL');
    replies.set(reference, () => statusReply(orderOf(reference), 'PAID'));
    reply(statusReply(orderOf(reference), 'PAID'));
    await assertSettledOnce(payout, 'PAID');
  });

  test('an invalid payouts command changes and logs nothing, and prints the reason [R-WDR-02]', async () => {
    const { reference } = await acceptedPayout();
    const cases: [string[], RegExp][] = [
      [['manual'], /^REFERENCE is missing\. Write /],
      [['manual', 'WNOTOURS', 'nok', ...WHY], /There is no such payout/],
      [['settle', reference, 'paid', 'nok', ...WHY], /does not allow that, it is ACCEPTED\./],
      [['settle', reference, 'perhaps', 'nok', ...WHY], /^The outcome is one of paid, failed, not "perhaps"\./],
      [['inquire', reference, 'nok'], /^WHY needs at least five letters\. Write /],
      [['undo', reference, 'nok', ...WHY], /^There is no action "undo"\. Write /],
    ];
    for (const [args, message] of cases) {
      const { status, output } = await runPayouts(...args);
      assert.equal(status, 1, output);
      assert.match(output, message);
    }
    await system.database.query('update withdraw set sent_at = now() where reference = $1', [reference]);
    assert.match((await runPayouts('manual', reference, 'nok', ...WHY)).output, /less than five minutes ago/);
    assert.equal((await readWithdrawalRow(system, reference)).state, 'ACCEPTED');
    assert.deepEqual(await readLog(reference), []);
    replies.set(reference, () => statusReply(orderOf(reference), 'PAID'));
    await waitForStateWithoutBackoff(system, reference, 'PAID');
  });
});

describe('an operator and callbacks of the bank', { concurrency: true }, () => {
  test('a callback with PAID ends a payout that an operator took over, and a later decision is refused [R-WDR-02]', async () => {
    const payout = await acceptedPayout();
    const { reference } = payout;
    assert.equal((await runPayouts('manual', reference, 'nok', ...WHY)).status, 0);
    replies.set(reference, () => statusReply(orderOf(reference), 'PAID'));
    const decisions = [
      sendBankCallback(system, callbackOf(reference, 'PAID')),
      runPayouts('settle', reference, 'paid', 'nok', ...WHY),
    ];
    await Promise.all(decisions);
    await assertSettledOnce(payout, 'PAID');
    assert.match((await runPayouts('settle', reference, 'failed', 'lek', ...WHY)).output, /it is PAID/);
  });

  test('a callback that contradicts a settled payout moves no money and is an error in the log [R-WDR-02]', async () => {
    const payout = await acceptedPayout();
    const { reference } = payout;
    assert.equal((await runPayouts('manual', reference, 'nok', ...WHY)).status, 0);
    assert.equal((await runPayouts('settle', reference, 'failed', 'nok', ...WHY)).status, 0);
    await assertSettledOnce(payout, 'FAILED');
    const server = await startServerProcess(system);
    try {
      const behindServer = { ...system, api: apiClient(server.url) };
      for (const status of ['FAILED', 'PAID'] as const) {
        assert.equal((await sendBankCallback(behindServer, callbackOf(reference, status))).status, 200);
      }
      const entries = (await server.waitForLog(/opposite outcome/))
        .split('\n')
        .filter((line) => line.includes(reference));
      assert.equal(entries.length, 1, entries.join('\n'));
      assert.match(entries[0] ?? '', /"proof":"PAID".*withdrawal already has the opposite outcome/);
    } finally {
      await server.stop();
    }
    await assertSettledOnce(payout, 'FAILED');
  });

  test('after a callback a MANUAL payout is inquired until the bank replies [R-WDR-02]', async () => {
    const payout = await acceptedPayout();
    const { reference } = payout;
    assert.equal((await runPayouts('manual', reference, 'nok', ...WHY)).status, 0);
    replies.set(reference, () => PAYOUT_NOT_FOUND);
    assert.equal((await runPayouts('inquire', reference, 'nok', ...WHY)).status, 0);
    await waitUntilResult(
      'the note',
      async () => (await readWithdrawalRow(system, reference)).note,
      (note) => note === 'the bank does not know it',
    );
    let failures = 2;
    replies.set(reference, () => {
      failures -= 1;
      return failures < 0 ? statusReply(orderOf(reference), 'PAID') : { status: 503, body: 'maintenance' };
    });
    await sendBankCallback(system, callbackOf(reference, 'PAID'));
    await assertSettledOnce(payout, 'PAID');
  });

  test('settle waits for an inquiry that a callback triggered, and its outcome wins [R-WDR-02]', async () => {
    const payout = await acceptedPayout();
    const { reference } = payout;
    assert.equal((await runPayouts('manual', reference, 'nok', ...WHY)).status, 0);
    replies.set(reference, () => statusReply(orderOf(reference), 'PAID'));
    // The callback reached a server that can't ask yet.
    await system.database.query(
      `update withdraw set is_inquiry_requested = true, next_inquiry_at = now() + interval '2 seconds' where reference = $1`,
      [reference],
    );
    const { output } = await runPayouts('settle', reference, 'failed', 'nok', ...WHY);
    assert.match(output, /does not allow that, it is PAID\./);
    await assertSettledOnce(payout, 'PAID');
  });
});
