import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { registerMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { refuseCredits } from '../harness/playing-member.ts';
import { startSystem, type System } from '../harness/system.ts';
import { waitForLockWait } from '../incentive/incentive-fixtures.ts';
import { insertOffer, receiveBonus, countReceived } from './bonus-fixtures.ts';

describe('changes while a bonus is received', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  test('a deposit that arrives while a bonus is received does not hide remaining older money [R-BON-03]', async () => {
    const member = await registerMember(system);
    await fundWallet(ledger, member.id, '200.00');
    const code = await insertOffer(system);
    const requestedReceipt = await system.database.tx(async (tx) => {
      // The decision counts receipts, so it waits for this lock.
      await tx.query('lock table bonus_receipt in access exclusive mode');
      const reply = receiveBonus(system, member, code);
      await waitForLockWait(system);
      await fundWallet(ledger, member.id, '200.00');
      return { reply };
    });
    assertRefused(await requestedReceipt.reply, 'BONUS_REMAINING', 'MONEY_LEFT');
    assert.equal(await countReceived(system, member.id), 0);
  });

  test('a bonus that the ledger cannot credit leaves no rows, and can be received later, once [R-BON-03]', async () => {
    const member = await registerMember(system);
    await fundWallet(ledger, member.id, '200.00');
    const code = await insertOffer(system, { quota: 1 });
    const allowCredits = await refuseCredits(system);
    assertRefused(await receiveBonus(system, member, code), 'INTERNAL_SERVER_ERROR');
    assert.deepEqual(
      system.defects.splice(0).map(({ message }) => message),
      ['the disk is on fire'],
    );
    assert.equal(await countReceived(system, member.id), 0);
    await allowCredits();
    assert.equal((await receiveBonus(system, member, code)).status, 200);
    assertRefused(await receiveBonus(system, member, code), 'BONUS_ALREADY_ACTIVE');
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '400.00');
    assert.equal(await countReceived(system, member.id), 1);
  });
});
