import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { registerMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { claimCoupon, moneyPrize, winCoupon } from './wheel-fixtures.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ variant: 'lao' });
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger.close();
  await system.stop();
});

test('a member with kip sees and wins kip, and earns coins by deposits of kip [R-SPIN-04]', async () => {
  const member = await registerMember(system, { phone: '2055512345', bankCode: 'BCEL', currency: 'LAK' });
  const { token } = member;
  await fundWallet(ledger, member.id, '599999.00', 'LAK');
  const { result } = (await system.api('GET /api/spinwheel/setup', { token })).body;
  assert.deepEqual([result.userCoin, result.coinPer], [2, 200_000]);
  assert.equal(result.activeSpinwheel.name, 'ວົງລໍ້ກະເປົາຄຳ');
  assert.equal(result.activeSpinwheel.sliceList[0].label, '₭12,000');
  assert.match(result.activeSpinwheel.sliceList[0].htmlDescription, /₭12,000\.00/);
  const id = await winCoupon(system, member, moneyPrize('20.00'));
  const { body } = await claimCoupon(system, member, id);
  assert.deepEqual([body.result?.label, body.result?.amount], ['₭1,000', 1_000], JSON.stringify(body));
  const wallet = await readBalance(ledger, member.id, 'WALLET');
  assert.equal(wallet.free, '600999.00');
});
