import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import type { Ledger } from '../../src/ledger/index.ts';
import { type Api, apiClient, type ApiReply } from '../harness/api-client.ts';
import { eventually } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { setLimits } from '../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { brokenPurses, claim, money, onlyWheel, publish, spin } from './wheel-world.ts';

const COINS = 60;

let system: System;
let ledger: Ledger;
let server: ServerProcess | undefined;
before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
  await setLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000 });
  await publish(system, onlyWheel(money('5.00')));
});
after(async () => {
  await server?.kill();
  await ledger.close();
  await system.stop();
});

/** Any fixed number: what the database waits for at the moment at which a server is to be killed. */
const HOLD = 60_271;

/** Where the database goes no further while HOLD is taken: past so many spins, or so many claims; within a row or its commit. */
const goNoFurtherThan = (
  table: 'spinwheel_spin' | 'spinwheel_coupon',
  condition: string,
  most: number,
  when: 'before' | 'after' = 'before',
): Promise<unknown> =>
  system.database.query(
    `create or replace function hold_here() returns trigger language plpgsql as $$ begin
       if tg_table_name = '${table}' and tg_when = '${when.toUpperCase()}' and (select count(*) from ${table} where ${condition}) >= ${most} then
         perform pg_advisory_xact_lock_shared(${HOLD});
       end if;
       return new;
     end $$`,
  );

const somebodyIsHeld = (): Promise<unknown> =>
  eventually(
    'a spin or a claim that is held',
    async () => {
      const { rowCount } = await system.database.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
        [HOLD],
      );
      return rowCount;
    },
    (held) => held > 0,
  );

/** Whether it was answered; a server that dies answers nothing. */
const answered = (call: Promise<ApiReply>): Promise<ApiReply | undefined> => call.catch(() => undefined);

/**
 * Spins, and again with the same key while another spin of the member holds the purse for too long: SPIN_BUSY leaves nothing
 * behind, and on a busy machine sixty spins of one member queue for longer than one may wait.
 */
async function spinInTurn(api: Api, member: TestMember, key: string): Promise<ApiReply | undefined> {
  for (;;) {
    const reply = await answered(spin({ api }, member, key));
    if (reply?.body.error !== 'SPIN_BUSY') return reply;
  }
}

test('a server that is killed again and again while spins and claims come in: each coin is one spin, each coupon paid once [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await fund(ledger, member.id, String(COINS * 300));
  // From here on the servers are processes that can be killed.
  await system.app.close();
  server = await startServerProcess(system);
  const asked = (api: Api) =>
    Promise.all(
      Array.from({ length: COINS }, async (_, number) => {
        const reply = await spinInTurn(api, member, `spin-number-${number}`);
        const won = reply?.body.result?.spinId as string | undefined;
        if (won !== undefined) await answered(claim({ api }, member, won));
        return reply;
      }),
    );
  const hold = new pg.Client({ connectionString: system.databaseUrl });
  await hold.connect();
  await goNoFurtherThan('spinwheel_spin', 'true', COINS);
  for (const table of ['insert on spinwheel_spin', 'update on spinwheel_coupon']) {
    await system.database.query(`create trigger hold_here before ${table} for each row execute function hold_here()`);
  }
  // A deferred one runs in the commit: what it holds is committed although its server is gone.
  await system.database.query(
    `create constraint trigger hold_commit after insert on spinwheel_spin deferrable initially deferred
       for each row execute function hold_here()`,
  );
  // Somewhere between the coin, the coupon, the grant and the ledger, a little later each time.
  for (const [table, condition, most, when] of [
    ['spinwheel_spin', 'true', 5, 'before'],
    ['spinwheel_spin', 'true', 15, 'after'],
    ['spinwheel_spin', 'true', 25, 'before'],
    ['spinwheel_coupon', "state = 'CLAIMED'", 10, 'before'],
    ['spinwheel_coupon', "state = 'CLAIMED'", 30, 'before'],
    ['spinwheel_coupon', "state = 'CLAIMED'", 45, 'before'],
  ] as const) {
    await goNoFurtherThan(table, condition, most, when);
    await hold.query('select pg_advisory_lock($1)', [HOLD]);
    const running = server;
    const volley = asked(apiClient(running.url));
    await somebodyIsHeld();
    await running.kill();
    await hold.query('select pg_advisory_unlock($1)', [HOLD]);
    await volley;
    server = await startServerProcess(system);
  }
  await hold.end();
  const api = apiClient(server.url);
  const first = await asked(api);
  const again = await asked(api);
  for (const [index, reply] of first.entries()) {
    assert.equal(reply?.body.success, true, JSON.stringify(reply?.body));
    assert.deepEqual(again[index]?.body, reply?.body, 'the same key is the same spin');
  }
  assert.equal((await answered(spin({ api }, member)))?.body.error, 'NO_COIN');
  // What a server left behind when it died amid a grant would be finished a minute later.
  await system.database.query(`update incentive_grant set leased_until = now() where state = 'OPEN'`);
  const paid = await eventually(
    'every coupon is paid',
    async () => (await balanceOf(ledger, member.id, 'WALLET')).free,
    (free) => free === `${COINS * 305}.00`,
  );
  assert.equal(paid, `${COINS * 305}.00`);
  const { rows } = await system.database.query<{ spins: number; nonces: number; coupons: number; grants: number }>(
    `select (select count(*) from spinwheel_spin)::int as spins, (select max(nonce) from spinwheel_seed)::int as nonces,
            (select count(*) from spinwheel_coupon where state = 'CLAIMED')::int as coupons,
            (select count(*) from incentive_grant)::int as grants`,
  );
  assert.deepEqual(rows, [{ spins: COINS, nonces: COINS, coupons: COINS, grants: COINS }]);
  assert.deepEqual(await brokenPurses(system), []);
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
});
