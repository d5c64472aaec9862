import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertBooksAgree, creditOf, openGame, play, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';

describe('transfers', () => {
  let system: System;
  let ledger: Ledger;
  let member: TestMember;
  let pg: string;
  let askmebet: string;

  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
    member = await registerMember(system);
    pg = (await openGame(system, member.token, 'pg')).username;
    askmebet = (await openGame(system, member.token, 'askmebet')).username;
    await fund(ledger, member.id, '1000.00');
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });
  const wallet = async () => (await balanceOf(ledger, member.id, 'WALLET')).free;
  const agree = () => assertBooksAgree(system, ledger, member.id, { pg, askmebet });

  test('money goes from the wallet into a game and back [R-XFER-02]', async () => {
    const sent = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100.25 });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    assert.equal(sent.body.status, 'DONE');
    assert.equal(await wallet(), '899.75');
    assert.equal(await creditOf(system, 'pg', pg), '100.25');
    await agree();
    const back = await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 100.25 });
    assert.equal(back.status, 200, JSON.stringify(back.body));
    assert.equal(await wallet(), '1000.00');
    assert.equal(await creditOf(system, 'pg', pg), '0.00');
    await agree();
  });

  test('a provider counts the amount times its multiplier [R-XFER-02]', async () => {
    await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 150 });
    assert.equal(await creditOf(system, 'askmebet', askmebet), '1500.00');
    await agree();
    await transfer(system, member.token, { from: 'askmebet', to: 'WALLET', amount: 150 });
    assert.equal(await creditOf(system, 'askmebet', askmebet), '0.00');
    assert.equal(await wallet(), '1000.00');
    await agree();
  });

  test('from game to game the money passes through the wallet [R-XFER-02]', async () => {
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 80 });
    const moved = await transfer(system, member.token, { from: 'pg', to: 'askmebet', amount: 60 });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    assert.equal(await creditOf(system, 'pg', pg), '20.00');
    assert.equal(await creditOf(system, 'askmebet', askmebet), '600.00');
    assert.equal(await wallet(), '920.00');
    await agree();
    await transfer(system, member.token, { from: 'askmebet', to: 'WALLET', amount: 60 });
  });

  test('a game that an operator has moved to another provider: money still moves where the account is [R-XFER-02]', async () => {
    const give = (provider: string) =>
      system.database.query(`update game set provider = $1 where code = 'pg'`, [provider]);
    await give('naga');
    const before = await wallet();
    const ways = [
      { from: 'WALLET', to: 'pg' },
      { from: 'pg', to: 'WALLET' },
    ];
    for (const way of ways) {
      const { status, body } = await transfer(system, member.token, { ...way, amount: 5 });
      assert.equal(status, 200, JSON.stringify(body));
    }
    await system.api('GET /api/wallet/refresh/slot', { token: member.token });
    const { rows } = await system.database.query<{ providers: string[] }>(
      `select array_agg(distinct provider) as providers from transfer_leg where game_code = 'pg'`,
    );
    assert.deepEqual(rows[0]?.providers, ['pg']);
    assert.equal(await wallet(), before);
    await agree();
    await give('pg');
  });

  test('what was won since the last look can leave the game [R-XFER-02]', async () => {
    await play(system, 'pg', pg, '20.00', '75.50');
    const before = await wallet();
    const home = await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 75.5 });
    assert.equal(home.status, 200, JSON.stringify(home.body));
    assert.equal(await wallet(), (Number(before) + 75.5).toFixed(2));
    await agree();
  });
});
