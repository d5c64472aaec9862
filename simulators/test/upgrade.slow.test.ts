import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Players } from '../src/games/players.ts';
import { sha256 } from '../src/outside/secrets.ts';
import { startSimulators } from '../src/server.ts';
import { Store } from '../src/store.ts';
import { createPlayer } from './games/players.ts';
import { ask, inquire, Listener, outsideFor, temporaryFolder, until } from './harness.ts';

/** Schema of the version with one gateway and one currency, with a paid code whose callback is pending. */
const OLD_SCHEMA = `
create table bank_account (
  bank text not null, number text not null, name text not null, owner text not null,
  balance integer not null default 0, cash_in integer not null default 0, primary key (bank, number)
) strict;
insert into bank_account values ('SCB', '1234567890', 'Payer', 'person', 90000, 100000);
create table kbank_qr (
  id integer primary key, uid text not null unique, reference1 text not null unique, reference2 text,
  amount integer not null, payload text not null, expires_at integer not null,
  cancelled_at integer, paid_at integer, paid_amount integer, txn_no text unique,
  payer_bank text, payer_number text, payer_name text
) strict;
insert into kbank_qr values (1, 'U1', 'D1', null, 10000, 'P1', 1700000000000, null, 1700000000000, 10000, 'N1', 'SCB', '1234567890', 'Payer');
create table callback (
  id integer primary key, body text not null, attempt integer not null default 0, due_at integer not null,
  state text not null default 'waiting'
) strict;
insert into callback (body, due_at) values ('{"partnerTxnUid":"U1","reference1":"D1"}', 1);
`;

/**
 * Schema of the version with two game providers: sessions without game, rounds without details, players without a pool.
 */
const TWO_PROVIDERS_SQL = `
create table player (
  provider text not null, username text not null, password text,
  balance integer not null default 0 check (balance >= 0),
  transferred_in integer not null default 0, transferred_out integer not null default 0,
  staked integer not null default 0, won integer not null default 0,
  primary key (provider, username)
) strict;
insert into player values ('pg', 'mali01', null, 8000, 10000, 0, 3000, 1000);
create table round (
  id integer primary key, provider text not null, username text not null, key text,
  stake integer not null, win integer, outcome text, at integer not null, balance_after integer not null
) strict;
insert into round values (1, 'pg', 'mali01', null, 1000, 1000, null, 1700000000000, 10000);
insert into round values (2, 'pg', 'mali01', null, 2000, null, null, 1700000000000, 8000);
create table game_session (
  token_hash text primary key, provider text not null, username text not null, language text not null,
  return_url text, expires_at integer not null
) strict;
insert into game_session values ('${sha256('an-old-token')}', 'pg', 'mali01', 'en', null, 9000000000000);
`;

test('a data folder of the version with two game providers is upgraded: credit, open rounds, sessions', async (t) => {
  const folder = temporaryFolder(t);
  const oldDatabase = new DatabaseSync(join(folder, 'simulators.sqlite'));
  oldDatabase.exec(TWO_PROVIDERS_SQL);
  oldDatabase.close();
  const outside = outsideFor('http://127.0.0.1:9/callback');
  for (const balance of ['80.00', '85.00']) {
    const { address, close } = await startSimulators({ port: 0, dataDir: folder, outside });
    try {
      const authorization = 'Bearer an-old-token';
      const state = await ask<{ balance: string; game: { code: string } }>(
        address,
        'GET',
        '/games/pg/play/state',
        undefined,
        { authorization },
      );
      assert.deepEqual([state.body.balance, state.body.game.code], [balance, 'tiger']);
      const playerPath = '/games/pg/players/mali01';
      const { body } = await ask<Record<string, string>>(address, 'GET', playerPath);
      const isOpen = balance === '80.00';
      assert.deepEqual([body['outstanding'], body['turnover']], isOpen ? ['20.00', '10.00'] : ['0.00', '30.00']);
      const settledRound = await ask(address, 'POST', `${playerPath}/settle`, { roundId: 2, win: '5.00' });
      assert.equal(settledRound.status, isOpen ? 200 : 404);
      assert.equal((await createPlayer(address, 'mali01')).body.error?.code, '1305');
    } finally {
      await close();
    }
  }
});

test('passwords stored in plain text or without salt stay valid, and no file of the folder reveals them', (t) => {
  const folder = temporaryFolder(t);
  const oldDatabase = new DatabaseSync(join(folder, 'simulators.sqlite'));
  oldDatabase.exec(TWO_PROVIDERS_SQL);
  oldDatabase.exec(
    'alter table player add column pool_reference text; alter table player add column pool_password text',
  );
  for (const [provider, name, password, reference] of [
    ['imi', 'dao01', 'Plainly-hashed1', null],
    ['pgslot', 'pgslot00000001', 'In-the-clear1', 'M1'],
  ] as const) {
    oldDatabase
      .prepare(
        'insert into player (provider, username, password, pool_reference, pool_password) values (?, ?, ?, ?, ?)',
      )
      .run(provider, name, sha256(password), reference, reference && password);
  }
  oldDatabase.close();
  const replies: unknown[] = [];
  for (let start = 0; start < 2; start += 1) {
    const store = new Store(folder);
    const [imi, pgslot] = [new Players(store, 'imi'), new Players(store, 'pgslot')];
    assert.deepEqual([imi.passwordFits('dao01', 'Plainly-hashed1'), imi.passwordFits('dao01', 'other')], [true, false]);
    assert.ok(pgslot.passwordFits('pgslot00000001', 'In-the-clear1'));
    assert.deepEqual(pgslot.fromPool('M1', { pool: 0 }), { username: 'pgslot00000001', password: null });
    const account = pgslot.fromPool('M2', { pool: null });
    assert.ok(typeof account === 'object' && account.password !== null && account.password.length >= 10);
    replies.push(account);
    store.close();
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
    for (const secret of ['In-the-clear1', sha256('In-the-clear1'), sha256('Plainly-hashed1'), account.password])
      assert.ok(!files.some((content) => content.includes(secret)), 'none of it is on the disk');
  }
  assert.deepEqual(replies[1], replies[0], 'the same account for the same reference, also after a restart');
  assert.equal(statSync(join(folder, 'simulators.secret')).mode & 0o077, 0);
});

test('a data folder of the version with one gateway is upgraded: money, codes, pending callbacks', async (t) => {
  const folder = temporaryFolder(t);
  const oldDatabase = new DatabaseSync(join(folder, 'simulators.sqlite'));
  oldDatabase.exec(OLD_SCHEMA);
  oldDatabase.close();
  const listener = new Listener();
  const outside = outsideFor(await listener.start());
  t.after(() => listener.stop());
  for (let start = 0; start < 2; start += 1) {
    const simulators = await startSimulators({ port: 0, dataDir: folder, outside });
    try {
      const inquiry = await inquire(simulators.address, 'D1');
      assert.deepEqual([inquiry.txnStatus, inquiry.paidAmount, inquiry.txnNo], ['PAID', '100.00', 'N1']);
      const { body } = await ask<{ sums: Record<string, string> }>(simulators.address, 'GET', '/control/totals');
      const toMinor = (name: string) => Number(body.sums[name]?.replace('.', ''));
      assert.equal(toMinor('gateways'), 10_000);
      assert.equal(toMinor('bank') + toMinor('gateways'), toMinor('cash'));
      await until(() => listener.got.length === 1, 'the pending callback');
      assert.equal(listener.got[0]?.reference1, 'D1');
      // If the simulators stopped before the reply, the gateway would call again.
      const isCallbackAnswered = async () =>
        (await ask<object[]>(simulators.address, 'GET', '/control/calls?target=callback&call=kbank')).body.length;
      await until(async () => (await isCallbackAnswered()) === 1, 'its answer is recorded');
    } finally {
      await simulators.close();
    }
  }
});
