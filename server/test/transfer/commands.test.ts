import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import pg from 'pg';
import { createLedger, type Ledger, type LedgerCommand } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import {
  closingOf,
  depositOperation,
  fundedMember,
  insertGames,
  legAt,
  openingOf,
  payoutOperation,
  postCommand,
  refreshCommand,
  voidHoldOperation,
  describeReply,
  readAccountVersion,
  type MemberRecords,
  readMemberRecords,
} from './commands/books.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const reportedErrors: Error[] = [];
const onTrouble = (error: Error) => reportedErrors.push(error);
const openLedger = (): Ledger => createLedger({ url, database, currency: 'BAHT', onTrouble });
const ledger = openLedger();
const otherClient = new pg.Client({ connectionString: url });

before(async () => {
  await insertGames(database);
  await otherClient.connect();
});
after(async () => {
  await otherClient.end();
  await ledger.close();
  await fresh.dropDatabase();
});

const member = (amount = 1_000n): Promise<string> => fundedMember(database, ledger, amount);
const read = (id: string): Promise<MemberRecords> => readMemberRecords(database, ledger, id);
const post = async (command: LedgerCommand): Promise<string> => (await ledger.postCommand(command)).outcome;
const readRefusalReasons = async (command: LedgerCommand): Promise<(string | undefined)[]> =>
  (await ledger.postCommand(command)).verdicts.map((verdict) => verdict?.outcome);

/** Posts a command that must write nothing. */
async function assertNothing(id: string, command: LedgerCommand, outcome: string): Promise<void> {
  const recordsBefore = await read(id);
  const reply = await ledger.postCommand(command);
  assert.equal(reply.outcome, outcome);
  assert.equal(
    reply.verdicts.every((verdict) => verdict === undefined),
    true,
  );
  assert.deepEqual(await read(id), recordsBefore);
}

/** Posts a command while another transaction locks a row. */
async function runWhileLocked(sql: string, values: unknown[], action: () => Promise<void>): Promise<void> {
  await otherClient.query('begin');
  try {
    await otherClient.query(sql, values);
    await action();
  } finally {
    await otherClient.query('rollback');
  }
}

const countBatches = async (): Promise<number> =>
  Number((await database.query<{ count: bigint }>('select count(*) from ledger.batch')).rows[0]?.count);

const NOT_BUSY = { alpha: null, beta: null };
const NOT_STALE = { alpha: false, beta: false };

test('row, reservation and hold commit together; the same call again writes nothing (open answers applied or replayed)', async () => {
  const id = await member();
  const { command, transfer } = openingOf(id, ['WALLET', 'alpha'], 300n);
  assert.equal(await post(command), 'applied');
  assert.deepEqual(await read(id), {
    money: { WALLET: [700n, 300n] },
    legs: { [`${transfer.reference}-1`]: 'SENT' },
    busy: { alpha: transfer.reference, beta: null },
    stale: NOT_STALE,
  });
  await assertNothing(id, command, 'replayed');
});

test('open applied from a game: the account is refreshed first and then held', async () => {
  const id = await member();
  const { command, transfer } = openingOf(id, ['alpha', 'WALLET'], 250n, { version: 0n, cash: 260n });
  assert.deepEqual(await readRefusalReasons(command), ['applied', 'applied']);
  const { money, legs } = await read(id);
  assert.deepEqual(money, { WALLET: [1_000n, 0n], 'GAME:alpha': [10n, 250n] });
  assert.deepEqual(legs, { [`${transfer.reference}-1`]: 'SENT' });
});

test('a transfer that the ledger answers with insufficient_funds or replayed_refused is refused, and its accounts unlock', async () => {
  const id = await member(100n);
  const { command, transfer } = openingOf(id, ['alpha', 'beta'], 300n, { version: 0n, cash: 299n });
  assert.equal(await post(command), 'insufficient_funds');
  assert.deepEqual(await read(id), {
    // A refused hold discards the adjustment.
    money: { WALLET: [100n, 0n] },
    legs: {
      [`${transfer.reference}-1`]: 'REVERSED MONEY_NOT_ENOUGH',
      [`${transfer.reference}-2`]: 'REVERSED MONEY_NOT_ENOUGH',
    },
    busy: NOT_BUSY,
    stale: NOT_STALE,
  });
  await assertNothing(id, command, 'replayed_refused');
  assert.equal(await post(openingOf(id, ['WALLET', 'beta'], 100n).command), 'applied', 'the accounts are free');
});

test('the key of any earlier transfer is refused, whatever its outcome (open answers key_taken)', async () => {
  const id = await member();
  assert.equal(await post(openingOf(id, ['WALLET', 'alpha'], 10n, { key: 'held' }).command), 'applied');
  assert.equal(await post(openingOf(id, ['WALLET', 'beta'], 5_000n, { key: 'refused' }).command), 'insufficient_funds');
  for (const key of ['held', 'refused']) {
    await assertNothing(id, openingOf(id, ['WALLET', 'beta'], 10n, { key }).command, 'key_taken');
  }
});

test('nothing is opened for a suspended wallet, and open transfers can close (open answers wallet_suspended)', async () => {
  const id = await member();
  const first = openingOf(id, ['WALLET', 'alpha'], 10n);
  assert.equal(await post(first.command), 'applied');
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'test')`, [id]);
  await assertNothing(id, openingOf(id, ['WALLET', 'beta'], 10n).command, 'wallet_suspended');
  await assertNothing(id, first.command, 'replayed');
  assert.equal(await post(closingOf(legAt(first.legs, 1), 'DONE', { balance: 10n })), 'applied');
});

test('a game account that is not open, or locked by another transaction, refuses the opening (open answers row_locked)', async () => {
  const id = await member();
  await database.query(
    `update game_account set state = 'OPENING', activated_at = null where member_id = $1 and game_code = 'beta'`,
    [id],
  );
  await assertNothing(id, openingOf(id, ['WALLET', 'beta'], 10n).command, 'row_locked');
  await database.query(
    `update game_account set state = 'ACTIVE', activated_at = now() where member_id = $1 and game_code = 'beta'`,
    [id],
  );
  for (const game of ['alpha', 'beta']) {
    const row = 'select from game_account where member_id = $1 and game_code = $2 for share';
    await runWhileLocked(row, [id, game], () =>
      assertNothing(id, openingOf(id, ['alpha', 'beta'], 10n).command, 'row_locked'),
    );
  }
});

test('a busy account, and one changed since it was read, refuse the opening (open answers account_busy or stale_read)', async () => {
  const id = await member();
  assert.equal(await post(openingOf(id, ['WALLET', 'alpha'], 10n).command), 'applied');
  await assertNothing(id, openingOf(id, ['WALLET', 'alpha'], 10n).command, 'account_busy');
  await assertNothing(id, openingOf(id, ['beta', 'alpha'], 10n, { version: 0n, cash: 50n }).command, 'account_busy');
  assert.equal(await post(refreshCommand(id, 'beta', 0n, 50n)), 'applied');
  await assertNothing(id, openingOf(id, ['beta', 'WALLET'], 10n, { version: 0n, cash: 50n }).command, 'stale_read');
  assert.equal(await post(openingOf(id, ['beta', 'WALLET'], 10n, { version: 1n, cash: 50n }).command), 'applied');
});

test('close applied and replayed in both directions: the hold is posted or returned once, and the account is free', async () => {
  const id = await member();
  const done = openingOf(id, ['WALLET', 'alpha'], 300n);
  const reversed = openingOf(id, ['WALLET', 'beta'], 200n);
  assert.deepEqual(await Promise.all([post(done.command), post(reversed.command)]), ['applied', 'applied']);
  // The provider reports 20 more than the transfer.
  const finalCommands = [
    closingOf(legAt(done.legs, 1), 'DONE', { balance: 320n }),
    closingOf(legAt(reversed.legs, 1), 'REVERSED'),
  ];
  assert.deepEqual(await Promise.all(finalCommands.map(post)), ['applied', 'applied']);
  assert.deepEqual(await read(id), {
    money: { WALLET: [700n, 0n], 'GAME:alpha': [320n, 0n] },
    legs: {
      [`${done.transfer.reference}-1`]: 'DONE',
      [`${reversed.transfer.reference}-1`]: 'REVERSED TRANSFER_FAIL',
    },
    busy: NOT_BUSY,
    stale: NOT_STALE,
  });
  for (const command of finalCommands) await assertNothing(id, command, 'replayed');
});

test('a leg already closed with the other outcome stays as it is (close answers closed_differently)', async () => {
  const id = await member();
  const { command, legs } = openingOf(id, ['WALLET', 'alpha'], 300n);
  assert.equal(await post(command), 'applied');
  assert.equal(await post(closingOf(legAt(legs, 1), 'REVERSED')), 'applied');
  await assertNothing(id, closingOf(legAt(legs, 1), 'DONE', { balance: 300n }), 'closed_differently');
});

test('a leg with another fencing token or state is not closed (close answers lease_lost)', async () => {
  const id = await member();
  const { command, legs, transfer } = openingOf(id, ['WALLET', 'alpha'], 300n);
  assert.equal(await post(command), 'applied');
  await database.query('update transfer_leg set fence = 2 where transfer_id = $1', [transfer.id]);
  await assertNothing(id, closingOf(legAt(legs, 1), 'DONE'), 'lease_lost');
  const fencedLeg = { ...legAt(legs, 1), fence: 2 };
  await database.query(`update transfer_leg set state = 'UNKNOWN' where transfer_id = $1`, [transfer.id]);
  await assertNothing(id, closingOf(fencedLeg, 'DONE'), 'lease_lost');
  assert.equal(await post(closingOf({ ...fencedLeg, state: 'UNKNOWN' }, 'DONE')), 'applied');
});

test('a leg or game account locked by another transaction is not closed (close answers row_locked)', async () => {
  const id = await member();
  const { command, legs, transfer } = openingOf(id, ['alpha', 'beta'], 10n, { version: 0n, cash: 50n });
  assert.equal(await post(command), 'applied');
  const closing = closingOf(legAt(legs, 1), 'DONE', { balance: 40n, second: legAt(legs, 2) });
  const rows: [string, unknown[]][] = [
    ['select from transfer_leg where transfer_id = $1 and leg = 1 for no key update', [transfer.id]],
    ['select from game_account where member_id = $1 and game_code = $2 for share', [id, 'alpha']],
    ['select from game_account where member_id = $1 and game_code = $2 for share', [id, 'beta']],
  ];
  for (const [sql, values] of rows) await runWhileLocked(sql, values, () => assertNothing(id, closing, 'row_locked'));
  assert.equal(await post(closing), 'applied');
});

test('close of a first leg between games, applied: the second leg opens in the same commit', async () => {
  const id = await member(0n);
  const { command, legs, transfer } = openingOf(id, ['alpha', 'beta'], 40n, { version: 0n, cash: 50n });
  const [first, second] = [legAt(legs, 1), legAt(legs, 2)];
  assert.equal(await post(command), 'applied');
  assert.deepEqual((await read(id)).busy, { alpha: transfer.reference, beta: transfer.reference });
  const closing = closingOf(first, 'DONE', { balance: 10n, second });
  assert.equal(await post(closing), 'applied');
  assert.deepEqual(await read(id), {
    money: { WALLET: [0n, 40n], 'GAME:alpha': [10n, 0n] },
    legs: { [first.providerReference]: 'DONE', [second.providerReference]: 'SENT' },
    busy: { alpha: null, beta: transfer.reference },
    stale: NOT_STALE,
  });
  await assertNothing(id, closing, 'replayed');
  assert.equal(await post(closingOf({ ...second, state: 'SENT' }, 'DONE', { balance: 40n })), 'applied');
  assert.deepEqual((await read(id)).money, { 'GAME:alpha': [10n, 0n], 'GAME:beta': [40n, 0n] });
  await assertNothing(id, closing, 'replayed_second_leg_refused');
});

test('close of a refused or silent first leg between games ends the second, and both accounts are free', async () => {
  const id = await member(0n);
  const refused = openingOf(id, ['alpha', 'beta'], 40n, { version: 0n, cash: 50n });
  assert.equal(await post(refused.command), 'applied');
  assert.equal(await post(closingOf(legAt(refused.legs, 1), 'REVERSED')), 'applied');
  const version = await readAccountVersion(database, id, 'beta');
  const silent = openingOf(id, ['beta', 'alpha'], 20n, { version, cash: 20n });
  assert.equal(await post(silent.command), 'applied');
  assert.equal(await post(closingOf(legAt(silent.legs, 1), 'DONE', { by: 'resolver' })), 'applied');
  const { money, legs, busy } = await read(id);
  assert.deepEqual(money, { WALLET: [20n, 0n], 'GAME:alpha': [50n, 0n] });
  assert.deepEqual(legs, {
    [`${refused.transfer.reference}-1`]: 'REVERSED TRANSFER_FAIL',
    [`${refused.transfer.reference}-2`]: 'REVERSED TRANSFER_FAIL RESTS_IN_WALLET',
    [`${silent.transfer.reference}-1`]: 'DONE',
    [`${silent.transfer.reference}-2`]: 'REVERSED TRANSFER_FAIL RESTS_IN_WALLET',
  });
  assert.deepEqual(busy, NOT_BUSY);
});

test('if the second hold finds too little, the money stays in the wallet (close answers second_leg_refused)', async () => {
  const id = await member(0n);
  const { command, legs } = openingOf(id, ['alpha', 'beta'], 40n, { version: 0n, cash: 40n });
  const [first, second] = [legAt(legs, 1), legAt(legs, 2)];
  assert.equal(await post(command), 'applied');
  const closing = closingOf(first, 'DONE', { balance: 0n, second: { ...second, amount: minor(41n) } });
  assert.equal(await post(closing), 'second_leg_refused');
  assert.deepEqual(await read(id), {
    money: { WALLET: [40n, 0n] },
    legs: {
      [first.providerReference]: 'DONE',
      [second.providerReference]: 'REVERSED TRANSFER_FAIL RESTS_IN_WALLET',
    },
    busy: NOT_BUSY,
    stale: NOT_STALE,
  });
  await assertNothing(id, closing, 'replayed_second_leg_refused');
});

test('refresh applied, stale_read, row_locked and books_refused: a balance is stored unless changed, locked or held', async () => {
  const id = await member();
  assert.equal(await post(refreshCommand(id, 'alpha', 0n, 90n)), 'applied');
  assert.deepEqual((await read(id)).money['GAME:alpha'], [90n, 0n]);
  assert.equal(await readAccountVersion(database, id, 'alpha'), 1n);
  await assertNothing(id, refreshCommand(id, 'alpha', 0n, 10n), 'stale_read');
  const row = 'select from game_account where member_id = $1 and game_code = $2 for share';
  await runWhileLocked(row, [id, 'alpha'], () => assertNothing(id, refreshCommand(id, 'alpha', 1n, 10n), 'row_locked'));
  assert.equal(await post(refreshCommand(id, 'alpha', 1n)), 'applied', 'a refresh without money');
  const outgoing = openingOf(id, ['alpha', 'WALLET'], 50n, { version: 2n, cash: 90n });
  assert.equal(await post(outgoing.command), 'applied');
  await assertNothing(id, refreshCommand(id, 'alpha', 3n, 10n), 'stale_read');
  // A hold without a transfer: the reservation is gone, the money is still held.
  await database.query(`update game_account set busy_with = null where member_id = $1`, [id]);
  assert.equal(await post(refreshCommand(id, 'alpha', 3n, 10n)), 'books_refused');
  const { money, stale } = await read(id);
  assert.deepEqual([money['GAME:alpha'], stale], [[40n, 50n], { alpha: true, beta: false }]);
});

test('a refusal in a call does not affect the operations, groups and commands beside it', async () => {
  const [memberWithoutGames, closedMember, linkedMember, movingMember, busyMember, poorMember] = (await Promise.all(
    [100n, 100n, 100n, 100n, 100n, 5n].map((amount) => member(amount)),
  )) as [string, string, string, string, string, string];
  await database.query(`insert into wallet_suspension (member_id, reason) values ($1, 'test')`, [closedMember]);
  const busy = openingOf(busyMember, ['WALLET', 'alpha'], 10n);
  assert.equal(await post(busy.command), 'applied');
  const before = await countBatches();
  const group = [payoutOperation(linkedMember, 60n), payoutOperation(linkedMember, 30n)];
  const tooMuch = [payoutOperation(memberWithoutGames, 60n), payoutOperation(memberWithoutGames, 60n)];
  const outcomes = await Promise.all([
    ledger.postCommand(openingOf(closedMember, ['alpha', 'WALLET'], 10n, { version: 0n, cash: 10n }).command),
    ledger.post(tooMuch),
    ledger.postCommand(closingOf({ ...legAt(busy.legs, 1), fence: 7 }, 'DONE', { balance: 10n })),
    ledger.post(group),
    ledger.postCommand(openingOf(poorMember, ['WALLET', 'beta'], 6n).command),
    ledger.postCommand(refreshCommand(poorMember, 'alpha', 0n)),
    ledger.postCommand(openingOf(movingMember, ['beta', 'WALLET'], 70n, { version: 0n, cash: 80n }).command),
    ledger.post(depositOperation(memberWithoutGames, 7n)),
  ]);
  assert.deepEqual(outcomes.map(describeReply), [
    'wallet_suspended undefined undefined',
    'linked insufficient',
    'lease_lost undefined undefined',
    '60 30',
    'insufficient_funds insufficient',
    'applied',
    'applied 80 70',
    '7',
  ]);
  assert.equal((await countBatches()) - before, 1, 'it was one call');
  const balances = await Promise.all(
    [memberWithoutGames, closedMember, linkedMember, movingMember, busyMember, poorMember].map(
      async (id) => (await read(id)).money,
    ),
  );
  assert.deepEqual(balances, [
    { WALLET: [107n, 0n] },
    { WALLET: [100n, 0n] },
    { WALLET: [10n, 0n] },
    { WALLET: [100n, 0n], 'GAME:beta': [10n, 70n] },
    { WALLET: [90n, 10n] },
    { WALLET: [5n, 0n] },
  ]);
});

test('a closing that the ledger always refuses fails alone, and writes nothing', async () => {
  const [bad, ...good] = await Promise.all(Array.from({ length: 20 }, () => member()));
  assert.ok(bad);
  const lost = openingOf(bad, ['WALLET', 'alpha'], 10n);
  assert.equal(await post(lost.command), 'applied');
  // Its hold was voided outside of the transfer.
  await ledger.post({ ...voidHoldOperation(lost.command), key: `behind ${lost.transfer.id}` });
  const recordsBefore = await read(bad);
  const failingPost = assert.rejects(
    ledger.postCommand(closingOf(legAt(lost.legs, 1), 'DONE', { balance: 10n })),
    /refused the money of leg 1/,
  );
  const outcomes = await Promise.all(good.map((id) => post(openingOf(id, ['WALLET', 'beta'], 10n).command)));
  await failingPost;
  assert.deepEqual(new Set(outcomes), new Set(['applied']));
  assert.deepEqual(await read(bad), recordsBefore);
  assert.ok(reportedErrors.length > 1, 'it was looked for by halves');
  reportedErrors.length = 0;
});

test('with repeatedly cut connections each opening and closing is applied once and gets a reply', async () => {
  const ownLedger = openLedger();
  const members = await Promise.all(Array.from({ length: 12 }, () => member()));
  let isOver = false;
  const cuttingConnections = (async () => {
    for (let cutNumber = 0; cutNumber < 6 && !isOver; cutNumber += 1) {
      await database.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'krapao-ledger' and datname = current_database() and pid <> pg_backend_pid()`);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
  })();
  await Promise.all(
    members.map(async (id) => {
      for (let round = 0; round < 5; round += 1) {
        const { command, legs } = openingOf(id, ['WALLET', 'alpha'], 10n);
        assert.match((await postCommand(ownLedger, command)).outcome, /^(applied|replayed)$/);
        const closing = closingOf(legAt(legs, 1), round % 2 ? 'REVERSED' : 'DONE');
        assert.match((await postCommand(ownLedger, closing)).outcome, /^(applied|replayed)$/);
      }
    }),
  );
  isOver = true;
  await cuttingConnections;
  for (const id of members) {
    const { money, busy } = await read(id);
    assert.deepEqual([money, busy], [{ WALLET: [970n, 0n], 'GAME:alpha': [30n, 0n] }, NOT_BUSY]);
  }
  await ownLedger.close();
  reportedErrors.length = 0;
});

test('after all transfer commands every audit finds nothing, and no call has failed', async () => {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  assert.deepEqual(reportedErrors, []);
});
