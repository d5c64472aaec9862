import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { waitingGoods } from '../../src/modules/spinwheel/index.ts';
import { eventually } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, ledgerOf } from '../harness/money.ts';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { closeWallet, setLimits } from '../harness/operator.ts';
import { givenTo, refuseCredits } from '../harness/playing.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { brokenPurses, claim, giveCoins, money, onlyWheel, publish, spinOnce, win } from './wheel-world.ts';

const DAY_MS = 86_400_000;

let system: System;
let ledger: Ledger;
let clock: MovableClock;
before(async () => {
  clock = movableClock();
  system = await startSystem({ clock });
  ledger = ledgerOf(system);
  await setLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000 });
});
after(async () => {
  await ledger.close();
  await system.stop();
});
afterEach(async () => {
  assert.deepEqual(await brokenPurses(system), []);
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
const walletOf = async ({ id }: TestMember) => (await balanceOf(ledger, id, 'WALLET')).free;
const couponsOf = async ({ token }: TestMember) =>
  (await system.api('GET /api/spinwheel/coupon', { token })).body.coupons as CouponBody[];

test('a coupon for money is listed, claimed once, and is then in the wallet and, linked to its prize, in the statement [R-SPIN-04] [R-STMT-02]', async () => {
  const member = await registerMember(system);
  const id = await win(system, member, money('50.00'));
  const [listed, ...more] = await couponsOf(member);
  assert.ok(listed && more.length === 0);
  const { createdAt, expiresAt, ...coupon } = listed;
  const { code } = coupon.prize.slice;
  assert.deepEqual(coupon, {
    _id: id,
    prize: { name: `prize ${code} th`, kind: 'MONEY', slice: { code, label: '฿50' } },
    amount: 50,
    state: 'OPEN',
    condition: null,
  });
  assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 30 * DAY_MS);
  const { status, body } = await claim(system, member, id);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body, { success: true, error: null, result: { label: '฿50', kind: 'MONEY', amount: 50, coin: 0 } });
  assert.equal(await walletOf(member), '50.00');
  assert.deepEqual(await couponsOf(member), []);
  assertRefused(await claim(system, member, id), 'NO_CLAIMABLE_COUPON', 'CLAIMED');
  assert.equal(await walletOf(member), '50.00');
  const { statements } = (await system.api('POST /api/statement', { token: member.token, body: {} })).body;
  assert.equal(statements.length, 1);
  assert.equal(statements[0].amount, 50);
  assert.deepEqual([statements[0].from, statements[0].luckydraw], ['LUCKYDRAW', { description: `prize ${code} th` }]);
  assert.equal(await ledger.houseBalance('cost:coupon'), -5000n);
});

test('30 claims of one coupon at once pay it once; a repetition after a lost answer finds the money and NO_CLAIMABLE_COUPON [R-SPIN-04]', async () => {
  for (const prize of [money('10.00'), { kind: 'COINS', coins: 5 }] as const) {
    const member = await registerMember(system);
    const id = await win(system, member, prize);
    const replies = await Promise.all(Array.from({ length: 30 }, () => claim(system, member, id)));
    assert.equal(replies.filter(({ body }) => body.success).length, 1);
    for (const reply of replies) if (!reply.body.success) assertRefused(reply, 'NO_CLAIMABLE_COUPON', 'CLAIMED');
    assert.equal(await walletOf(member), prize.kind === 'MONEY' ? '10.00' : '0.00');
    const { body } = await system.api('GET /api/wallet', { token: member.token });
    assert.equal(body.profile.coin, prize.kind === 'COINS' ? 5 : 0);
  }
});

test('a claim whose credit did not go through says that the prize is on its way; it comes by itself, once [R-SPIN-04] [R-NET-06]', async () => {
  const prizes: Parameters<typeof win>[2][] = [money('30.00'), { kind: 'BONUS', bonus: 'WHEEL' }];
  for (const prize of prizes) {
    const member = await registerMember(system);
    const id = await win(system, member, prize);
    const allow = await refuseCredits(system);
    const reply = await claim(system, member, id);
    assertRefused(reply, 'INTERNAL_SERVER_ERROR', 'CREDIT_NOT_CONFIRMED');
    assert.equal(reply.body.error, 'INTERNAL_SERVER_ERROR');
    assertRefused(await claim(system, member, id), 'NO_CLAIMABLE_COUPON', 'CLAIMED');
    assert.equal(await walletOf(member), '0.00');
    await allow();
    await system.database.query('update incentive_grant set leased_until = now() where member_id = $1', [member.id]);
    const amount = prize.kind === 'MONEY' ? '30.00' : '100.00';
    await eventually(
      'the prize',
      () => walletOf(member),
      (free) => free === amount,
    );
    const house = prize.kind === 'MONEY' ? 'cost:coupon' : 'cost:bonus';
    assert.deepEqual(await givenTo(system, member.id, house), { times: 1, amount: amount.replace('.', '') });
  }
});

test('coins of a coupon are reported and can be spun with [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const id = await win(system, member, { kind: 'COINS', coins: 2 });
  const { body } = await claim(system, member, id);
  assert.deepEqual([body.success, body.result.kind, body.result.amount, body.result.coin], [true, 'COINS', 2, 2]);
  assert.equal((await spinOnce(system, member)).remainingCoin, 1);
});

test('money with a condition is in the wallet, and withdrawals wait for it; without one they don’t [R-SPIN-04]', async () => {
  const withdraw = ({ token }: TestMember) => system.api('POST /api/wallet/withdraw', { token, body: { amount: 100 } });
  const member = await registerMember(system);
  await claim(system, member, await win(system, member, money('500.00', { percentSuccess: 200, percentFail: 10 })));
  assert.equal(await walletOf(member), '500.00');
  assertRefused(await withdraw(member), 'BONUS_CONDITION');
  const free = await registerMember(system);
  await claim(system, free, await win(system, free, money('500.00')));
  const accepted = await withdraw(free);
  assert.equal(accepted.body.status, 'PROCESSING', JSON.stringify(accepted.body));
});

test('a coupon for a bonus starts it; while one is active it stays claimable [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const { token } = member;
  const first = await win(system, member, { kind: 'BONUS', bonus: 'WHEEL' });
  await giveCoins(system, member.id, 1);
  const second = (await spinOnce(system, member)).spinId;
  const { status, body } = await claim(system, member, first);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(await walletOf(member), '100.00');
  const active = (await system.api('GET /api/bonus/check/active', { token })).body;
  assert.deepEqual([active.status, active.code, active.condition?.name], [true, 'WHEEL', 'โบนัสวงล้อ']);
  assertRefused(await claim(system, member, second), 'BONUS_ALREADY_ACTIVE');
  assert.equal((await couponsOf(member)).length, 1, 'nothing is used up');
  assert.equal((await system.api('GET /api/bonus/clear', { token })).status, 200);
  assert.equal((await claim(system, member, second)).body.success, true);
  assert.equal(await walletOf(member), '100.00', 'the first went back');
  const shown = (await system.api('GET /api/bonus', { token })).body as { code: string }[];
  assert.ok(!shown.some(({ code }) => code === 'WHEEL'), 'it is no offer');
});

test('a bonus that there is not is NO_PROMOTION, and the coupon waits for the operator to put it right [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const id = await win(system, member, { kind: 'BONUS', bonus: 'NO-SUCH-OFFER' });
  assertRefused(await claim(system, member, id), 'NO_PROMOTION');
  assert.equal((await couponsOf(member))[0]?._id, id);
});

test('goods are handed over by people: INVALID_COUPON_TYPE, and the coupon stays [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const id = await win(system, member, { kind: 'GOODS' });
  assertRefused(await claim(system, member, id), 'INVALID_COUPON_TYPE', 'GOODS');
  assert.equal((await couponsOf(member)).length, 1);
});

test('malformed, huge and unknown ids are INVALID_CODE, another member’s coupon NO_CLAIMABLE_COUPON [R-SPIN-04] [R-NET-06]', async () => {
  const [owner, member] = [await registerMember(system), await registerMember(system)];
  const id = await win(system, owner, money('20.00'));
  assertRefused(await claim(system, member, randomUUID()), 'INVALID_CODE', 'UNKNOWN_COUPON');
  for (const broken of ['x', `${id} `, id.toUpperCase(), `${id}'--`, '../../x', 'ก'.repeat(64)]) {
    assertRefused(await claim(system, member, broken), 'INVALID_CODE', 'MALFORMED');
  }
  for (const body of [{}, { coupon: '' }, { coupon: 7 }, { coupon: [id] }, { coupon: 'x'.repeat(65) }, '{']) {
    const reply = await system.api('POST /api/spinwheel/coupon/claim', { token: member.token, body });
    assertRefused(reply, 'INVALID_CODE', undefined, 400);
  }
  assertRefused(await claim(system, member, id), 'NO_CLAIMABLE_COUPON', 'NOT_YOURS');
  assert.equal(await walletOf(member), '0.00');
  assert.equal((await claim(system, owner, id)).body.success, true);
});

test('a coupon whose slice is not on the version that it was won on is INVALID_PRIZE_CODE [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const id = await win(system, member, money('20.00'));
  await system.database.query(`update spinwheel_coupon set slice_code = 'GONE' where id = $1`, [id]);
  assertRefused(await claim(system, member, id), 'INVALID_PRIZE_CODE');
  const [shown] = await couponsOf(member);
  assert.deepEqual(shown?.prize.slice, { code: 'GONE', label: 'GONE' });
  await system.database.query(
    `update spinwheel_coupon set slice_code = 'A', kind = 'COINS', amount = 1000000 where id = $1`,
    [id],
  );
  assertRefused(await claim(system, member, id), 'INVALID_PRIZE_CODE');
});

test('what was won stays won on another wheel, with the amount of its own [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const id = await win(system, member, money('30.00'));
  await publish(system, onlyWheel(money('1.00')));
  assert.deepEqual((await claim(system, member, id)).body.result.amount, 30);
  assert.equal(await walletOf(member), '30.00');
});

test('past its time a coupon is listed no more and COUPON_EXPIRED; a closed wallet is NO_WALLET [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  const [late, open] = [await win(system, member, money('20.00')), await win(system, member, money('20.00'))];
  const goods = await win(system, member, { kind: 'GOODS' });
  await system.database.query(`update spinwheel_coupon set expires_at = now() + interval '31 days' where id = $1`, [
    open,
  ]);
  await closeWallet(system, member);
  assertRefused(await claim(system, member, open), 'NO_WALLET', 'SUSPENDED');
  await system.database.query('delete from wallet_suspension where member_id = $1', [member.id]);
  clock.advance(30 * DAY_MS);
  const token = (await system.api('POST /api/login', { body: { username: member.phone, password: member.password } }))
    .body.token as string;
  const later = { ...member, token };
  assertRefused(await claim(system, later, late), 'COUPON_EXPIRED');
  assert.deepEqual(
    (await couponsOf(later)).map(({ _id }) => _id),
    [open],
  );
  assertRefused(await claim(system, later, late), 'COUPON_EXPIRED');
  assertRefused(await claim(system, later, goods), 'COUPON_EXPIRED');
  assert.deepEqual(
    (await waitingGoods(system.database)).filter(({ memberId }) => memberId === member.id).map(({ id }) => id),
    [goods],
    'people decide about goods, late or not',
  );
  assert.equal((await claim(system, later, open)).body.success, true);
  assert.equal(await walletOf(member), '20.00');
});

test('too many claims are REQUEST_LIMIT, and the answer is a result too; a repeated claim is not counted [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const coupon = await win(system, member, money('20.00'));
  await setLimits(system, { 'coupon.member': 1 });
  assert.equal((await claim(system, member, coupon)).body.success, true);
  const again = async (): Promise<void> =>
    assertRefused(await claim(system, member, coupon), 'NO_CLAIMABLE_COUPON', 'CLAIMED');
  for (let repeated = 0; repeated < 3; repeated += 1) await again();
  const reply = await claim(system, member, randomUUID());
  await again();
  await setLimits(system, { 'coupon.member': 100_000 });
  assertRefused(reply, 'REQUEST_LIMIT');
  assert.equal(reply.body.error, 'REQUEST_LIMIT');
});
