import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Ledger } from '../../src/ledger/index.ts';
import { type Api, apiClient, type ApiReply } from '../harness/api-client.ts';
import { behave, eventually, misbehave, openGame, providersWithin, settled, transfer } from '../harness/games.ts';
import { endLockWaits, lockWaits } from '../harness/lock-waits.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  bankFault,
  bankWithin,
  end,
  nothingOpen,
  payoutsTake,
  reaches,
  receivedBy,
  type Row,
  rowsOf,
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
let locker: pg.Client;
let second: pg.Client;

before(async () => {
  system = await startSystem({ outside: (same) => bankWithin(TIMEOUT_MS)(providersWithin(TIMEOUT_MS)(same)) });
  ledger = ledgerOf(system);
  locker = new pg.Client({ connectionString: system.databaseUrl });
  second = new pg.Client({ connectionString: system.databaseUrl });
  await Promise.all([locker.connect(), second.connect()]);
  await payoutsTake(system, 30);
  // From here on the only server is a separate process, which can be killed. Callbacks are refused.
  await system.app.close();
  await restart();
});
after(async () => {
  await server?.kill();
  await locker?.end();
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
  await fund(ledger, member.id, amount);
  return member;
}
const ask = (member: TestMember): Promise<ApiReply> => withdraw({ ...system, api }, member, 200, 'through-crashes');
const only = async ({ id }: TestMember): Promise<Row | undefined> => (await rowsOf(system, id))[0];
const sees = (member: TestMember, what: string, isSo: (row: Row) => boolean): Promise<unknown> =>
  eventually(
    what,
    () => only(member),
    (row) => row !== undefined && isSo(row),
  );
/** The order was sent; on a busy machine it may have been answered. */
const isOut = ({ state }: Row): boolean => state !== 'HELD';
const lockWaiters = (): Promise<unknown> =>
  eventually(
    'a statement that waits for a lock',
    () => lockWaits(system.database),
    (waits) => waits >= 1,
  );
const lockLedger = async (): Promise<void> => {
  await locker.query('begin');
  await locker.query('lock table ledger.operation in share row exclusive mode');
};
/** A withdrawal that reaches the state waits for the advisory lock. */
const waitOnState = (state: 'SENT' | 'ACCEPTED'): Promise<unknown> =>
  system.database.query(`
    create or replace function wait_on_state() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger wait_on_state before update on withdraw for each row
      when (new.state = '${state}') execute function wait_on_state()`);
const askedNow = ({ id }: TestMember): Promise<unknown> =>
  system.database.query('update withdraw set next_ask_at = now() where member_id = $1', [id]);

/**
 * Kills the server at a point of a request, and starts another one. A statement that waits in the database is then
 * executed, without the process that sent it; with `isUndone` it is rolled back.
 */
async function killDuring(
  asked: Promise<unknown>,
  moment: () => Promise<unknown>,
  { isUndone = false } = {},
): Promise<void> {
  // A killed process sends no reply.
  const answered = asked.catch(() => undefined);
  try {
    await moment();
  } finally {
    await server.kill();
    await answered;
    if (isUndone) await endLockWaits(system.database);
    await locker.query('rollback');
    await second.query('rollback');
    await restart();
  }
}

async function assertEnded(member: TestMember, state: 'PAID' | 'FAILED', attempts: number): Promise<void> {
  await nothingOpen(system);
  await behave(system);
  const rows = await rowsOf(system, member.id);
  assert.deepEqual(
    rows.map((row) => row.state),
    [state],
  );
  // Killed between the row's update and the call: nothing was sent, and the same reference is sent again.
  const sent = rows[0]?.attempts ?? 0;
  assert.ok(sent >= attempts, `sent ${sent} times`);
  assert.equal(await receivedBy(system, member), state === 'PAID' ? '200.00' : '0.00');
  const left = { free: state === 'PAID' ? '300.00' : '500.00', held: '0.00' };
  assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), left);
  // The app repeats the same key and gets the same reply.
  const again = await ask(member);
  assert.deepEqual([again.status, again.body.reference, again.body.status], [200, rows[0]?.reference, 'PROCESSING']);
  await assertPaidOnce(system);
}

/** A withdrawal that the bank has accepted and keeps pending until the test ends it. */
async function accepted(member: TestMember): Promise<string> {
  await payoutsTake(system, DAY_MS);
  const { reference } = (await ask(member)).body;
  await reaches(system, reference, 'ACCEPTED');
  await payoutsTake(system, 30);
  return reference;
}

describe('a server that is killed in the middle of withdrawals', () => {
  test('before the opening is committed: nothing is kept, and the same key is paid once [R-WDR-02] [R-XFER-04]', async () => {
    const member = await memberWith('500.00');
    await lockLedger();
    await killDuring(ask(member), lockWaiters, { isUndone: true });
    assert.deepEqual(await rowsOf(system, member.id), []);
    assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '500.00', held: '0.00' });
    assert.equal((await ask(member)).status, 200);
    await assertEnded(member, 'PAID', 1);
  });

  test('the opening commits without its server: the money is held, and paid once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await lockLedger();
    await killDuring(ask(member), lockWaiters);
    await sees(member, 'the opened withdrawal', ({ isHeld }) => isHeld);
    await assertEnded(member, 'PAID', 1);
  });

  for (const [what, isUndone] of [
    ['before it is SENT', true],
    ['SENT, before the call', false],
  ] as const) {
    test(`${what}: paid once [R-WDR-02]`, async () => {
      const member = await memberWith('500.00');
      await waitOnState('SENT');
      await second.query('begin');
      await second.query('select pg_advisory_xact_lock(1)');
      await killDuring(ask(member), lockWaiters, { isUndone });
      await system.database.query('drop trigger wait_on_state on withdraw');
      await assertEnded(member, 'PAID', 1);
    });
  }

  test('while the bank works on the order: it is asked about, and paid once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await bankFault(system, { fault: 'slow', delayMs: 1_800 });
    await killDuring(ask(member), () => sees(member, 'sent', isOut));
    await assertEnded(member, 'PAID', 1);
  });

  test('while the order is lost: proven not to be there, it is sent again, and paid once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await bankFault(system, { fault: 'timeout-lost' });
    await killDuring(ask(member), () => sees(member, 'sent', isOut));
    await assertEnded(member, 'PAID', 2);
  });

  test('after the bank has accepted, before the row says so: paid once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await waitOnState('ACCEPTED');
    await second.query('begin');
    await second.query('select pg_advisory_xact_lock(1)');
    await killDuring(ask(member), async () => {
      await lockWaiters();
      await sees(member, 'sent', ({ state }) => state === 'SENT');
    });
    await system.database.query('drop trigger wait_on_state on withdraw');
    await assertEnded(member, 'PAID', 1);
  });
});

describe('a server that is killed after the bank has answered', () => {
  for (const outcome of ['PAID', 'FAILED'] as const) {
    for (const [what, isUndone] of [
      ['before the closing is committed', true],
      ['the closing commits without its server', false],
    ] as const) {
      test(`${outcome}, ${what}: the money follows once [R-WDR-02]`, async () => {
        const member = await memberWith('500.00');
        const reference = await accepted(member);
        await lockLedger();
        await killDuring(
          end(system, reference, outcome),
          async () => {
            await askedNow(member);
            await lockWaiters();
            await sees(member, 'nothing yet', ({ proof, state }) => proof === null && state === 'ACCEPTED');
          },
          { isUndone },
        );
        await assertEnded(member, outcome, 1);
      });
    }
  }

  test('while games are swept: finished or refused, swept money stays, paid at most once [R-WDR-02]', async () => {
    const member = await memberWith('500.00');
    await openGame({ ...system, api }, member.token, 'pg');
    const moved = await transfer({ ...system, api }, member.token, { from: 'WALLET', to: 'pg', amount: 400 });
    assert.equal(moved.status, 200);
    await misbehave(system, 'pg', { fault: 'slow', call: 'TransferOut', delayMs: 1_800 });
    const askAll = () => withdrawAll({ ...system, api }, member, 300, 'all-through-a-crash');
    await killDuring(askAll(), async () => {
      await eventually(
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
      await eventually(
        'the provider has got its call',
        async () => (await system.world('GET /control/faults')).body.length as number,
        (waiting) => waiting === 0,
      );
    });
    await settled(system);
    await nothingOpen(system);
    await behave(system);
    const [row] = await rowsOf(system, member.id);
    const again = await askAll();
    const isPaid = row?.state === 'PAID';
    assert.deepEqual([again.status, again.body.message], isPaid ? [200, undefined] : [502, 'TRANSFER_FAIL']);
    assert.equal(await receivedBy(system, member), isPaid ? '300.00' : '0.00');
    const left = { free: isPaid ? '0.00' : '300.00', held: '0.00' };
    assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), left);
    await assertPaidOnce(system);
  });

  test('of two servers the other one finishes what the dead one began [R-WDR-02] [R-XFER-04]', async () => {
    const member = await memberWith('500.00');
    const other = await startServerProcess(system);
    try {
      await bankFault(system, { fault: 'slow', delayMs: 1_800 });
      await killDuring(ask(member), () => sees(member, 'sent', isOut));
      await assertEnded(member, 'PAID', 1);
    } finally {
      await other.stop();
    }
  });
});
