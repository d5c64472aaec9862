import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import pg from 'pg';
import { createLedger, type Ledger, type LedgerCommand } from '../../src/ledger/index.ts';
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
  describeReply,
  versionOf,
  type Written,
  written,
} from './commands/books.ts';

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
const post = async (command: LedgerCommand): Promise<string> => (await ledger.postCommand(command)).outcome;
const reasonsOf = async (command: LedgerCommand): Promise<(string | undefined)[]> =>
  (await ledger.postCommand(command)).verdicts.map((verdict) => verdict?.outcome);

/** Posts a command that must write nothing. */
async function assertNothing(of: string, command: LedgerCommand, outcome: string): Promise<void> {
  const seen = await look(of);
  const reply = await ledger.postCommand(command);
  assert.equal(reply.outcome, outcome);
  assert.equal(
    reply.verdicts.every((verdict) => verdict === undefined),
    true,
  );
  assert.deepEqual(await look(of), seen);
}

/** Posts a command while another transaction locks a row. */
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

test('open applied and replayed: row, reservation and hold in one commit; the same call again writes nothing', async () => {
  const of = await member();
  const { command, transfer } = opening(of, ['WALLET', 'alpha'], 300n);
  assert.equal(await post(command), 'applied');
  assert.deepEqual(await look(of), {
    money: { WALLET: [700n, 300n] },
    legs: { [`${transfer.reference}-1`]: 'SENT' },
    busy: { alpha: transfer.reference, beta: null },
    stale: KNOWN,
  });
  await assertNothing(of, command, 'replayed');
});

test('open applied from a game: the account follows the provider first, then is held', async () => {
  const of = await member();
  const { command, transfer } = opening(of, ['alpha', 'WALLET'], 250n, { version: 0n, cash: 260n });
  assert.deepEqual(await reasonsOf(command), ['applied', 'applied']);
  const { money, legs } = await look(of);
  assert.deepEqual(money, { WALLET: [1_000n, 0n], 'GAME:alpha': [10n, 250n] });
  assert.deepEqual(legs, { [`${transfer.reference}-1`]: 'SENT' });
});

test('open insufficient_funds and replayed_refused: without the money the row is refused permanently, and the accounts are free', async () => {
  const of = await member(100n);
  const { command, transfer } = opening(of, ['alpha', 'beta'], 300n, { version: 0n, cash: 299n });
  assert.equal(await post(command), 'insufficient_funds');
  assert.deepEqual(await look(of), {
    // A refused hold discards the adjustment.
    money: { WALLET: [100n, 0n] },
    legs: {
      [`${transfer.reference}-1`]: 'REVERSED MONEY_NOT_ENOUGH',
      [`${transfer.reference}-2`]: 'REVERSED MONEY_NOT_ENOUGH',
    },
    busy: FREE,
    stale: KNOWN,
  });
  await assertNothing(of, command, 'replayed_refused');
  assert.equal(await post(opening(of, ['WALLET', 'beta'], 100n).command), 'applied', 'the accounts are free');
});

test('open key_taken: a key of an earlier transfer, whatever became of it', async () => {
  const of = await member();
  assert.equal(await post(opening(of, ['WALLET', 'alpha'], 10n, { key: 'held' }).command), 'applied');
  assert.equal(await post(opening(of, ['WALLET', 'beta'], 5_000n, { key: 'refused' }).command), 'insufficient_funds');
  for (const key of ['held', 'refused']) {
    await assertNothing(of, opening(of, ['WALLET', 'beta'], 10n, { key }).command, 'key_taken');
  }
});

test('open wallet_suspended: nothing is opened for a suspended wallet; what is open closes', async () => {
  const of = await member();
  const first = opening(of, ['WALLET', 'alpha'], 10n);
  assert.equal(await post(first.command), 'applied');
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'test')`, [of]);
  await assertNothing(of, opening(of, ['WALLET', 'beta'], 10n).command, 'wallet_suspended');
  await assertNothing(of, first.command, 'replayed');
  assert.equal(await post(closing(legAt(first.legs, 1), 'DONE', { balance: 10n })), 'applied');
});

test('open row_locked: an account that is not open, or either of two whose row another transaction keeps', async () => {
  const of = await member();
  await database.query(
    `update game_account set state = 'OPENING', activated_at = null where member_id = $1 and game_code = 'beta'`,
    [of],
  );
  await assertNothing(of, opening(of, ['WALLET', 'beta'], 10n).command, 'row_locked');
  await database.query(
    `update game_account set state = 'ACTIVE', activated_at = now() where member_id = $1 and game_code = 'beta'`,
    [of],
  );
  for (const game of ['alpha', 'beta']) {
    const row = 'select from game_account where member_id = $1 and game_code = $2 for share';
    await whileLocked(row, [of, game], () =>
      assertNothing(of, opening(of, ['alpha', 'beta'], 10n).command, 'row_locked'),
    );
  }
});

test('open account_busy and stale_read: an account that is busy, and one that has changed since it was read', async () => {
  const of = await member();
  assert.equal(await post(opening(of, ['WALLET', 'alpha'], 10n).command), 'applied');
  await assertNothing(of, opening(of, ['WALLET', 'alpha'], 10n).command, 'account_busy');
  await assertNothing(of, opening(of, ['beta', 'alpha'], 10n, { version: 0n, cash: 50n }).command, 'account_busy');
  assert.equal(await post(refresh(of, 'beta', 0n, 50n)), 'applied');
  await assertNothing(of, opening(of, ['beta', 'WALLET'], 10n, { version: 0n, cash: 50n }).command, 'stale_read');
  assert.equal(await post(opening(of, ['beta', 'WALLET'], 10n, { version: 1n, cash: 50n }).command), 'applied');
});

test('close applied and replayed, both ways: the hold is posted or returned, the account is free, and again changes nothing', async () => {
  const of = await member();
  const done = opening(of, ['WALLET', 'alpha'], 300n);
  const reversed = opening(of, ['WALLET', 'beta'], 200n);
  assert.deepEqual(await Promise.all([post(done.command), post(reversed.command)]), ['applied', 'applied']);
  // The provider reports 20 more than the transfer.
  const commands = [
    closing(legAt(done.legs, 1), 'DONE', { balance: 320n }),
    closing(legAt(reversed.legs, 1), 'REVERSED'),
  ];
  assert.deepEqual(await Promise.all(commands.map(post)), ['applied', 'applied']);
  assert.deepEqual(await look(of), {
    money: { WALLET: [700n, 0n], 'GAME:alpha': [320n, 0n] },
    legs: {
      [`${done.transfer.reference}-1`]: 'DONE',
      [`${reversed.transfer.reference}-1`]: 'REVERSED TRANSFER_FAIL',
    },
    busy: FREE,
    stale: KNOWN,
  });
  for (const command of commands) await assertNothing(of, command, 'replayed');
});

test('close closed_differently: closed before with the other outcome', async () => {
  const of = await member();
  const { command, legs } = opening(of, ['WALLET', 'alpha'], 300n);
  assert.equal(await post(command), 'applied');
  assert.equal(await post(closing(legAt(legs, 1), 'REVERSED')), 'applied');
  await assertNothing(of, closing(legAt(legs, 1), 'DONE', { balance: 300n }), 'closed_differently');
});

test('close lease_lost: the leg is another holder’s by fence, or has another state', async () => {
  const of = await member();
  const { command, legs, transfer } = opening(of, ['WALLET', 'alpha'], 300n);
  assert.equal(await post(command), 'applied');
  await database.query('update transfer_leg set fence = 2 where transfer_id = $1', [transfer.id]);
  await assertNothing(of, closing(legAt(legs, 1), 'DONE'), 'lease_lost');
  const held = { ...legAt(legs, 1), fence: 2 };
  await database.query(`update transfer_leg set state = 'UNKNOWN' where transfer_id = $1`, [transfer.id]);
  await assertNothing(of, closing(held, 'DONE'), 'lease_lost');
  assert.equal(await post(closing({ ...held, state: 'UNKNOWN' }, 'DONE')), 'applied');
});

test('close row_locked: the leg or either game account is kept by another transaction', async () => {
  const of = await member();
  const { command, legs, transfer } = opening(of, ['alpha', 'beta'], 10n, { version: 0n, cash: 50n });
  assert.equal(await post(command), 'applied');
  const close = closing(legAt(legs, 1), 'DONE', { balance: 40n, second: legAt(legs, 2) });
  const rows: [string, unknown[]][] = [
    ['select from transfer_leg where transfer_id = $1 and leg = 1 for no key update', [transfer.id]],
    ['select from game_account where member_id = $1 and game_code = $2 for share', [of, 'alpha']],
    ['select from game_account where member_id = $1 and game_code = $2 for share', [of, 'beta']],
  ];
  for (const [sql, values] of rows) await whileLocked(sql, values, () => assertNothing(of, close, 'row_locked'));
  assert.equal(await post(close), 'applied');
});

test('game to game, applied then applied: the second leg begins in the commit that closes the first', async () => {
  const of = await member(0n);
  const { command, legs, transfer } = opening(of, ['alpha', 'beta'], 40n, { version: 0n, cash: 50n });
  const [first, second] = [legAt(legs, 1), legAt(legs, 2)];
  assert.equal(await post(command), 'applied');
  assert.deepEqual((await look(of)).busy, { alpha: transfer.reference, beta: transfer.reference });
  const close = closing(first, 'DONE', { balance: 10n, second });
  assert.equal(await post(close), 'applied');
  assert.deepEqual(await look(of), {
    money: { WALLET: [0n, 40n], 'GAME:alpha': [10n, 0n] },
    legs: { [first.providerReference]: 'DONE', [second.providerReference]: 'SENT' },
    busy: { alpha: null, beta: transfer.reference },
    stale: KNOWN,
  });
  await assertNothing(of, close, 'replayed');
  assert.equal(await post(closing({ ...second, state: 'SENT' }, 'DONE', { balance: 40n })), 'applied');
  assert.deepEqual((await look(of)).money, { 'GAME:alpha': [10n, 0n], 'GAME:beta': [40n, 0n] });
  await assertNothing(of, close, 'replayed_second_leg_refused');
});

test('game to game: a first leg that is refused or silent ends the second, and both accounts are free', async () => {
  const of = await member(0n);
  const refused = opening(of, ['alpha', 'beta'], 40n, { version: 0n, cash: 50n });
  assert.equal(await post(refused.command), 'applied');
  assert.equal(await post(closing(legAt(refused.legs, 1), 'REVERSED')), 'applied');
  const silent = opening(of, ['beta', 'alpha'], 20n, { version: await versionOf(database, of, 'beta'), cash: 20n });
  assert.equal(await post(silent.command), 'applied');
  assert.equal(await post(closing(legAt(silent.legs, 1), 'DONE', { by: 'resolver' })), 'applied');
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

test('close second_leg_refused and replayed_second_leg_refused: the money came, but the second hold finds too little: it rests in the wallet', async () => {
  const of = await member(0n);
  const { command, legs } = opening(of, ['alpha', 'beta'], 40n, { version: 0n, cash: 40n });
  const [first, second] = [legAt(legs, 1), legAt(legs, 2)];
  assert.equal(await post(command), 'applied');
  const close = closing(first, 'DONE', { balance: 0n, second: { ...second, amount: minor(41n) } });
  assert.equal(await post(close), 'second_leg_refused');
  assert.deepEqual(await look(of), {
    money: { WALLET: [40n, 0n] },
    legs: {
      [first.providerReference]: 'DONE',
      [second.providerReference]: 'REVERSED TRANSFER_FAIL RESTS_IN_WALLET',
    },
    busy: FREE,
    stale: KNOWN,
  });
  await assertNothing(of, close, 'replayed_second_leg_refused');
});

test('refresh applied, stale_read, row_locked and books_refused: follows what was read unless something has happened, is locked, or money there is held', async () => {
  const of = await member();
  assert.equal(await post(refresh(of, 'alpha', 0n, 90n)), 'applied');
  assert.deepEqual((await look(of)).money['GAME:alpha'], [90n, 0n]);
  assert.equal(await versionOf(database, of, 'alpha'), 1n);
  await assertNothing(of, refresh(of, 'alpha', 0n, 10n), 'stale_read');
  const row = 'select from game_account where member_id = $1 and game_code = $2 for share';
  await whileLocked(row, [of, 'alpha'], () => assertNothing(of, refresh(of, 'alpha', 1n, 10n), 'row_locked'));
  assert.equal(await post(refresh(of, 'alpha', 1n)), 'applied', 'a refresh without money');
  const out = opening(of, ['alpha', 'WALLET'], 50n, { version: 2n, cash: 90n });
  assert.equal(await post(out.command), 'applied');
  await assertNothing(of, refresh(of, 'alpha', 3n, 10n), 'stale_read');
  // A hold without a transfer: the reservation is gone, the money is still held.
  await database.query(`update game_account set busy_with = null where member_id = $1`, [of]);
  assert.equal(await post(refresh(of, 'alpha', 3n, 10n)), 'books_refused');
  const { money, stale } = await look(of);
  assert.deepEqual([money['GAME:alpha'], stale], [[40n, 50n], { alpha: true, beta: false }]);
});

test('one call: what is refused takes nothing of the operations, groups and commands beside it', async () => {
  const [alone, shut, linked, moving, taken, poor] = (await Promise.all(
    [100n, 100n, 100n, 100n, 100n, 5n].map((amount) => member(amount)),
  )) as [string, string, string, string, string, string];
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'test')`, [shut]);
  const busy = opening(taken, ['WALLET', 'alpha'], 10n);
  assert.equal(await post(busy.command), 'applied');
  const before = await batches();
  const group = [payout(linked, 60n), payout(linked, 30n)];
  const tooMuch = [payout(alone, 60n), payout(alone, 60n)];
  const answers = await Promise.all([
    ledger.postCommand(opening(shut, ['alpha', 'WALLET'], 10n, { version: 0n, cash: 10n }).command),
    ledger.post(tooMuch),
    ledger.postCommand(closing({ ...legAt(busy.legs, 1), fence: 7 }, 'DONE', { balance: 10n })),
    ledger.post(group),
    ledger.postCommand(opening(poor, ['WALLET', 'beta'], 6n).command),
    ledger.postCommand(refresh(poor, 'alpha', 0n)),
    ledger.postCommand(opening(moving, ['beta', 'WALLET'], 70n, { version: 0n, cash: 80n }).command),
    ledger.post(deposit(alone, 7n)),
  ]);
  assert.deepEqual(answers.map(describeReply), [
    'wallet_suspended undefined undefined',
    'linked insufficient',
    'lease_lost undefined undefined',
    '60 30',
    'insufficient_funds insufficient',
    'applied',
    'applied 80 70',
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
  assert.equal(await post(lost.command), 'applied');
  // Its hold was voided outside of the transfer.
  await ledger.post({ ...returning(lost.command), key: `behind ${lost.transfer.id}` });
  const seen = await look(bad);
  const failing = assert.rejects(
    ledger.postCommand(closing(legAt(lost.legs, 1), 'DONE', { balance: 10n })),
    /refused the money of leg 1/,
  );
  const outcomes = await Promise.all(good.map((of) => post(opening(of, ['WALLET', 'beta'], 10n).command)));
  await failing;
  assert.deepEqual(new Set(outcomes), new Set(['applied']));
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
        const { command, legs } = opening(of, ['WALLET', 'alpha'], 10n);
        assert.match((await posted(own, command)).outcome, /^(applied|replayed)$/);
        const close = closing(legAt(legs, 1), round % 2 ? 'REVERSED' : 'DONE');
        assert.match((await posted(own, close)).outcome, /^(applied|replayed)$/);
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
