import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { assertBooksAgree, openBet, playRound, transfer } from '../harness/games.ts';
import { type GamingMember, gamingMemberWith } from '../harness/gaming-member.ts';
import { registerMember } from '../harness/members.ts';
import { readBalance, createTestLedger } from '../harness/money.ts';
import { waitForSettingsReload } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { withdrawAll } from '../withdraw/payout-fixtures.ts';

describe('a game hidden by an operator', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
  });
  afterEach(() => setHidden(false));
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  async function setHidden(isHidden: boolean): Promise<void> {
    await system.database.query(`update game set is_hidden = $1 where code = 'pg'`, [isHidden]);
    await waitForSettingsReload();
  }
  const slotOf = async ({ token }: { token: string }) => {
    const { slots } = (await system.api('GET /api/wallet', { token })).body;
    return slots.find(({ code }: { code: string }) => code === 'pg');
  };
  const readRefreshedCodes = async ({ token }: GamingMember): Promise<string[]> =>
    (await system.api('GET /api/wallet/refresh/slot', { token })).body.slots.map(({ code }: { code: string }) => code);
  async function newMemberWithGame(amount: number): Promise<GamingMember> {
    const gamingMember = await gamingMemberWith(system, ledger, '500.00');
    assert.equal((await transfer(system, gamingMember.token, { from: 'WALLET', to: 'pg', amount })).status, 200);
    return gamingMember;
  }

  test('a hidden game is not offered, and members without money in it do not see it [R-GAME-02]', async () => {
    const gamingMember = await gamingMemberWith(system, ledger, '500.00');
    const stranger = await registerMember(system);
    await setHidden(true);
    assert.equal(await slotOf(stranger), undefined);
    assert.equal(await slotOf(gamingMember), undefined, 'an account with nothing in it');
    assert.ok(!(await readRefreshedCodes(gamingMember)).includes('pg'));
    for (const action of ['activate', 'account', 'resetpassword'] as const) {
      const params = { slotCode: 'pg' };
      const reply = await system.api(`GET /api/wallet/${action}/{slotCode}`, { token: stranger.token, params });
      assertRefused(reply, 'NO_GAME');
    }
    assertRefused(await transfer(system, stranger.token, { from: 'pg', to: 'WALLET', amount: 1 }), 'NO_GAME');
    assertRefused(await transfer(system, gamingMember.token, { from: 'WALLET', to: 'pg', amount: 1 }), 'NO_GAME');
  });

  test('a hidden game shows its money to its members, accepts no more, and returns it [R-XFER-02]', async () => {
    const gamingMember = await newMemberWithGame(100);
    await setHidden(true);
    const slot = await slotOf(gamingMember);
    assert.deepEqual([slot.amount, slot.isActive, slot.isHidden], [100, true, true]);
    assertRefused(await transfer(system, gamingMember.token, { from: 'WALLET', to: 'pg', amount: 1 }), 'NO_GAME');
    assertRefused(await transfer(system, gamingMember.token, { from: 'askmebet', to: 'pg', amount: 1 }), 'NO_GAME');
    const transferAllReply = await system.api('POST /api/wallet/transferAll', {
      token: gamingMember.token,
      body: { to: 'pg' },
    });
    assertRefused(transferAllReply, 'NO_GAME');
    const transferReply = await transfer(system, gamingMember.token, { from: 'pg', to: 'askmebet', amount: 40 });
    assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
    assert.equal((await transfer(system, gamingMember.token, { from: 'pg', to: 'WALLET', amount: 60 })).status, 200);
    assert.equal(await slotOf(gamingMember), undefined, 'nothing is left to show');
    assert.equal((await readBalance(ledger, gamingMember.id, 'WALLET')).free, '460.00');
    await assertBooksAgree(system, ledger, gamingMember.id, gamingMember);
  });

  test('winnings in a hidden game are moved to the wallet when everything is withdrawn [R-WDR-02]', async () => {
    const gamingMember = await newMemberWithGame(500);
    await playRound(system, 'pg', gamingMember.pg, '100', '350');
    await setHidden(true);
    const reply = await withdrawAll(system, gamingMember, 750);
    assert.deepEqual([reply.status, reply.body.notBrought], [200, []], JSON.stringify(reply.body));
    await assertBooksAgree(system, ledger, gamingMember.id, gamingMember);
  });

  test('a hidden game stays visible while a bet is open, and a refresh finds its winnings [R-GAME-02]', async () => {
    const gamingMember = await newMemberWithGame(100);
    const voidBet = await openBet(system, 'pg', gamingMember.pg, '100');
    await setHidden(true);
    assert.ok((await readRefreshedCodes(gamingMember)).includes('pg'));
    const slotWithOpenBet = await slotOf(gamingMember);
    assert.deepEqual([slotWithOpenBet.amount, slotWithOpenBet.outstanding], [0, 100]);
    await voidBet();
    assert.ok((await readRefreshedCodes(gamingMember)).includes('pg'));
    assert.equal((await slotOf(gamingMember)).amount, 100);
    assert.equal((await transfer(system, gamingMember.token, { from: 'pg', to: 'WALLET', amount: 100 })).status, 200);
    await assertBooksAgree(system, ledger, gamingMember.id, gamingMember);
  });
});
