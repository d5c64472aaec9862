import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { type Gamer, gamerWith } from '../harness/gamers.ts';
import { assertBooksAgree, openBet, play, transfer } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { balanceOf, ledgerOf } from '../harness/money.ts';
import { noticed } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { withdrawAll } from '../withdraw/payout-fixtures.ts';

describe('a game that an operator takes out of sight', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
  });
  afterEach(() => hide(false));
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  async function hide(isHidden: boolean): Promise<void> {
    await system.database.query(`update game set is_hidden = $1 where code = 'pg'`, [isHidden]);
    await noticed();
  }
  const slotOf = async ({ token }: { token: string }) => {
    const { slots } = (await system.api('GET /api/wallet', { token })).body;
    return slots.find(({ code }: { code: string }) => code === 'pg');
  };
  const refreshed = async ({ token }: Gamer): Promise<string[]> =>
    (await system.api('GET /api/wallet/refresh/slot', { token })).body.slots.map(({ code }: { code: string }) => code);
  async function gamerWithGame(amount: number): Promise<Gamer> {
    const gamer = await gamerWith(system, ledger, '500.00');
    assert.equal((await transfer(system, gamer.token, { from: 'WALLET', to: 'pg', amount })).status, 200);
    return gamer;
  }

  test('is not offered, and a member without money there does not see it [R-GAME-02]', async () => {
    const gamer = await gamerWith(system, ledger, '500.00');
    const stranger = await registerMember(system);
    await hide(true);
    assert.equal(await slotOf(stranger), undefined);
    assert.equal(await slotOf(gamer), undefined, 'an account with nothing in it');
    assert.ok(!(await refreshed(gamer)).includes('pg'));
    for (const word of ['activate', 'account', 'resetpassword'] as const) {
      const params = { slotCode: 'pg' };
      const reply = await system.api(`GET /api/wallet/${word}/{slotCode}`, { token: stranger.token, params });
      assertRefused(reply, 'NO_GAME');
    }
    assertRefused(await transfer(system, stranger.token, { from: 'pg', to: 'WALLET', amount: 1 }), 'NO_GAME');
    assertRefused(await transfer(system, gamer.token, { from: 'WALLET', to: 'pg', amount: 1 }), 'NO_GAME');
  });

  test('shows its money to whom it belongs, takes no more, and gives it back [R-XFER-02]', async () => {
    const gamer = await gamerWithGame(100);
    await hide(true);
    const slot = await slotOf(gamer);
    assert.deepEqual([slot.amount, slot.isActive, slot.isHidden], [100, true, true]);
    assertRefused(await transfer(system, gamer.token, { from: 'WALLET', to: 'pg', amount: 1 }), 'NO_GAME');
    assertRefused(await transfer(system, gamer.token, { from: 'askmebet', to: 'pg', amount: 1 }), 'NO_GAME');
    const all = await system.api('POST /api/wallet/transferAll', { token: gamer.token, body: { to: 'pg' } });
    assertRefused(all, 'NO_GAME');
    const part = await transfer(system, gamer.token, { from: 'pg', to: 'askmebet', amount: 40 });
    assert.equal(part.status, 200, JSON.stringify(part.body));
    assert.equal((await transfer(system, gamer.token, { from: 'pg', to: 'WALLET', amount: 60 })).status, 200);
    assert.equal(await slotOf(gamer), undefined, 'nothing is left to show');
    assert.equal((await balanceOf(ledger, gamer.id, 'WALLET')).free, '460.00');
    await assertBooksAgree(system, ledger, gamer.id, gamer);
  });

  test('its winnings are swept when everything is withdrawn [R-WDR-02]', async () => {
    const gamer = await gamerWithGame(500);
    await play(system, 'pg', gamer.pg, '100', '350');
    await hide(true);
    const reply = await withdrawAll(system, gamer, 750);
    assert.deepEqual([reply.status, reply.body.notBrought], [200, []], JSON.stringify(reply.body));
    await assertBooksAgree(system, ledger, gamer.id, gamer);
  });

  test('stays in sight while a bet is open, and a refresh finds what it pays [R-GAME-02]', async () => {
    const gamer = await gamerWithGame(100);
    const voidIt = await openBet(system, 'pg', gamer.pg, '100');
    await hide(true);
    assert.ok((await refreshed(gamer)).includes('pg'));
    const open = await slotOf(gamer);
    assert.deepEqual([open.amount, open.outstanding], [0, 100]);
    await voidIt();
    assert.ok((await refreshed(gamer)).includes('pg'));
    assert.equal((await slotOf(gamer)).amount, 100);
    assert.equal((await transfer(system, gamer.token, { from: 'pg', to: 'WALLET', amount: 100 })).status, 200);
    await assertBooksAgree(system, ledger, gamer.id, gamer);
  });
});
