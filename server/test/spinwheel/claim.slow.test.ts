import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { openGoodsCoupons } from '../../src/modules/spinwheel/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { waitUntilResult } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, createTestLedger } from '../harness/money.ts';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { closeWallet, setRateLimits } from '../harness/operator.ts';
import { readGrantedAmounts, refuseCredits } from '../harness/playing-member.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  findInconsistentCoinBalances,
  claimCoupon,
  giveCoins,
  moneyPrize,
  singlePrizeWheel,
  publishTestWheel,
  spinOnce,
  winCoupon,
} from './wheel-fixtures.ts';

const DAY_MS = 86_400_000;

let system: System;
let ledger: Ledger;
let clock: MovableClock;
before(async () => {
  clock = movableClock();
  system = await startSystem({ clock });
  ledger = createTestLedger(system);
  await setRateLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000 });
});
after(async () => {
  await ledger.close();
  await system.stop();
});
afterEach(async () => {
  assert.deepEqual(await findInconsistentCoinBalances(system), []);
  assert.deepEqual(
    (await ledger.audit()).filter(({ violations }) => violations !== 0),
    [],
  );
});

type CouponBody = {
  _id: string;
  prize: { name: string; kind: string; slice: { code: string; label: string } };
  amount: number;
  state: string;
  createdAt: string;
  expiresAt: string;
};
const walletOf = async ({ id }: TestMember) => (await readBalance(ledger, id, 'WALLET')).free;
const readCoupons = async ({ token }: TestMember) =>
  (await system.api('GET /api/spinwheel/coupon', { token })).body.coupons as CouponBody[];

test('a money coupon is listed, claimed once, and then in the wallet and, linked to its prize, in the statement [R-SPIN-04] [R-STMT-02]', async () => {
  const member = await registerMember(system);
  const id = await winCoupon(system, member, moneyPrize('50.00'));
  const [listedCoupon, ...otherCoupons] = await readCoupons(member);
  assert.ok(listedCoupon && otherCoupons.length === 0);
  const { createdAt, expiresAt, ...coupon } = listedCoupon;
  const { code } = coupon.prize.slice;
  assert.deepEqual(coupon, {
    _id: id,
    prize: { name: `prize ${code} th`, kind: 'MONEY', slice: { code, label: '฿50' } },
    amount: 50,
    state: 'OPEN',
    condition: null,
  });
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 30 * DAY_MS);
  const { status, body } = await claimCoupon(system, member, id);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body, { success: true, error: null, result: { label: '฿50', kind: 'MONEY', amount: 50, coin: 0 } });
  assert.equal(await walletOf(member), '50.00');
  assert.deepEqual(await readCoupons(member), []);
  assertRefused(await claimCoupon(system, member, id), 'NO_CLAIMABLE_COUPON', 'CLAIMED');
  assert.equal(await walletOf(member), '50.00');
  const { statements } = (await system.api('POST /api/statement', { token: member.token, body: {} })).body;
  assert.equal(statements.length, 1);
  assert.equal(statements[0].amount, 50);
  assert.deepEqual([statements[0].from, statements[0].luckydraw], ['LUCKYDRAW', { description: `prize ${code} th` }]);
  assert.equal(await ledger.houseAccountBalance('cost:coupon'), -5000n);
});

test('30 concurrent claims of a coupon pay it once; a repetition after a lost reply is NO_CLAIMABLE_COUPON [R-SPIN-04]', async () => {
  for (const prize of [moneyPrize('10.00'), { kind: 'COINS', coins: 5 }] as const) {
    const member = await registerMember(system);
    const id = await winCoupon(system, member, prize);
    const replies = await Promise.all(Array.from({ length: 30 }, () => claimCoupon(system, member, id)));
    assert.equal(replies.filter(({ body }) => body.success).length, 1);
    for (const reply of replies) if (!reply.body.success) assertRefused(reply, 'NO_CLAIMABLE_COUPON', 'CLAIMED');
    assert.equal(await walletOf(member), prize.kind === 'MONEY' ? '10.00' : '0.00');
    const { body } = await system.api('GET /api/wallet', { token: member.token });
    assert.equal(body.profile.coin, prize.kind === 'COINS' ? 5 : 0);
  }
});

test('a coupon claim whose credit failed reports that the prize is on its way, and it is credited automatically, once [R-SPIN-04] [R-NET-06]', async () => {
  const prizes: Parameters<typeof winCoupon>[2][] = [moneyPrize('30.00'), { kind: 'BONUS', bonus: 'WHEEL' }];
  for (const prize of prizes) {
    const member = await registerMember(system);
    const id = await winCoupon(system, member, prize);
    const allowCredits = await refuseCredits(system);
    const reply = await claimCoupon(system, member, id);
    assertRefused(reply, 'INTERNAL_SERVER_ERROR', 'CREDIT_NOT_CONFIRMED');
    assert.equal(reply.body.error, 'INTERNAL_SERVER_ERROR');
    assertRefused(await claimCoupon(system, member, id), 'NO_CLAIMABLE_COUPON', 'CLAIMED');
    assert.equal(await walletOf(member), '0.00');
    await allowCredits();
    await system.database.query('update incentive_grant set leased_until = now() where member_id = $1', [member.id]);
    const amount = prize.kind === 'MONEY' ? '30.00' : '100.00';
    await waitUntilResult(
      'the prize',
      () => walletOf(member),
      (freeAmount) => freeAmount === amount,
    );
    const costAccount = prize.kind === 'MONEY' ? 'cost:coupon' : 'cost:bonus';
    assert.deepEqual(await readGrantedAmounts(system, member.id, costAccount), {
      times: 1,
      amount: amount.replace('.', ''),
    });
  }
});

test('coins of a coupon are reported and can be used for spins [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const id = await winCoupon(system, member, { kind: 'COINS', coins: 2 });
  const { body } = await claimCoupon(system, member, id);
  assert.deepEqual([body.success, body.result.kind, body.result.amount, body.result.coin], [true, 'COINS', 2, 2]);
  assert.equal((await spinOnce(system, member)).remainingCoin, 1);
});

test('prize money with a condition is in the wallet and blocks withdrawals; without a condition it does not [R-SPIN-04]', async () => {
  const requestWithdraw = ({ token }: TestMember) =>
    system.api('POST /api/wallet/withdraw', { token, body: { amount: 100 } });
  const member = await registerMember(system);
  await claimCoupon(
    system,
    member,
    await winCoupon(system, member, moneyPrize('500.00', { percentSuccess: 200, percentFail: 10 })),
  );
  assert.equal(await walletOf(member), '500.00');
  assertRefused(await requestWithdraw(member), 'BONUS_CONDITION');
  const freeMember = await registerMember(system);
  await claimCoupon(system, freeMember, await winCoupon(system, freeMember, moneyPrize('500.00')));
  const acceptedReply = await requestWithdraw(freeMember);
  assert.equal(acceptedReply.body.status, 'PROCESSING', JSON.stringify(acceptedReply.body));
});

test('a coupon for a bonus starts it; while another is active the coupon can be claimed later [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const { token } = member;
  const first = await winCoupon(system, member, { kind: 'BONUS', bonus: 'WHEEL' });
  await giveCoins(system, member.id, 1);
  const second = (await spinOnce(system, member)).spinId;
  const { status, body } = await claimCoupon(system, member, first);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(await walletOf(member), '100.00');
  const active = (await system.api('GET /api/bonus/check/active', { token })).body;
  assert.deepEqual([active.status, active.code, active.condition?.name], [true, 'WHEEL', 'โบนัสวงล้อ']);
  assertRefused(await claimCoupon(system, member, second), 'BONUS_ALREADY_ACTIVE');
  assert.equal((await readCoupons(member)).length, 1, 'nothing is used up');
  assert.equal((await system.api('GET /api/bonus/clear', { token })).status, 200);
  assert.equal((await claimCoupon(system, member, second)).body.success, true);
  assert.equal(await walletOf(member), '100.00', 'the first went back');
  const shownBonuses = (await system.api('GET /api/bonus', { token })).body as { code: string }[];
  assert.ok(!shownBonuses.some(({ code }) => code === 'WHEEL'), 'it is no offer');
});

test('a coupon for a missing bonus is NO_PROMOTION, and waits until the operator restores it [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const id = await winCoupon(system, member, { kind: 'BONUS', bonus: 'NO-SUCH-OFFER' });
  assertRefused(await claimCoupon(system, member, id), 'NO_PROMOTION');
  assert.equal((await readCoupons(member))[0]?._id, id);
});

test('a coupon for goods is INVALID_COUPON_TYPE and stays, because people hand them over [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const id = await winCoupon(system, member, { kind: 'GOODS' });
  assertRefused(await claimCoupon(system, member, id), 'INVALID_COUPON_TYPE', 'GOODS');
  assert.equal((await readCoupons(member)).length, 1);
});

test("malformed, huge and unknown coupon ids are INVALID_CODE, another member's coupon NO_CLAIMABLE_COUPON [R-SPIN-04] [R-NET-06]", async () => {
  const [owner, member] = [await registerMember(system), await registerMember(system)];
  const id = await winCoupon(system, owner, moneyPrize('20.00'));
  assertRefused(await claimCoupon(system, member, randomUUID()), 'INVALID_CODE', 'UNKNOWN_COUPON');
  for (const invalidId of ['x', `${id} `, id.toUpperCase(), `${id}'--`, '../../x', 'ก'.repeat(64)]) {
    assertRefused(await claimCoupon(system, member, invalidId), 'INVALID_CODE', 'MALFORMED');
  }
  for (const body of [{}, { coupon: '' }, { coupon: 7 }, { coupon: [id] }, { coupon: 'x'.repeat(65) }, '{']) {
    const reply = await system.api('POST /api/spinwheel/coupon/claim', { token: member.token, body });
    assertRefused(reply, 'INVALID_CODE', undefined, 400);
  }
  assertRefused(await claimCoupon(system, member, id), 'NO_CLAIMABLE_COUPON', 'NOT_YOURS');
  assert.equal(await walletOf(member), '0.00');
  assert.equal((await claimCoupon(system, owner, id)).body.success, true);
});

test('a coupon whose slice is missing in its wheel version is INVALID_PRIZE_CODE [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const id = await winCoupon(system, member, moneyPrize('20.00'));
  await system.database.query(`update spinwheel_coupon set slice_code = 'GONE' where id = $1`, [id]);
  assertRefused(await claimCoupon(system, member, id), 'INVALID_PRIZE_CODE');
  const [shownCoupon] = await readCoupons(member);
  assert.deepEqual(shownCoupon?.prize.slice, { code: 'GONE', label: 'GONE' });
  await system.database.query(
    `update spinwheel_coupon set slice_code = 'A', kind = 'COINS', amount = 1000000 where id = $1`,
    [id],
  );
  assertRefused(await claimCoupon(system, member, id), 'INVALID_PRIZE_CODE');
});

test('a prize stays won with its amount after the wheel has changed [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const id = await winCoupon(system, member, moneyPrize('30.00'));
  await publishTestWheel(system, singlePrizeWheel(moneyPrize('1.00')));
  assert.deepEqual((await claimCoupon(system, member, id)).body.result.amount, 30);
  assert.equal(await walletOf(member), '30.00');
});

test('a coupon for money, coins or a bonus is NO_WALLET while the wallet is closed, and can be claimed once it is open [R-NET-06]', async () => {
  const prizes: Parameters<typeof winCoupon>[2][] = [
    moneyPrize('20.00'),
    { kind: 'COINS', coins: 5 },
    { kind: 'BONUS', bonus: 'WHEEL' },
  ];
  for (const prize of prizes) {
    const member = await registerMember(system);
    const coupon = await winCoupon(system, member, prize);
    await closeWallet(system, member);
    assertRefused(await claimCoupon(system, member, coupon), 'NO_WALLET', 'SUSPENDED');
    assert.equal(await walletOf(member), '0.00');
    const { rows } = await system.database.query<{ coins: bigint | null }>(
      'select sum(coins)::bigint as coins from spinwheel_coin_movement where member_id = $1 and source = $2',
      [member.id, `coupon:${coupon}`],
    );
    assert.equal(rows[0]?.coins ?? null, null);
    await system.database.query('delete from wallet_suspension where member_id = $1', [member.id]);
    assert.equal((await claimCoupon(system, member, coupon)).status, 200);
  }
});

test('an expired coupon is not listed and is COUPON_EXPIRED; with a closed wallet NO_WALLET [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const [lateCoupon, openCoupon] = [
    await winCoupon(system, member, moneyPrize('20.00')),
    await winCoupon(system, member, moneyPrize('20.00')),
  ];
  const goodsCoupon = await winCoupon(system, member, { kind: 'GOODS' });
  await system.database.query(`update spinwheel_coupon set expires_at = now() + interval '31 days' where id = $1`, [
    openCoupon,
  ]);
  await closeWallet(system, member);
  assertRefused(await claimCoupon(system, member, openCoupon), 'NO_WALLET', 'SUSPENDED');
  await system.database.query('delete from wallet_suspension where member_id = $1', [member.id]);
  clock.advance(30 * DAY_MS);
  const token = (await system.api('POST /api/login', { body: { username: member.phone, password: member.password } }))
    .body.token as string;
  const laterMember = { ...member, token };
  assertRefused(await claimCoupon(system, laterMember, lateCoupon), 'COUPON_EXPIRED');
  assert.deepEqual(
    (await readCoupons(laterMember)).map(({ _id }) => _id),
    [openCoupon],
  );
  assertRefused(await claimCoupon(system, laterMember, lateCoupon), 'COUPON_EXPIRED');
  assertRefused(await claimCoupon(system, laterMember, goodsCoupon), 'COUPON_EXPIRED');
  assert.deepEqual(
    (await openGoodsCoupons(system.database)).filter(({ memberId }) => memberId === member.id).map(({ id }) => id),
    [goodsCoupon],
    'people decide about goods, late or not',
  );
  assert.equal((await claimCoupon(system, laterMember, openCoupon)).body.success, true);
  assert.equal(await walletOf(member), '20.00');
});

test('too many claims are REQUEST_LIMIT, also in the result format; a repeated claim is not counted [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const coupon = await winCoupon(system, member, moneyPrize('20.00'));
  await setRateLimits(system, { 'coupon.member': 1 });
  assert.equal((await claimCoupon(system, member, coupon)).body.success, true);
  const claimAgain = async (): Promise<void> =>
    assertRefused(await claimCoupon(system, member, coupon), 'NO_CLAIMABLE_COUPON', 'CLAIMED');
  for (let attempt = 0; attempt < 3; attempt += 1) await claimAgain();
  const reply = await claimCoupon(system, member, randomUUID());
  await claimAgain();
  await setRateLimits(system, { 'coupon.member': 100_000 });
  assertRefused(reply, 'REQUEST_LIMIT');
  assert.equal(reply.body.error, 'REQUEST_LIMIT');
});
