import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import type { Ledger } from '../../src/ledger/index.ts';
import { type Api, apiClient, type ApiReply } from '../harness/api-client.ts';
import { waitUntilResult } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { setRateLimits } from '../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  findInconsistentCoinBalances,
  claimCoupon,
  moneyPrize,
  singlePrizeWheel,
  publishTestWheel,
  spinWheel,
} from './wheel-fixtures.ts';

const COIN_COUNT = 60;

let system: System;
let ledger: Ledger;
let server: ServerProcess | undefined;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await setRateLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000 });
  await publishTestWheel(system, singlePrizeWheel(moneyPrize('5.00')));
});
after(async () => {
  await server?.kill();
  await ledger.close();
  await system.stop();
});

/** Advisory lock on which the database waits at the kill moment; any fixed number. */
const LOCK_KEY = 60_271;

/** Makes the database wait for LOCK_KEY after this many spins or claims, in the row's trigger or in the commit. */
const holdSpinAfter = (
  table: 'spinwheel_spin' | 'spinwheel_coupon',
  condition: string,
  maxCoins: number,
  killMoment: 'before' | 'after' = 'before',
): Promise<unknown> =>
  system.database.query(
    `create or replace function hold_here() returns trigger language plpgsql as $$ begin
       if tg_table_name = '${table}' and tg_when = '${killMoment.toUpperCase()}' and (select count(*) from ${table} where ${condition}) >= ${maxCoins} then
         perform pg_advisory_xact_lock_shared(${LOCK_KEY});
       end if;
       return new;
     end $$`,
  );

const waitForHeldSpin = (): Promise<unknown> =>
  waitUntilResult(
    'a spin or a claim that is held',
    async () => {
      const { rowCount } = await system.database.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
        [LOCK_KEY],
      );
      return rowCount;
    },
    (heldLocks) => heldLocks > 0,
  );

/** The reply, or undefined from a killed server. */
const replyOrNothing = (call: Promise<ApiReply>): Promise<ApiReply | undefined> => call.catch(() => undefined);

/**
 * Spins, and repeats the same key while another spin of the member blocks the purse for too long. SPIN_BUSY has no
 * effect, and on a busy machine sixty spins of one member exceed the maximum wait.
 */
async function spinWhenFree(api: Api, member: TestMember, key: string): Promise<ApiReply | undefined> {
  for (;;) {
    const reply = await replyOrNothing(spinWheel({ api }, member, key));
    if (reply?.body.error !== 'SPIN_BUSY') return reply;
  }
}

test('a server killed repeatedly during spins and claims uses each coin for one spin, and pays each coupon once [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, String(COIN_COUNT * 300));
  // From now on the servers are separate processes, which can be killed.
  await system.app.close();
  server = await startServerProcess(system);
  const sendSpin = (api: Api) =>
    Promise.all(
      Array.from({ length: COIN_COUNT }, async (_, number) => {
        const reply = await spinWhenFree(api, member, `spin-number-${number}`);
        const wonSpinId = reply?.body.result?.spinId as string | undefined;
        if (wonSpinId !== undefined) await replyOrNothing(claimCoupon({ api }, member, wonSpinId));
        return reply;
      }),
    );
  const lockingClient = new pg.Client({ connectionString: system.databaseUrl });
  await lockingClient.connect();
  await holdSpinAfter('spinwheel_spin', 'true', COIN_COUNT);
  for (const table of ['insert on spinwheel_spin', 'update on spinwheel_coupon']) {
    await system.database.query(`create trigger hold_here before ${table} for each row execute function hold_here()`);
  }
  // A deferred trigger runs in the commit: the transaction is committed although its server is dead.
  await system.database.query(
    `create constraint trigger hold_commit after insert on spinwheel_spin deferrable initially deferred
       for each row execute function hold_here()`,
  );
  // Somewhere between the coin, the coupon, the grant and the ledger, a little later each time.
  for (const [table, condition, maxCoins, killMoment] of [
    ['spinwheel_spin', 'true', 5, 'before'],
    ['spinwheel_spin', 'true', 15, 'after'],
    ['spinwheel_spin', 'true', 25, 'before'],
    ['spinwheel_coupon', "state = 'CLAIMED'", 10, 'before'],
    ['spinwheel_coupon', "state = 'CLAIMED'", 30, 'before'],
    ['spinwheel_coupon', "state = 'CLAIMED'", 45, 'before'],
  ] as const) {
    await holdSpinAfter(table, condition, maxCoins, killMoment);
    await lockingClient.query('select pg_advisory_lock($1)', [LOCK_KEY]);
    const runningServer = server;
    const pendingSpins = sendSpin(apiClient(runningServer.url));
    await waitForHeldSpin();
    await runningServer.kill();
    await lockingClient.query('select pg_advisory_unlock($1)', [LOCK_KEY]);
    await pendingSpins;
    server = await startServerProcess(system);
  }
  await lockingClient.end();
  const api = apiClient(server.url);
  const first = await sendSpin(api);
  const repeatedReply = await sendSpin(api);
  for (const [index, reply] of first.entries()) {
    assert.equal(reply?.body.success, true, JSON.stringify(reply?.body));
    assert.deepEqual(repeatedReply[index]?.body, reply?.body, 'the same key is the same spin');
  }
  assert.equal((await replyOrNothing(spinWheel({ api }, member)))?.body.error, 'NO_COIN');
  // A grant that a killed server left open would be finished a minute later.
  await system.database.query(`update incentive_grant set leased_until = now() where state = 'OPEN'`);
  const paidCoupons = await waitUntilResult(
    'every coupon is paid',
    async () => (await readBalance(ledger, member.id, 'WALLET')).free,
    (freeAmount) => freeAmount === `${COIN_COUNT * 305}.00`,
  );
  assert.equal(paidCoupons, `${COIN_COUNT * 305}.00`);
  const { rows } = await system.database.query<{ spins: number; nonces: number; coupons: number; grants: number }>(
    `select (select count(*) from spinwheel_spin)::int as spins, (select max(nonce) from spinwheel_seed)::int as nonces,
            (select count(*) from spinwheel_coupon where state = 'CLAIMED')::int as coupons,
            (select count(*) from incentive_grant)::int as grants`,
  );
  assert.deepEqual(rows, [{ spins: COIN_COUNT, nonces: COIN_COUNT, coupons: COIN_COUNT, grants: COIN_COUNT }]);
  assert.deepEqual(await findInconsistentCoinBalances(system), []);
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
});
