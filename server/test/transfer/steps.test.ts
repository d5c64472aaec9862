import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import pg from 'pg';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import {
  closing,
  deposit,
  fundedMember,
  insertGames,
  legAt,
  opening,
  payout,
  posted,
  refresh,
  returning,
  told,
  versionOf,
  type Written,
  written,
} from './steps/books.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const troubles: Error[] = [];
const onTrouble = (error: Error) => troubles.push(error);
const open = (): Ledger => createLedger({ url, database, currency: 'BAHT', onTrouble });
const ledger = open();
const other = new pg.Client({ connectionString: url });

before(async () => {
  await insertGames(database);
  await other.connect();
});
after(async () => {
  await other.end();
  await ledger.close();
  await fresh.drop();
});

const member = (amount = 1_000n): Promise<string> => fundedMember(database, ledger, amount);
const look = (of: string): Promise<Written> => written(database, ledger, of);
const post = async (step: Parameters<Ledger['postStep']>[0]): Promise<string> => (await ledger.postStep(step)).letter;
const reasonsOf = async (step: Parameters<Ledger['postStep']>[0]): Promise<(string | undefined)[]> =>
  (await ledger.postStep(step)).verdicts.map((verdict) => verdict?.outcome);

/** Posts a step that must write nothing at all. */
async function assertNothing(of: string, step: Parameters<Ledger['postStep']>[0], letter: string): Promise<void> {
  const seen = await look(of);
  const reply = await ledger.postStep(step);
  assert.equal(reply.letter, letter);
  assert.equal(
    reply.verdicts.every((verdict) => verdict === undefined),
    true,
  );
  assert.deepEqual(await look(of), seen);
}

/** Another transaction keeps a row while the step is posted. */
async function whileLocked(sql: string, values: unknown[], work: () => Promise<void>): Promise<void> {
  await other.query('begin');
  try {
    await other.query(sql, values);
    await work();
  } finally {
    await other.query('rollback');
  }
}

const batches = async (): Promise<number> =>
  Number((await database.query<{ count: bigint }>('select count(*) from ledger.batch')).rows[0]?.count);

const FREE = { alpha: null, beta: null };
const KNOWN = { alpha: false, beta: false };

test('open o and O: row, reservation and hold in one commit; the same call again writes nothing', async () => {
  const of = await member();
  const { step, transfer } = opening(of, ['WALLET', 'alpha'], 300n);
  assert.equal(await post(step), 'o');
  assert.deepEqual(await look(of), {
    money: { WALLET: [700n, 300n] },
    legs: { [`${transfer.reference}-1`]: 'SENT' },
    busy: { alpha: transfer.reference, beta: null },
    stale: KNOWN,
  });
  await assertNothing(of, step, 'O');
});

test('open o from a game: the account follows the provider first, then is held', async () => {
  const of = await member();
  const { step, transfer } = opening(of, ['alpha', 'WALLET'], 250n, { version: 0n, cash: 260n });
  assert.deepEqual(await reasonsOf(step), ['applied', 'applied']);
  const { money, legs } = await look(of);
  assert.deepEqual(money, { WALLET: [1_000n, 0n], 'GAME:alpha': [10n, 250n] });
  assert.deepEqual(legs, { [`${transfer.reference}-1`]: 'SENT' });
});

test('open r and R: without the money the row says so for good, and the accounts are free', async () => {
  const of = await member(100n);
  const { step, transfer } = opening(of, ['alpha', 'beta'], 300n, { version: 0n, cash: 299n });
  assert.equal(await post(step), 'r');
  assert.deepEqual(await look(of), {
    // The balance that was read changes nothing where the hold is refused.
    money: { WALLET: [100n, 0n] },
    legs: {
      [`${transfer.reference}-1`]: 'REVERSED MONEY_NOT_ENOUGH',
      [`${transfer.reference}-2`]: 'REVERSED MONEY_NOT_ENOUGH',
    },
    busy: FREE,
    stale: KNOWN,
  });
  await assertNothing(of, step, 'R');
  assert.equal(await post(opening(of, ['WALLET', 'beta'], 100n).step), 'o', 'the accounts are free');
});

test('open t: a key of an earlier transfer, whatever became of it', async () => {
  const of = await member();
  assert.equal(await post(opening(of, ['WALLET', 'alpha'], 10n, { key: 'held' }).step), 'o');
  assert.equal(await post(opening(of, ['WALLET', 'beta'], 5_000n, { key: 'refused' }).step), 'r');
  for (const key of ['held', 'refused']) {
    await assertNothing(of, opening(of, ['WALLET', 'beta'], 10n, { key }).step, 't');
  }
});

test('open s: nothing is opened for a suspended wallet; what is open closes', async () => {
  const of = await member();
  const first = opening(of, ['WALLET', 'alpha'], 10n);
  assert.equal(await post(first.step), 'o');
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'test')`, [of]);
  await assertNothing(of, opening(of, ['WALLET', 'beta'], 10n).step, 's');
  await assertNothing(of, first.step, 'O');
  assert.equal(await post(closing(legAt(first.legs, 1), 'DONE', { told: 10n })), 'o');
});

test('open w: an account that is not open, or either of two whose row another transaction keeps', async () => {
  const of = await member();
  await database.query(
    `update game_account set state = 'OPENING', activated_at = null where member_id = $1 and game_code = 'beta'`,
    [of],
  );
  await assertNothing(of, opening(of, ['WALLET', 'beta'], 10n).step, 'w');
  await database.query(
    `update game_account set state = 'ACTIVE', activated_at = now() where member_id = $1 and game_code = 'beta'`,
    [of],
  );
  for (const game of ['alpha', 'beta']) {
    const row = 'select from game_account where member_id = $1 and game_code = $2 for share';
    await whileLocked(row, [of, game], () => assertNothing(of, opening(of, ['alpha', 'beta'], 10n).step, 'w'));
  }
});

test('open b and v: an account that is busy, and one that has changed since it was read', async () => {
  const of = await member();
  assert.equal(await post(opening(of, ['WALLET', 'alpha'], 10n).step), 'o');
  await assertNothing(of, opening(of, ['WALLET', 'alpha'], 10n).step, 'b');
  await assertNothing(of, opening(of, ['beta', 'alpha'], 10n, { version: 0n, cash: 50n }).step, 'b');
  assert.equal(await post(refresh(of, 'beta', 0n, 50n)), 'o');
  await assertNothing(of, opening(of, ['beta', 'WALLET'], 10n, { version: 0n, cash: 50n }).step, 'v');
  assert.equal(await post(opening(of, ['beta', 'WALLET'], 10n, { version: 1n, cash: 50n }).step), 'o');
});

test('close o and D, both ways: the hold is posted or returned, the account is free, and again changes nothing', async () => {
  const of = await member();
  const done = opening(of, ['WALLET', 'alpha'], 300n);
  const reversed = opening(of, ['WALLET', 'beta'], 200n);
  assert.deepEqual(await Promise.all([post(done.step), post(reversed.step)]), ['o', 'o']);
  // The provider tells of 20 more than what came.
  const steps = [closing(legAt(done.legs, 1), 'DONE', { told: 320n }), closing(legAt(reversed.legs, 1), 'REVERSED')];
  assert.deepEqual(await Promise.all(steps.map(post)), ['o', 'o']);
  assert.deepEqual(await look(of), {
    money: { WALLET: [700n, 0n], 'GAME:alpha': [320n, 0n] },
    legs: {
      [`${done.transfer.reference}-1`]: 'DONE',
      [`${reversed.transfer.reference}-1`]: 'REVERSED TRANSFER_FAIL',
    },
    busy: FREE,
    stale: KNOWN,
  });
  for (const step of steps) await assertNothing(of, step, 'D');
});

test('close x: closed before with the other outcome', async () => {
  const of = await member();
  const { step, legs } = opening(of, ['WALLET', 'alpha'], 300n);
  assert.equal(await post(step), 'o');
  assert.equal(await post(closing(legAt(legs, 1), 'REVERSED')), 'o');
  await assertNothing(of, closing(legAt(legs, 1), 'DONE', { told: 300n }), 'x');
});

test('close l: the leg is another holder’s by fence, or has another state', async () => {
  const of = await member();
  const { step, legs, transfer } = opening(of, ['WALLET', 'alpha'], 300n);
  assert.equal(await post(step), 'o');
  await database.query('update transfer_leg set fence = 2 where transfer_id = $1', [transfer.id]);
  await assertNothing(of, closing(legAt(legs, 1), 'DONE'), 'l');
  const held = { ...legAt(legs, 1), fence: 2 };
  await database.query(`update transfer_leg set state = 'UNKNOWN' where transfer_id = $1`, [transfer.id]);
  await assertNothing(of, closing(held, 'DONE'), 'l');
  assert.equal(await post(closing({ ...held, state: 'UNKNOWN' }, 'DONE')), 'o');
});

test('close w: the leg or either game account is kept by another transaction', async () => {
  const of = await member();
  const { step, legs, transfer } = opening(of, ['alpha', 'beta'], 10n, { version: 0n, cash: 50n });
  assert.equal(await post(step), 'o');
  const close = closing(legAt(legs, 1), 'DONE', { told: 40n, second: legAt(legs, 2) });
  const rows: [string, unknown[]][] = [
    ['select from transfer_leg where transfer_id = $1 and leg = 1 for no key update', [transfer.id]],
    ['select from game_account where member_id = $1 and game_code = $2 for share', [of, 'alpha']],
    ['select from game_account where member_id = $1 and game_code = $2 for share', [of, 'beta']],
  ];
  for (const [sql, values] of rows) await whileLocked(sql, values, () => assertNothing(of, close, 'w'));
  assert.equal(await post(close), 'o');
});

test('game to game, o then o: the second leg begins in the commit that closes the first', async () => {
  const of = await member(0n);
  const { step, legs, transfer } = opening(of, ['alpha', 'beta'], 40n, { version: 0n, cash: 50n });
  const [first, second] = [legAt(legs, 1), legAt(legs, 2)];
  assert.equal(await post(step), 'o');
  assert.deepEqual((await look(of)).busy, { alpha: transfer.reference, beta: transfer.reference });
  const close = closing(first, 'DONE', { told: 10n, second });
  assert.equal(await post(close), 'o');
  assert.deepEqual(await look(of), {
    money: { WALLET: [0n, 40n], 'GAME:alpha': [10n, 0n] },
    legs: { [first.providerReference]: 'DONE', [second.providerReference]: 'SENT' },
    busy: { alpha: null, beta: transfer.reference },
    stale: KNOWN,
  });
  await assertNothing(of, close, 'D');
  assert.equal(await post(closing({ ...second, state: 'SENT' }, 'DONE', { told: 40n })), 'o');
  assert.deepEqual((await look(of)).money, { 'GAME:alpha': [10n, 0n], 'GAME:beta': [40n, 0n] });
  await assertNothing(of, close, 'H');
});

test('game to game: a first leg that is refused or silent ends the second, and both accounts are free', async () => {
  const of = await member(0n);
  const refused = opening(of, ['alpha', 'beta'], 40n, { version: 0n, cash: 50n });
  assert.equal(await post(refused.step), 'o');
  assert.equal(await post(closing(legAt(refused.legs, 1), 'REVERSED')), 'o');
  const silent = opening(of, ['beta', 'alpha'], 20n, { version: await versionOf(database, of, 'beta'), cash: 20n });
  assert.equal(await post(silent.step), 'o');
  assert.equal(await post(closing(legAt(silent.legs, 1), 'DONE', { by: 'resolver' })), 'o');
  const { money, legs, busy } = await look(of);
  assert.deepEqual(money, { WALLET: [20n, 0n], 'GAME:alpha': [50n, 0n] });
  assert.deepEqual(legs, {
    [`${refused.transfer.reference}-1`]: 'REVERSED TRANSFER_FAIL',
    [`${refused.transfer.reference}-2`]: 'REVERSED TRANSFER_FAIL RESTS_IN_WALLET',
    [`${silent.transfer.reference}-1`]: 'DONE',
    [`${silent.transfer.reference}-2`]: 'REVERSED TRANSFER_FAIL RESTS_IN_WALLET',
  });
  assert.deepEqual(busy, FREE);
});

test('close h and H: the money came, but the second hold finds too little: it rests in the wallet', async () => {
  const of = await member(0n);
  const { step, legs } = opening(of, ['alpha', 'beta'], 40n, { version: 0n, cash: 40n });
  const [first, second] = [legAt(legs, 1), legAt(legs, 2)];
  assert.equal(await post(step), 'o');
  const close = closing(first, 'DONE', { told: 0n, second: { ...second, amount: minor(41n) } });
  assert.equal(await post(close), 'h');
  assert.deepEqual(await look(of), {
    money: { WALLET: [40n, 0n] },
    legs: {
      [first.providerReference]: 'DONE',
      [second.providerReference]: 'REVERSED TRANSFER_FAIL RESTS_IN_WALLET',
    },
    busy: FREE,
    stale: KNOWN,
  });
  await assertNothing(of, close, 'H');
});

test('refresh o, v, w and r: follows what was read unless something has happened, is locked, or money there is held', async () => {
  const of = await member();
  assert.equal(await post(refresh(of, 'alpha', 0n, 90n)), 'o');
  assert.deepEqual((await look(of)).money['GAME:alpha'], [90n, 0n]);
  assert.equal(await versionOf(database, of, 'alpha'), 1n);
  await assertNothing(of, refresh(of, 'alpha', 0n, 10n), 'v');
  const row = 'select from game_account where member_id = $1 and game_code = $2 for share';
  await whileLocked(row, [of, 'alpha'], () => assertNothing(of, refresh(of, 'alpha', 1n, 10n), 'w'));
  assert.equal(await post(refresh(of, 'alpha', 1n)), 'o', 'a refresh without money');
  const out = opening(of, ['alpha', 'WALLET'], 50n, { version: 2n, cash: 90n });
  assert.equal(await post(out.step), 'o');
  await assertNothing(of, refresh(of, 'alpha', 3n, 10n), 'v');
  // A hold that no transfer knows: the reservation is gone, the money is not.
  await database.query(`update game_account set busy_with = null where member_id = $1`, [of]);
  assert.equal(await post(refresh(of, 'alpha', 3n, 10n)), 'r');
  const { money, stale } = await look(of);
  assert.deepEqual([money['GAME:alpha'], stale], [[40n, 50n], { alpha: true, beta: false }]);
});

test('one call: what is refused takes nothing of the operations, groups and steps beside it', async () => {
  const [alone, shut, linked, moving, taken, poor] = (await Promise.all(
    [100n, 100n, 100n, 100n, 100n, 5n].map((amount) => member(amount)),
  )) as [string, string, string, string, string, string];
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'test')`, [shut]);
  const busy = opening(taken, ['WALLET', 'alpha'], 10n);
  assert.equal(await post(busy.step), 'o');
  const before = await batches();
  const group = [payout(linked, 60n), payout(linked, 30n)];
  const tooMuch = [payout(alone, 60n), payout(alone, 60n)];
  const answers = await Promise.all([
    ledger.postStep(opening(shut, ['alpha', 'WALLET'], 10n, { version: 0n, cash: 10n }).step),
    ledger.post(tooMuch),
    ledger.postStep(closing({ ...legAt(busy.legs, 1), fence: 7 }, 'DONE', { told: 10n })),
    ledger.post(group),
    ledger.postStep(opening(poor, ['WALLET', 'beta'], 6n).step),
    ledger.postStep(refresh(poor, 'alpha', 0n)),
    ledger.postStep(opening(moving, ['beta', 'WALLET'], 70n, { version: 0n, cash: 80n }).step),
    ledger.post(deposit(alone, 7n)),
  ]);
  assert.deepEqual(answers.map(told), [
    's undefined undefined',
    'linked insufficient',
    'l undefined undefined',
    '60 30',
    'r insufficient',
    'o',
    'o 80 70',
    '7',
  ]);
  assert.equal((await batches()) - before, 1, 'it was one call');
  const money = await Promise.all([alone, shut, linked, moving, taken, poor].map(async (of) => (await look(of)).money));
  assert.deepEqual(money, [
    { WALLET: [107n, 0n] },
    { WALLET: [100n, 0n] },
    { WALLET: [10n, 0n] },
    { WALLET: [100n, 0n], 'GAME:beta': [10n, 70n] },
    { WALLET: [90n, 10n] },
    { WALLET: [5n, 0n] },
  ]);
});

test('a closing that the ledger refuses every time fails alone, and nothing of it is written', async () => {
  const [bad, ...good] = await Promise.all(Array.from({ length: 20 }, () => member()));
  assert.ok(bad);
  const lost = opening(bad, ['WALLET', 'alpha'], 10n);
  assert.equal(await post(lost.step), 'o');
  // Its money was returned behind the transfer's back.
  await ledger.post({ ...returning(lost.step), key: `behind ${lost.transfer.id}` });
  const seen = await look(bad);
  const failing = assert.rejects(
    ledger.postStep(closing(legAt(lost.legs, 1), 'DONE', { told: 10n })),
    /refused the money of leg 1/,
  );
  const letters = await Promise.all(good.map((of) => post(opening(of, ['WALLET', 'beta'], 10n).step)));
  await failing;
  assert.deepEqual(new Set(letters), new Set(['o']));
  assert.deepEqual(await look(bad), seen);
  assert.ok(troubles.length > 1, 'it was looked for by halves');
  troubles.length = 0;
});

test('a connection that is cut again and again: each opening and closing is done once, and answers', async () => {
  const own = open();
  const many = await Promise.all(Array.from({ length: 12 }, () => member()));
  let isOver = false;
  const cutting = (async () => {
    for (let cut = 0; cut < 6 && !isOver; cut += 1) {
      await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'krapao-ledger' and datname = current_database() and pid <> pg_backend_pid()`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })();
  await Promise.all(
    many.map(async (of) => {
      for (let round = 0; round < 5; round += 1) {
        const { step, legs } = opening(of, ['WALLET', 'alpha'], 10n);
        assert.match((await posted(own, step)).letter, /^[oO]$/);
        const close = closing(legAt(legs, 1), round % 2 ? 'REVERSED' : 'DONE');
        assert.match((await posted(own, close)).letter, /^[oD]$/);
      }
    }),
  );
  isOver = true;
  await cutting;
  for (const of of many) {
    const { money, busy } = await look(of);
    assert.deepEqual([money, busy], [{ WALLET: [970n, 0n], 'GAME:alpha': [30n, 0n] }, FREE]);
  }
  await own.close();
  troubles.length = 0;
});

test('afterwards every audit finds nothing, and no call failed', async () => {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  assert.deepEqual(troubles, []);
});
