import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { createLedger } from '../../src/ledger/index.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { waitUntilResult } from '../harness/games.ts';
import { depositOperation, fundedMember, insertGames, openingOf } from './commands/books.ts';

const fresh = await freshDatabase();
const { database, url } = fresh;
const ledger = createLedger({ url, database, currency: 'BAHT' });
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

test('an opening sent again while the first call still runs gets its outcome', async () => {
  const memberId = await fundedMember(database, ledger, 5n);
  const { command } = openingOf(memberId, ['WALLET', 'alpha'], 6n);
  await otherClient.query('begin');
  await otherClient.query('lock table wallet_suspension');
  const repeatedPost = ledger.postCommand(command);
  // The command has checked the key, and waits before it checks the account.
  await waitUntilResult(
    'calls that wait for a lock',
    async () => {
      const { rows } = await database.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and application_name = 'krapao-ledger'`,
      );
      return rows[0]?.waiting ?? 0;
    },
    (waitingCount) => waitingCount === 1,
  );
  const rows = JSON.stringify([command.row]);
  await otherClient.query('select commands.transfer_open_admit($1)', [rows]);
  await otherClient.query(`select commands.transfer_open_refused($1, '{rejected}')`, [rows]);
  await otherClient.query('commit');
  assert.equal((await repeatedPost).outcome, 'replayed_refused');
});

test('an account that is free despite an open leg fails alone: the others of its call get their outcome', async () => {
  const memberId = await fundedMember(database, ledger, 100n);
  assert.equal((await ledger.postCommand(openingOf(memberId, ['WALLET', 'alpha'], 10n).command)).outcome, 'applied');
  // No command writes this row.
  await database.query('update game_account set busy_with = null where member_id = $1', [memberId]);
  const otherMemberId = await fundedMember(database, ledger, 0n);
  const [refusedPost, acceptedPost] = await Promise.allSettled([
    ledger.postCommand(openingOf(memberId, ['WALLET', 'alpha'], 10n).command),
    ledger.post(depositOperation(otherMemberId, 1n)),
  ]);
  assert.match(String(refusedPost.status === 'rejected' && refusedPost.reason), /transfer_leg_under_way/);
  assert.equal(acceptedPost.status === 'fulfilled' && acceptedPost.value[0]?.outcome, 'applied');
});
