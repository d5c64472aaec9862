import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Ledger } from '../../src/ledger/index.ts';
import { sleep } from '../../src/platform/time.ts';
import { type ConfigRunner, configRunner } from '../config/config-fixtures.ts';
import { apiClient } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import {
  assertBooksAgree,
  waitUntilResult,
  failProvider,
  multiplierOf,
  openGame,
  readProviderCredit,
  transfer,
} from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { providerCallNames } from '../harness/provider-calls.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

describe('a frozen server whose work another one took over', () => {
  let system: System;
  let ledger: Ledger;
  let slowServer: ServerProcess;
  let lockingClient: pg.Client;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
    slowServer = await startServerProcess(system);
    lockingClient = new pg.Client({ connectionString: system.databaseUrl });
    await lockingClient.connect();
  });
  after(async () => {
    await slowServer?.kill();
    await lockingClient?.end();
    await ledger?.close();
    await system?.stop();
  });

  /** Blocks the lane of the server that has posted last: each server has its own lane. */
  async function closeSlowLane(): Promise<void> {
    await lockingClient.query('begin');
    await lockingClient.query(
      'select from ledger.lane where id = (select lane from ledger.batch order by id desc limit 1) for update',
    );
  }

  /** A member with 100 in a game of PG, moved there by the server that will be blocked. */
  async function newPlayer() {
    const { id, token } = await registerMember(system);
    const { username } = await openGame(system, token, 'pg');
    await fundWallet(ledger, id, '100.00');
    const slowSystem = { ...system, api: apiClient(slowServer.url) };
    assert.equal((await transfer(slowSystem, token, { from: 'WALLET', to: 'pg', amount: 100 })).status, 200);
    return { id, token, username, there: slowSystem };
  }

  const stateOf = async (key: string): Promise<string | undefined> =>
    (
      await system.database.query<{ state: string }>(
        `select l.state from transfer_leg l join transfer t on t.id = l.transfer_id where t.idempotency_key = $1`,
        [key],
      )
    ).rows[0]?.state;

  const countLockWaiters = async (): Promise<number> =>
    (
      await system.database.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rows[0]?.waiting ?? 0;

  test('a server that wakes up does not take an outdated game balance for a win [R-XFER-04]', async () => {
    const { id, token, username, there } = await newPlayer();
    const transferHomeBody = { from: 'pg', to: 'WALLET', amount: 100 };
    const { balance } = providerCallNames('pg');
    await failProvider(system, 'pg', { fault: 'slow', call: balance, delayMs: 1_000 });
    const pendingTransfer = transfer(there, token, { ...transferHomeBody, key: 'asked-of-the-slow-one' });
    await waitUntilResult(
      'the balance being read',
      async () => (await system.simulatorsApi('GET /control/faults')).body.length as number,
      (faultCount) => faultCount === 0,
    );
    slowServer.freeze();
    assert.equal((await transfer(system, token, transferHomeBody)).status, 200);
    slowServer.thaw();

    const lateReply = await pendingTransfer;
    assert.deepEqual([lateReply.status, lateReply.body.message], [400, 'MONEY_NOT_ENOUGH']);
    assert.equal(await ledger.playBetween(id, { from: new Date(0), until: new Date() }), 0n, 'no play');
    assert.deepEqual(await readBalance(ledger, id, 'WALLET'), { free: '100.00', held: '0.00' });
    await assertBooksAgree(system, ledger, id, { pg: username });
  });

  test('a server that wakes up does not send a call announced too long ago [R-XFER-04]', async () => {
    const { id, token, username, there } = await newPlayer();
    await closeSlowLane();
    const pendingTransfer = transfer(there, token, {
      from: 'pg',
      to: 'WALLET',
      amount: 40,
      key: 'announced-long-ago',
    });
    await waitUntilResult('the opening at the database', countLockWaiters, (waitingCount) => waitingCount > 0);
    slowServer.freeze();
    await lockingClient.query('rollback');
    await waitUntilResult(
      'the opening committed',
      () => stateOf('announced-long-ago'),
      (state) => state === 'SENT',
    );
    await sleep(2_000);
    slowServer.thaw();

    const lateReply = await pendingTransfer;
    assertRefused(lateReply, 'TRANSFER_FAIL', 'PROVIDER_UNAVAILABLE');
    assert.equal(await stateOf('announced-long-ago'), 'REVERSED');
    assert.deepEqual(await readBalance(ledger, id, 'WALLET'), { free: '0.00', held: '0.00' });
    await assertBooksAgree(system, ledger, id, { pg: username });
  });
});

describe('an operator who changes a game while its balance is read', () => {
  let system: System;
  let ledger: Ledger;
  let config: ConfigRunner;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
    config = configRunner(system);
  });
  after(async () => {
    config?.remove();
    await ledger?.close();
    await system?.stop();
  });

  type Games = { code: string; inMaintenance: boolean; ftWalletSlot: number }[];
  const changeGame = async (code: string, change: Partial<Games[number]>): Promise<void> => {
    const games = await config.show<Games>('games');
    await config.applied(
      'games',
      games.map((game) => (game.code === code ? { ...game, ...change } : game)),
    );
  };

  for (const [title, code, isReopened] of [
    ['closed', 'askmebet', false],
    ['reopened', 'betflix', true],
  ] as const) {
    test(`no money moves at the old multiplier of a ${title} game whose multiplier has changed [R-XFER-04] [R-OPS-01]`, async () => {
      const { id, token } = await registerMember(system);
      const { username } = await openGame(system, token, code);
      await fundWallet(ledger, id, '100.00');
      await failProvider(system, code, { fault: 'slow', call: providerCallNames(code).balance, delayMs: 2_500 });
      const pendingTransfer = transfer(system, token, { from: 'WALLET', to: code, amount: 40 });
      await waitUntilResult(
        'the balance being read',
        async () => (await system.simulatorsApi('GET /control/faults')).body.length as number,
        (faultCount) => faultCount === 0,
      );
      await changeGame(code, { inMaintenance: true });
      await changeGame(code, { ftWalletSlot: Number(multiplierOf(code)) * 10 });
      if (isReopened) await changeGame(code, { inMaintenance: false });
      const reply = await pendingTransfer;
      assertRefused(reply, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
      assert.equal(Number(await readProviderCredit(system, code, username)), 0);
      assert.deepEqual(await readBalance(ledger, id, 'WALLET'), { free: '100.00', held: '0.00' });
      for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
    });
  }
});
