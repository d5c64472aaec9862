import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Ledger } from '../../src/ledger/index.ts';
import { type Api, apiClient, type ApiReply } from '../harness/api-client.ts';
import {
  clearProviderFaults,
  waitUntilResult,
  failProvider,
  openGame,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
} from '../harness/games.ts';
import { terminateLockWaits, countLockWaits } from '../harness/lock-waits.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  injectBankFault,
  outsideWithBankTimeout,
  endPayout,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  waitForState,
  readReceivedAmount,
  type WithdrawalRow,
  readWithdrawalRows,
  withdraw,
  withdrawAll,
} from './payout-fixtures.ts';

const DAY_MS = 86_400_000;
// Longer than elsewhere: the kill points must not pass on a busy machine.
const TIMEOUT_MS = 2_000;

let system: System;
let ledger: Ledger;
let server: ServerProcess;
let api: Api;
let lockingClient: pg.Client;
let second: pg.Client;

before(async () => {
  system = await startSystem({
    outside: (config) => outsideWithBankTimeout(TIMEOUT_MS)(outsideWithProviderTimeout(TIMEOUT_MS)(config)),
  });
  ledger = createTestLedger(system);
  lockingClient = new pg.Client({ connectionString: system.databaseUrl });
  second = new pg.Client({ connectionString: system.databaseUrl });
  await Promise.all([lockingClient.connect(), second.connect()]);
  await setPayoutDelay(system, 30);
  // From now on the only server is a separate process, which can be killed. Callbacks are refused.
  await system.app.close();
  await restart();
});
after(async () => {
  await server?.kill();
  await lockingClient?.end();
  await second?.end();
  await ledger?.close();
  await system?.stop();
});

async function restart(): Promise<void> {
  server = await startServerProcess(system);
  api = apiClient(server.url);
}
async function memberWith(amount: string): Promise<TestMember> {
  const member = await registerMember({ ...system, api });
  await fundWallet(ledger, member.id, amount);
  return member;
}
const sendWithdrawal = (member: TestMember): Promise<ApiReply> =>
  withdraw({ ...system, api }, member, 200, 'through-crashes');
const readOnlyRow = async ({ id }: TestMember): Promise<WithdrawalRow | undefined> =>
  (await readWithdrawalRows(system, id))[0];
const waitForRow = (member: TestMember, description: string, isSo: (row: WithdrawalRow) => boolean): Promise<unknown> =>
  waitUntilResult(
    description,
    () => readOnlyRow(member),
    (row) => row !== undefined && isSo(row),
  );
/** The order was sent; on a busy machine it may have been answered. */
const isOut = ({ state }: WithdrawalRow): boolean => state !== 'HELD';
const lockWaiters = (): Promise<unknown> =>
  waitUntilResult(
    'a statement that waits for a lock',
    () => countLockWaits(system.database),
    (waitingCount) => waitingCount >= 1,
  );
const lockLedger = async (): Promise<void> => {
  await lockingClient.query('begin');
  await lockingClient.query('lock table ledger.operation in share row exclusive mode');
};
/** A withdrawal that reaches the state waits for the advisory lock. */
const waitOnState = (state: 'SENT' | 'ACCEPTED'): Promise<unknown> =>
  system.database.query(`
    create or replace function wait_on_state() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger wait_on_state before update on withdraw for each row
      when (new.state = '${state}') execute function wait_on_state()`);
const waitForSentPayout = ({ id }: TestMember): Promise<unknown> =>
  system.database.query('update withdraw set next_inquiry_at = now() where member_id = $1', [id]);

/**
 * Kills the server at a point of a request, and starts another one. A statement that waits in the database is then
 * executed, without the process that sent it; with `isUndone` it is rolled back.
 */
async function killDuring(
  pendingCall: Promise<unknown>,
  waitForMoment: () => Promise<unknown>,
  { isUndone = false } = {},
): Promise<void> {
  // A killed process sends no reply.
  const callEnded = pendingCall.catch(() => undefined);
  try {
    await waitForMoment();
  } finally {
    await server.kill();
    await callEnded;
    if (isUndone) await terminateLockWaits(system.database);
    await lockingClient.query('rollback');
    await second.query('rollback');
    await restart();
  }
}

async function assertEnded(member: TestMember, state: 'PAID' | 'FAILED', attempts: number): Promise<void> {
  await waitForNoOpenWithdrawals(system);
  await clearProviderFaults(system);
  const rows = await readWithdrawalRows(system, member.id);
  assert.deepEqual(
    rows.map((row) => row.state),
    [state],
  );
  // Killed between the row's update and the call: nothing was sent, and the same reference is sent again.
  const sentCount = rows[0]?.attempts ?? 0;
  assert.ok(sentCount >= attempts, `sent ${sentCount} times`);
  assert.equal(await readReceivedAmount(system, member), state === 'PAID' ? '200.00' : '0.00');
  const expectedBalances = { free: state === 'PAID' ? '300.00' : '500.00', held: '0.00' };
  assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), expectedBalances);
  // The app repeats the same key and gets the same reply.
  const repeatedReply = await sendWithdrawal(member);
  assert.deepEqual(
    [repeatedReply.status, repeatedReply.body.reference, repeatedReply.body.status],
    [200, rows[0]?.reference, 'PROCESSING'],
  );
  await assertPaidOnce(system);
}

/** A withdrawal that the bank has accepted and keeps pending until the test ends it. */
async function requestAccepted(member: TestMember): Promise<string> {
  await setPayoutDelay(system, DAY_MS);
  const { reference } = (await sendWithdrawal(member)).body;
  await waitForState(system, reference, 'ACCEPTED');
  await setPayoutDelay(system, 30);
  return reference;
}

describe('a server killed during withdrawals', () => {
  test('a withdrawal whose server dies before its opening commits is not stored, and the same key is paid once [R-WDR-02] [R-XFER-04]', async () => {
    const member = await memberWith('500.00');
    await lockLedger();
    await killDuring(sendWithdrawal(member), lockWaiters, { isUndone: true });
    assert.deepEqual(await readWithdrawalRows(system, member.id), []);
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '500.00', held: '0.00' });
    assert.equal((await sendWithdrawal(member)).status, 200);
    await assertEnded(member, 'PAID', 1);
  });

  test('a withdrawal whose opening commits without its server is held and paid once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await lockLedger();
    await killDuring(sendWithdrawal(member), lockWaiters);
    await waitForRow(member, 'the opened withdrawal', ({ isHeld }) => isHeld);
    await assertEnded(member, 'PAID', 1);
  });

  for (const [title, isUndone] of [
    ['before state SENT', true],
    ['in state SENT before the call', false],
  ] as const) {
    test(`a withdrawal whose server dies ${title} is paid once [R-WDR-02]`, async () => {
      const member = await memberWith('500.00');
      await waitOnState('SENT');
      await second.query('begin');
      await second.query('select pg_advisory_xact_lock(1)');
      await killDuring(sendWithdrawal(member), lockWaiters, { isUndone });
      await system.database.query('drop trigger wait_on_state on withdraw');
      await assertEnded(member, 'PAID', 1);
    });
  }

  test('a withdrawal whose server dies while the bank works is inquired, and paid once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await injectBankFault(system, { fault: 'slow', delayMs: 1_800 });
    await killDuring(sendWithdrawal(member), () => waitForRow(member, 'sent', isOut));
    await assertEnded(member, 'PAID', 1);
  });

  test('a withdrawal whose server dies while the order is lost is proven absent, sent again, and paid once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await injectBankFault(system, { fault: 'timeout-lost' });
    await killDuring(sendWithdrawal(member), () => waitForRow(member, 'sent', isOut));
    await assertEnded(member, 'PAID', 2);
  });

  test('a withdrawal whose server dies after the bank accepted it, before its row says so, is paid once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await waitOnState('ACCEPTED');
    await second.query('begin');
    await second.query('select pg_advisory_xact_lock(1)');
    await killDuring(sendWithdrawal(member), async () => {
      await lockWaiters();
      await waitForRow(member, 'sent', ({ state }) => state === 'SENT');
    });
    await system.database.query('drop trigger wait_on_state on withdraw');
    await assertEnded(member, 'PAID', 1);
  });
});

describe("a server killed after the bank's reply", () => {
  for (const outcome of ['PAID', 'FAILED'] as const) {
    for (const [title, isUndone] of [
      ['before its closing commits', true],
      ['while its closing commits', false],
    ] as const) {
      test(`a ${outcome} withdrawal whose server dies ${title} moves its money once [R-WDR-02]`, async () => {
        const member = await memberWith('500.00');
        const reference = await requestAccepted(member);
        await lockLedger();
        await killDuring(
          endPayout(system, reference, outcome),
          async () => {
            await waitForSentPayout(member);
            await lockWaiters();
            await waitForRow(member, 'nothing yet', ({ proof, state }) => proof === null && state === 'ACCEPTED');
          },
          { isUndone },
        );
        await assertEnded(member, outcome, 1);
      });
    }
  }

  test('a withdrawal whose server dies during its sweep is completed or refused, keeps swept money, and is paid at most once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await openGame({ ...system, api }, member.token, 'pg');
    const transferReply = await transfer({ ...system, api }, member.token, {
      from: 'WALLET',
      to: 'pg',
      amount: 400,
    });
    assert.equal(transferReply.status, 200);
    await failProvider(system, 'pg', { fault: 'slow', call: 'TransferOut', delayMs: 1_800 });
    const withdrawAllFunds = () => withdrawAll({ ...system, api }, member, 300, 'all-through-a-crash');
    await killDuring(withdrawAllFunds(), async () => {
      await waitUntilResult(
        'money under way from the game',
        async () =>
          (
            await system.database.query<{ state: string }>(
              `select state from transfer_leg where member_id = $1 and direction = 'out'`,
              [member.id],
            )
          ).rows[0]?.state,
        // On a busy machine it may already be closed.
        (state) => state !== undefined && state !== 'HELD',
      );
      // Killed between the row's update and the call: nothing was sent.
      await waitUntilResult(
        'the provider has got its call',
        async () => (await system.simulatorsApi('GET /control/faults')).body.length as number,
        (waitingCount) => waitingCount === 0,
      );
    });
    await untilSettled(system);
    await waitForNoOpenWithdrawals(system);
    await clearProviderFaults(system);
    const [row] = await readWithdrawalRows(system, member.id);
    const repeatedReplies = await withdrawAllFunds();
    const isPaid = row?.state === 'PAID';
    assert.deepEqual(
      [repeatedReplies.status, repeatedReplies.body.message],
      isPaid ? [200, undefined] : [502, 'TRANSFER_FAIL'],
    );
    assert.equal(await readReceivedAmount(system, member), isPaid ? '300.00' : '0.00');
    const expectedBalances = { free: isPaid ? '0.00' : '300.00', held: '0.00' };
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), expectedBalances);
    await assertPaidOnce(system);
  });

  test('a second server completes the withdrawals of a killed one [R-WDR-02] [R-XFER-04]', async () => {
    const member = await memberWith('500.00');
    const otherServer = await startServerProcess(system);
    try {
      await injectBankFault(system, { fault: 'slow', delayMs: 1_800 });
      await killDuring(sendWithdrawal(member), () => waitForRow(member, 'sent', isOut));
      await assertEnded(member, 'PAID', 1);
    } finally {
      await otherServer.stop();
    }
  });
});
