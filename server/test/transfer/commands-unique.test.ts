import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { createLedger } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { eventually } from '../harness/games.ts';
import { deposit, fundedMember, insertGames, opening } from './commands/books.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const ledger = createLedger({ url, database, currency: 'BAHT' });
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

test('an opening that is sent again while the first call still runs gets its answer', async () => {
  const of = await fundedMember(database, ledger, 5n);
  const { command } = opening(of, ['WALLET', 'alpha'], 6n);
  await other.query('begin');
  await other.query('lock table wallet_suspension');
  const again = ledger.postCommand(command);
  // It has checked the key, and waits before it checks the account.
  await eventually(
    'calls that wait for a lock',
    async () => {
      const { rows } = await database.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and application_name = 'krapao-ledger'`,
      );
      return rows[0]?.waiting ?? 0;
    },
    (waiting) => waiting === 1,
  );
  const rows = JSON.stringify([command.row]);
  await other.query('select commands.transfer_open_admit($1)', [rows]);
  await other.query(`select commands.transfer_open_refused($1, '{rejected}')`, [rows]);
  await other.query('commit');
  assert.equal((await again).outcome, 'replayed_refused');
});

test('an account that is free although a leg of it is open fails alone: the others of its call get their answers', async () => {
  const of = await fundedMember(database, ledger, 100n);
  assert.equal((await ledger.postCommand(opening(of, ['WALLET', 'alpha'], 10n).command)).outcome, 'applied');
  // No command writes this row.
  await database.query('update game_account set busy_with = null where member_id = $1', [of]);
  const beside = await fundedMember(database, ledger, 0n);
  const [wrong, right] = await Promise.allSettled([
    ledger.postCommand(opening(of, ['WALLET', 'alpha'], 10n).command),
    ledger.post(deposit(beside, 1n)),
  ]);
  assert.match(String(wrong.status === 'rejected' && wrong.reason), /transfer_leg_under_way/);
  assert.equal(right.status === 'fulfilled' && right.value[0]?.outcome, 'applied');
});
