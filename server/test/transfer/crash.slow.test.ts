import { strict as assert } from 'node:assert';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import type { Ledger } from '../../src/ledger/index.ts';
import { type Api, apiClient, type ApiReply } from '../harness/api-client.ts';
import {
  assertBooksAgree,
  behave,
  eventually,
  findOut,
  type Fault,
  misbehave,
  openGame,
  providersWithin,
  settled,
  transfer,
  waitsForOperator,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { callNamesOf, everyProvider, TELLS_NOTHING } from '../harness/provider-calls.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

const WAYS = everyProvider.flatMap((code) =>
  (['in', 'out'] as const).map((direction) => ({ code, direction, call: callNamesOf(code)[direction] })),
);

// Longer than elsewhere: the kill points must not pass on a busy machine.
const PROVIDER_TIMEOUT_MS = 3_000;

type Mover = (typeof WAYS)[number] & { member: TestMember; username: string };
type Ending = 'DONE' | 'REVERSED';
const WORDS: Record<Ending, string> = { DONE: 'done', REVERSED: 'returned' };
const REPORTS = join(import.meta.dirname, '../../../reports');

let system: System;
let ledger: Ledger;
let server: ServerProcess;
let api: Api;
let locker: pg.Client;
const movers: Mover[] = [];
let round = 0;

before(async () => {
  system = await startSystem({ outside: providersWithin(PROVIDER_TIMEOUT_MS) });
  ledger = ledgerOf(system);
  locker = new pg.Client({ connectionString: system.databaseUrl });
  await locker.connect();
  for (const way of WAYS) {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, way.code);
    await fund(ledger, member.id, '1000.00');
    await transfer(system, member.token, { from: 'WALLET', to: way.code, amount: 500 });
    movers.push({ ...way, member, username });
  }
  // From here on the only server is a separate process, which can be killed.
  await system.app.close();
  await restart();
});
after(async () => {
  await server?.kill();
  await locker?.end();
  await ledger?.close();
  await system?.stop();
});

async function restart(): Promise<void> {
  server = await startServerProcess(system);
  api = apiClient(server.url);
}

const ask = (mover: Mover): Promise<ApiReply> =>
  transfer({ ...system, api }, mover.member.token, {
    ...(mover.direction === 'in' ? { from: 'WALLET', to: mover.code } : { from: mover.code, to: 'WALLET' }),
    amount: 10,
    key: `crash-round-${round}`,
  });

const legs = async (): Promise<{ state: string; memberId: string }[]> =>
  (
    await system.database.query<{ state: string; memberId: string }>(
      `select l.state, l.member_id as "memberId" from transfer_leg l join transfer t on t.id = l.transfer_id
        where t.idempotency_key = $1`,
      [`crash-round-${round}`],
    )
  ).rows;
const keys = async () => (await legs()).map(({ memberId }) => memberId);

const lockWaiters = async (): Promise<number> =>
  (
    await system.database.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rows[0]?.waiting ?? 0;

/** Terminates the sessions that wait for a lock, so that their transactions roll back. */
const endWaiters = async (): Promise<number> =>
  (
    await system.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rowCount;

async function faults(fault: Omit<Fault, 'call'>): Promise<void> {
  for (const { code, call } of WAYS) await misbehave(system, code, { ...fault, call });
}

/** Report: the asserted outcome of each kill, by test title. */
const endings = new Map<string, Ending>();
function writeTable(): void {
  const lines = [...endings].map(([moment, ending]) => `${moment.padEnd(62)}${WORDS[ending]}`);
  const head = `kill -9 of the server, ${everyProvider.length} providers in both directions at once`;
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(join(REPORTS, 'provider-crashes.txt'), `${[head, ...lines].join('\n')}\n`);
}

/**
 * Sends all requests concurrently, kills the server at the kill point, and starts another one. A statement that waits
 * in the database is then executed, without the server that sent it; with `isUndone` it is rolled back.
 */
async function killDuring(moment: () => Promise<void>, { isUndone = false } = {}): Promise<void> {
  round += 1;
  const asked = movers.map((mover) => ask(mover).catch(() => undefined));
  try {
    await moment();
  } finally {
    await server.kill();
    await Promise.all(asked);
    if (isUndone) await eventually('sessions of the dead', endWaiters, (n) => n === 0);
    await locker.query('rollback');
    await restart();
  }
}

async function assertEnded(before: string[], ending: Ending, moment: string, ended = movers): Promise<void> {
  for (const { reference, code } of await waitsForOperator(system)) {
    assert.ok(TELLS_NOTHING.includes(code), `${code} is not left to an operator`);
    await findOut(system, reference, ending === 'DONE');
  }
  await settled(system);
  await behave(system);
  assert.deepEqual(
    (await legs()).map(({ state }) => state),
    ended.map(() => ending),
  );
  for (const [index, mover] of movers.entries()) {
    if (!ended.includes(mover)) continue;
    const { member, direction, code, username } = mover;
    const change = ending === 'REVERSED' ? 0 : direction === 'in' ? -10 : 10;
    const { free, held } = await balanceOf(ledger, member.id, 'WALLET');
    assert.deepEqual([free, held], [(Number(before[index]) + change).toFixed(2), '0.00'], `${code} ${direction}`);
    await assertBooksAgree(system, ledger, member.id, { [code]: username });
    // The app repeats the same key and gets its outcome.
    const again = await ask(mover);
    assert.deepEqual(
      [again.status, again.body.message],
      ending === 'DONE' ? [200, undefined] : [502, 'TRANSFER_FAIL'],
      `${code} ${direction}`,
    );
  }
  endings.set(moment, ending);
  writeTable();
}

const wallets = () => Promise.all(movers.map(async (one) => (await balanceOf(ledger, one.member.id, 'WALLET')).free));
const allLegs = (matches: (leg: { state: string }) => boolean) =>
  eventually('legs', legs, (found) => found.length === WAYS.length && found.every(matches));
/** Every call was sent; on a busy machine some may have ended, but not all. */
async function allSent(): Promise<void> {
  const found = await allLegs(() => true);
  assert.ok(
    found.some(({ state }) => state === 'SENT'),
    'the moment has passed',
  );
}
/** Every provider has received its call, which uses up its fault. */
const allTaken = () =>
  eventually(
    'faults that wait for their call',
    async () => (await system.world('GET /control/faults')).body.length as number,
    (n) => n === 0,
  );
const until = (waiting: number) => eventually('statements that wait for a lock', lockWaiters, (n) => n >= waiting);

test('while the opening is being committed: no call has gone out, nothing moves [R-XFER-04]', async () => {
  const before = await wallets();
  await locker.query('begin');
  await locker.query('lock table ledger.operation in share row exclusive mode');
  // The database commits the pending statement although its client is gone: transfers without a call. The others never
  // started.
  await killDuring(async () => void (await until(1)));
  const keyed = await eventually('openings that were committed', keys, (found) => found.length > 0);
  const opened = movers.filter(({ member }) => keyed.includes(member.id));
  await assertEnded(before, 'REVERSED', 'while the opening is being committed', opened);
  const rest = movers.filter((mover) => !opened.includes(mover));
  for (const mover of rest) assert.equal((await ask(mover)).status, 200, 'a key that was never opened is free');
});

test('before the opening is committed: nothing is kept, and the same key moves the money once [R-XFER-04]', async () => {
  const before = await wallets();
  await locker.query('begin');
  await locker.query('lock table ledger.operation in share row exclusive mode');
  await killDuring(async () => void (await until(1)), { isUndone: true });
  assert.deepEqual(await keys(), []);
  assert.deepEqual(await wallets(), before);
  for (const mover of movers) assert.equal((await ask(mover)).status, 200);
  await assertEnded(before, 'DONE', 'before the opening is committed');
});

test('while the provider works: its answer is asked for afterwards [R-XFER-04]', async () => {
  const before = await wallets();
  await faults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.9 });
  await killDuring(async () => {
    await allSent();
    await allTaken();
  });
  await assertEnded(before, 'DONE', 'while the provider works');
});

test('while a call is lost: proven to have done nothing, it is reversed [R-XFER-04]', async () => {
  const before = await wallets();
  await faults({ fault: 'timeout-lost' });
  await killDuring(allSent);
  await assertEnded(before, 'REVERSED', 'while a call is lost');
});

test('before the closing is committed: the provider is asked, and the money follows once [R-XFER-04]', async () => {
  const before = await wallets();
  await faults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.7 });
  await killDuring(
    async () => {
      await allSent();
      await locker.query('begin');
      await locker.query('lock table ledger.operation in share row exclusive mode');
      await allTaken();
      await until(1);
    },
    { isUndone: true },
  );
  await assertEnded(before, 'DONE', 'before the closing is committed');
});

test('while the closing is being committed: the money follows once [R-XFER-04]', async () => {
  const before = await wallets();
  await faults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.7 });
  await killDuring(async () => {
    await allSent();
    await locker.query('begin');
    await locker.query('lock table ledger.operation in share row exclusive mode');
    await allTaken();
    await until(1);
  });
  await assertEnded(before, 'DONE', 'while the closing is being committed');
});

test('while another transaction keeps the rows of the closing: the money follows once [R-XFER-04]', async () => {
  const before = await wallets();
  await faults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.7 });
  await killDuring(async () => {
    await allSent();
    await locker.query('begin');
    await locker.query('select from game_account for update');
    await allTaken();
  });
  await assertEnded(before, 'DONE', 'while another transaction keeps the rows of the closing');
});

test('of two servers the other one finishes what the dead one began [R-XFER-04]', async () => {
  const before = await wallets();
  const second = await startServerProcess(system);
  try {
    await faults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.9 });
    // Killed between the row's update and its call: nothing was sent, and it is correctly reversed.
    await killDuring(async () => {
      await allSent();
      await allTaken();
    });
    await assertEnded(before, 'DONE', 'of two servers the other one finishes what the dead one began');
  } finally {
    await second.stop();
  }
});
