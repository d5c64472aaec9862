import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertBooksAgree, readProviderCredit, openGame, playRound, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';

describe('transfers', () => {
  let system: System;
  let ledger: Ledger;
  let member: TestMember;
  let pg: string;
  let askmebetUsername: string;

  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
    member = await registerMember(system);
    pg = (await openGame(system, member.token, 'pg')).username;
    askmebetUsername = (await openGame(system, member.token, 'askmebet')).username;
    await fundWallet(ledger, member.id, '1000.00');
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });
  const readWalletFree = async () => (await readBalance(ledger, member.id, 'WALLET')).free;
  const assertAgreement = () => assertBooksAgree(system, ledger, member.id, { pg, askmebet: askmebetUsername });

  test('money goes from the wallet into a game and back [R-XFER-02]', async () => {
    const transferReply = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100.25 });
    assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
    assert.equal(transferReply.body.status, 'DONE');
    assert.equal(await readWalletFree(), '899.75');
    assert.equal(await readProviderCredit(system, 'pg', pg), '100.25');
    await assertAgreement();
    const backReply = await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 100.25 });
    assert.equal(backReply.status, 200, JSON.stringify(backReply.body));
    assert.equal(await readWalletFree(), '1000.00');
    assert.equal(await readProviderCredit(system, 'pg', pg), '0.00');
    await assertAgreement();
  });

  test('a provider receives the amount times its multiplier [R-XFER-02]', async () => {
    await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 150 });
    assert.equal(await readProviderCredit(system, 'askmebet', askmebetUsername), '1500.00');
    await assertAgreement();
    await transfer(system, member.token, { from: 'askmebet', to: 'WALLET', amount: 150 });
    assert.equal(await readProviderCredit(system, 'askmebet', askmebetUsername), '0.00');
    assert.equal(await readWalletFree(), '1000.00');
    await assertAgreement();
  });

  test('money between two games passes through the wallet [R-XFER-02]', async () => {
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 80 });
    const betweenGamesReply = await transfer(system, member.token, { from: 'pg', to: 'askmebet', amount: 60 });
    assert.equal(betweenGamesReply.status, 200, JSON.stringify(betweenGamesReply.body));
    assert.equal(await readProviderCredit(system, 'pg', pg), '20.00');
    assert.equal(await readProviderCredit(system, 'askmebet', askmebetUsername), '600.00');
    assert.equal(await readWalletFree(), '920.00');
    await assertAgreement();
    await transfer(system, member.token, { from: 'askmebet', to: 'WALLET', amount: 60 });
  });

  test('money of a game moved to another provider still moves where the account is [R-XFER-02]', async () => {
    const openAndFund = (provider: string) =>
      system.database.query(`update game set provider = $1 where code = 'pg'`, [provider]);
    await openAndFund('naga');
    const before = await readWalletFree();
    const transferWays = [
      { from: 'WALLET', to: 'pg' },
      { from: 'pg', to: 'WALLET' },
    ];
    for (const transferWay of transferWays) {
      const { status, body } = await transfer(system, member.token, { ...transferWay, amount: 5 });
      assert.equal(status, 200, JSON.stringify(body));
    }
    await system.api('GET /api/wallet/refresh/slot', { token: member.token });
    const { rows } = await system.database.query<{ providers: string[] }>(
      `select array_agg(distinct provider) as providers from transfer_leg where game_code = 'pg'`,
    );
    assert.deepEqual(rows[0]?.providers, ['pg']);
    assert.equal(await readWalletFree(), before);
    await assertAgreement();
    await openAndFund('pg');
  });

  test('money won since the last refresh can be transferred out of the game [R-XFER-02]', async () => {
    await playRound(system, 'pg', pg, '20.00', '75.50');
    const before = await readWalletFree();
    const transferHomeReply = await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 75.5 });
    assert.equal(transferHomeReply.status, 200, JSON.stringify(transferHomeReply.body));
    assert.equal(await readWalletFree(), (Number(before) + 75.5).toFixed(2));
    await assertAgreement();
  });
});
