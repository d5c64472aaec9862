import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { registerMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { refuseCredits } from '../harness/playing.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { somebodyWaits } from '../incentive/incentive-world.ts';
import { makeOffer, receive, receivedTimes } from './bonus-world.ts';

describe('what happens while a bonus is received', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  test('a deposit that comes while one is received does not hide that older money is left [R-BON-03]', async () => {
    const member = await registerMember(system);
    await fund(ledger, member.id, '200.00');
    const code = await makeOffer(system);
    const asked = await system.database.tx(async (tx) => {
      // Receipts are counted in the middle of deciding: there it stops.
      await tx.query('lock table bonus_receipt in access exclusive mode');
      const reply = receive(system, member, code);
      await somebodyWaits(system);
      await fund(ledger, member.id, '200.00');
      return { reply };
    });
    assertRefused(await asked.reply, 'BONUS_REMAINING', 'MONEY_LEFT');
    assert.equal(await receivedTimes(system, member.id), 0);
  });

  test('one that the ledger can not credit is not received: nothing is written, and it can be received later, once [R-BON-03]', async () => {
    const member = await registerMember(system);
    await fund(ledger, member.id, '200.00');
    const code = await makeOffer(system, { quota: 1 });
    const allow = await refuseCredits(system);
    assertRefused(await receive(system, member, code), 'INTERNAL_SERVER_ERROR');
    assert.deepEqual(
      system.defects.splice(0).map(({ message }) => message),
      ['the disk is on fire'],
    );
    assert.equal(await receivedTimes(system, member.id), 0);
    await allow();
    assert.equal((await receive(system, member, code)).status, 200);
    assertRefused(await receive(system, member, code), 'BONUS_ALREADY_ACTIVE');
    assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, '400.00');
    assert.equal(await receivedTimes(system, member.id), 1);
  });
});
