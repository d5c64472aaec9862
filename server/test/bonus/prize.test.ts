import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { claimCoupon, winCoupon } from '../spinwheel/wheel-fixtures.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';
import {
  readActiveBonus,
  updateOffer,
  clearBonus,
  listBonuses,
  insertOffer,
  receiveBonus,
  countReceived,
} from './bonus-fixtures.ts';

describe('a bonus won as a prize', () => {
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

  const newCouponWinner = async (bonus: string): Promise<{ member: TestMember; coupon: string }> => {
    const member = await registerMember(system);
    return { member, coupon: await winCoupon(system, member, { kind: 'BONUS', bonus }) };
  };
  const readFreeBalance = async ({ id }: TestMember): Promise<string> => (await readBalance(ledger, id, 'WALLET')).free;

  test('a won bonus is active, blocks withdrawals, and is taken back completely when cancelled: none of it is own money [R-BON-03] [R-SPIN-04]', async () => {
    const { member, coupon } = await newCouponWinner('WHEEL');
    const claimReply = await claimCoupon(system, member, coupon);
    assert.equal(claimReply.body.success, true, JSON.stringify(claimReply.body));
    assert.equal(await readFreeBalance(member), '100.00');
    const { code, type, condition, ifCleared } = await readActiveBonus(system, member);
    assert.deepEqual([code, type, condition.name, condition.base], ['WHEEL', 'limit', 'โบนัสวงล้อ', 100]);
    assert.deepEqual(ifCleared, { takesBack: 100, keeps: 0 });
    assert.equal((await withdraw(system, member, 100)).body.message, 'BONUS_CONDITION');
    await fundWallet(ledger, member.id, '150.00');
    assert.deepEqual((await readActiveBonus(system, member)).ifCleared, { takesBack: 100, keeps: 150 });
    assert.equal((await clearBonus(system, member)).body.takenBack, 100);
    assert.equal(await readFreeBalance(member), '150.00');
    assert.equal((await claimCoupon(system, member, coupon)).body.error, 'NO_CLAIMABLE_COUPON');
  });

  test('a won bonus waits while another is active: BONUS_ALREADY_ACTIVE, and the coupon stays valid [R-BON-03] [R-SPIN-04] [R-NET-06]', async () => {
    const { member, coupon } = await newCouponWinner('WHEEL');
    await fundWallet(ledger, member.id, '100.00');
    assert.equal((await receiveBonus(system, member, await insertOffer(system))).status, 200);
    assert.equal((await claimCoupon(system, member, coupon)).body.error, 'BONUS_ALREADY_ACTIVE');
    assert.equal((await clearBonus(system, member)).status, 200);
    assert.equal((await claimCoupon(system, member, coupon)).body.success, true);
    assert.equal(await countReceived(system, member.id), 2);
  });

  test('a won bonus counts towards no limit and uses no deposit; a promotion or percentage cannot be won [R-BON-03] [R-SPIN-04]', async () => {
    const code = await insertOffer(system, { fixed: 40_00n, quota: 0 });
    const { member, coupon } = await newCouponWinner(code);
    await updateOffer(system, code, 'is_on', false);
    assert.equal((await claimCoupon(system, member, coupon)).body.error, 'NO_PROMOTION');
    await updateOffer(system, code, 'is_on', true);
    assert.equal((await claimCoupon(system, member, coupon)).body.success, true);
    assert.equal((await clearBonus(system, member)).status, 200);
    await updateOffer(system, code, 'quota', 1);
    const bonusCard = (await listBonuses(system, member)).find((bonus) => bonus.code === code);
    assert.deepEqual([bonusCard.isExhausted, bonusCard.isFull, bonusCard.userBonus], [false, false, null]);
    await fundWallet(ledger, member.id, '100.00');
    assert.equal((await receiveBonus(system, member, code)).status, 200);
    for (const invalidOffer of [
      { percent: 10 },
      { kind: 'PROMOTION', fixed: 10_00n },
      { fixed: 10_00n, currency: 'LAK' },
    ] as const) {
      const otherWinner = await newCouponWinner(await insertOffer(system, invalidOffer));
      assert.equal((await claimCoupon(system, otherWinner.member, otherWinner.coupon)).body.error, 'NO_PROMOTION');
      assert.equal(await readFreeBalance(otherWinner.member), '0.00');
    }
  });
});
