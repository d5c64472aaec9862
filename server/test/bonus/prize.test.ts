import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { claim, win } from '../spinwheel/wheel-world.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';
import { active, changeOffer, clear, listed, makeOffer, receive, receivedTimes } from './bonus-world.ts';

describe('a bonus that is won', () => {
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

  const winnerOf = async (bonus: string): Promise<{ member: TestMember; coupon: string }> => {
    const member = await registerMember(system);
    return { member, coupon: await win(system, member, { kind: 'BONUS', bonus }) };
  };
  const free = async ({ id }: TestMember): Promise<string> => (await balanceOf(ledger, id, 'WALLET')).free;

  test('it is active, blocks withdrawals, and is taken back in full when its member cancels it: no part is the member’s own money [R-BON-03] [R-SPIN-04]', async () => {
    const { member, coupon } = await winnerOf('WHEEL');
    const claimed = await claim(system, member, coupon);
    assert.equal(claimed.body.success, true, JSON.stringify(claimed.body));
    assert.equal(await free(member), '100.00');
    const { code, type, condition, ifCleared } = await active(system, member);
    assert.deepEqual([code, type, condition.name, condition.base], ['WHEEL', 'limit', 'โบนัสวงล้อ', 100]);
    assert.deepEqual(ifCleared, { takesBack: 100, keeps: 0 });
    assert.equal((await withdraw(system, member, 100)).body.message, 'BONUS_CONDITION');
    await fund(ledger, member.id, '150.00');
    assert.deepEqual((await active(system, member)).ifCleared, { takesBack: 100, keeps: 150 });
    assert.equal((await clear(system, member)).body.takenBack, 100);
    assert.equal(await free(member), '150.00');
    assert.equal((await claim(system, member, coupon)).body.error, 'NO_CLAIMABLE_COUPON');
  });

  test('while another is active it waits: BONUS_ALREADY_ACTIVE, and the coupon is still good [R-BON-03] [R-SPIN-04] [R-NET-06]', async () => {
    const { member, coupon } = await winnerOf('WHEEL');
    await fund(ledger, member.id, '100.00');
    assert.equal((await receive(system, member, await makeOffer(system))).status, 200);
    assert.equal((await claim(system, member, coupon)).body.error, 'BONUS_ALREADY_ACTIVE');
    assert.equal((await clear(system, member)).status, 200);
    assert.equal((await claim(system, member, coupon)).body.success, true);
    assert.equal(await receivedTimes(system, member.id), 2);
  });

  test('it counts towards no limit and uses no deposit; switched off it waits, and a promotion or a percentage can’t be won [R-BON-03] [R-SPIN-04]', async () => {
    const code = await makeOffer(system, { fixed: 40_00n, quota: 0 });
    const { member, coupon } = await winnerOf(code);
    await changeOffer(system, code, 'is_on', false);
    assert.equal((await claim(system, member, coupon)).body.error, 'NO_PROMOTION');
    await changeOffer(system, code, 'is_on', true);
    assert.equal((await claim(system, member, coupon)).body.success, true);
    assert.equal((await clear(system, member)).status, 200);
    await changeOffer(system, code, 'quota', 1);
    const card = (await listed(system, member)).find((one) => one.code === code);
    assert.deepEqual([card.isExhausted, card.isFull, card.userBonus], [false, false, null]);
    await fund(ledger, member.id, '100.00');
    assert.equal((await receive(system, member, code)).status, 200);
    for (const wrong of [
      { percent: 10 },
      { kind: 'PROMOTION', fixed: 10_00n },
      { fixed: 10_00n, currency: 'LAK' },
    ] as const) {
      const other = await winnerOf(await makeOffer(system, wrong));
      assert.equal((await claim(system, other.member, other.coupon)).body.error, 'NO_PROMOTION');
      assert.equal(await free(other.member), '0.00');
    }
  });
});
