import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/module.ts';
import { eventually } from '../harness/games.ts';
import { registerMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { leaveOpen, refuseCredits } from '../harness/playing.ts';
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

  test('one that is decided while the ledger is down says that it is not seen yet, and comes by itself, once [R-BON-03]', async () => {
    const member = await registerMember(system);
    await fund(ledger, member.id, '200.00');
    const code = await makeOffer(system);
    const allow = await refuseCredits(system);
    assertRefused(await receive(system, member, code), 'INTERNAL_SERVER_ERROR', 'CREDIT_NOT_CONFIRMED');
    await leaveOpen(system);
    assertRefused(await receive(system, member, code), 'BONUS_ALREADY_ACTIVE');
    await allow();
    await system.database.query('update incentive_grant set leased_until = now() where member_id = $1', [member.id]);
    // The money comes first, then the grant says so.
    await eventually(
      'the grant',
      async () =>
        (
          await system.database.query<{ state: string }>('select state from incentive_grant where member_id = $1', [
            member.id,
          ])
        ).rows,
      ([grant]) => grant?.state === 'PAID',
    );
    assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, '400.00');
    assert.equal(await receivedTimes(system, member.id), 1);
  });
});
