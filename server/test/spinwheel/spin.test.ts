import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertRefused } from '../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { setRateLimits, setSettings } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  findInconsistentCoinBalances,
  giveCoins,
  moneyPrize,
  singlePrizeWheel,
  publishTestWheel,
  DEFAULT_WHEEL_SETTING,
  wheelSlice,
  spinWheel,
  spinOnce,
  wheelFileOf,
} from './wheel-fixtures.ts';

let system: System;
before(async () => {
  system = await startSystem({ simulators: true });
  await setRateLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000, 'spin-seed.member': 100_000 });
});
after(() => system.stop());
afterEach(async () => assert.deepEqual(await findInconsistentCoinBalances(system), []));

const readSetup = async ({ token }: TestMember) =>
  (await system.api('GET /api/spinwheel/setup', { token })).body.result;
const readCoinBalance = async ({ token }: TestMember) =>
  (await system.api('GET /api/wallet', { token })).body.profile.coin as number;

test("the seeded wheel is shown with its odds, in the member's language [R-SPIN-04]", async () => {
  const member = await registerMember(system);
  const shownSetup = await readSetup(member);
  assert.equal(shownSetup.activeSpinwheel.name, 'วงล้อกระเป๋าทอง');
  assert.equal(shownSetup.activeSpinwheel.sliceList.length, 8);
  assert.equal(shownSetup.activeSpinwheel.sliceList[0].label, '฿20');
  assert.equal(shownSetup.userCoin, 0);
  assert.equal(shownSetup.coinPer, 300);
  assert.match(shownSetup.fairness.commitment, /^[0-9a-f]{64}$/);
  assert.match(shownSetup.fairness.nextCommitment, /^[0-9a-f]{64}$/);
  assert.equal(shownSetup.fairness.nonce, 0);
  assert.deepEqual(await readSetup(member), shownSetup, 'looking changes nothing');
  const englishOptions = { token: member.token, headers: { cookie: 'language=EN' } };
  const { body } = await system.api('GET /api/spinwheel/setup', englishOptions);
  assert.equal(body.result.activeSpinwheel.name, 'The Golden Wallet Wheel');
});

test('a spin costs one coin and returns what was drawn; without coins it is refused [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await publishTestWheel(
    system,
    wheelFileOf(wheelSlice('WIN', 1, moneyPrize('20.00')), wheelSlice('NONE', 1, { kind: 'NONE' })),
  );
  assert.deepEqual((await spinWheel(system, member)).body, { success: false, error: 'NO_COIN', result: null });
  await giveCoins(system, member.id, 20);
  for (let coinsLeft = 19; coinsLeft >= 0; coinsLeft -= 1) {
    const result = await spinOnce(system, member);
    assert.equal(result.remainingCoin, coinsLeft);
    assert.equal(result.hasPrize, result.code === 'WIN');
    assert.equal(result.nonce, 19 - coinsLeft);
  }
  assert.deepEqual((await spinWheel(system, member)).body, { success: false, error: 'NO_COIN', result: null });
  assert.equal(await readCoinBalance(member), 0);
});

test('30 concurrent spins with one coin are one spin [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 1);
  const replies = await Promise.all(Array.from({ length: 30 }, () => spinWheel(system, member)));
  const madeSpins = replies.filter(({ body }) => body.success);
  assert.equal(madeSpins.length, 1);
  for (const { status, body } of replies) {
    assert.equal(status, 200);
    if (!body.success) assert.ok(['NO_COIN', 'SPIN_BUSY'].includes(body.error), body.error);
  }
  assert.equal(await readCoinBalance(member), 0);
});

test('one key is one spin permanently, concurrently, later and after a change of wheel; keys of members are independent [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await publishTestWheel(system, singlePrizeWheel(moneyPrize('20.00')));
  await giveCoins(system, member.id, 3);
  const replies = await Promise.all(Array.from({ length: 10 }, () => spinWheel(system, member, 'key-of-one-spin')));
  const [first] = replies;
  for (const { body } of replies) assert.deepEqual(body, first?.body);
  assert.equal(first?.body.success, true);
  await publishTestWheel(system, singlePrizeWheel({ kind: 'NONE' }));
  await setSettings(system, { spinwheel: { ...DEFAULT_WHEEL_SETTING, isActive: false } });
  assert.deepEqual((await spinWheel(system, member, 'key-of-one-spin')).body, first?.body);
  await setSettings(system, { spinwheel: DEFAULT_WHEEL_SETTING });
  assert.equal(await readCoinBalance(member), 2);
  const otherMember = await registerMember(system);
  assert.equal((await spinWheel(system, otherMember, 'key-of-one-spin')).body.error, 'NO_COIN');
  for (const key of ['short', 'with blanks in it', 'x'.repeat(129)]) {
    assertRefused(await spinWheel(system, member, key), 'NO_DATA', 'IDEMPOTENCY_KEY', 400);
  }
});

test('a closed wheel refuses spins and keeps the coins [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const { token } = member;
  const isOpen = async () => (await system.api('GET /api/spinwheel/active', { token })).body;
  await giveCoins(system, member.id, 1);
  assert.deepEqual(await isOpen(), { isActive: true });
  await setSettings(system, { spinwheel: { ...DEFAULT_WHEEL_SETTING, isActive: false } });
  assert.deepEqual(await isOpen(), { isActive: false });
  assert.deepEqual((await spinWheel(system, member)).body, { success: false, error: 'SPIN_INACTIVE', result: null });
  assert.equal((await readSetup(member)).userCoin, 1, 'the wheel can be looked at');
  await setSettings(system, { spinwheel: DEFAULT_WHEEL_SETTING });
  await system.database.query('update spinwheel_version set is_active = false');
  assert.deepEqual(await isOpen(), { isActive: false }, 'without a wheel none is open');
  assert.equal((await spinWheel(system, member)).body.error, 'SPIN_INACTIVE');
  assertRefused(await system.api('GET /api/spinwheel/setup', { token }), 'NO_DATA', 'NO_WHEEL');
  await publishTestWheel(system, singlePrizeWheel({ kind: 'NONE' }));
  assert.deepEqual(await isOpen(), { isActive: true });
  assert.equal((await spinOnce(system, member)).remainingCoin, 0);
  assertRefused(await system.api('GET /api/spinwheel/active'), 'UNAUTHORIZED');
});

test('too many spins a minute are REQUEST_LIMIT, also in the result format, and cost nothing; a repeated key is not counted [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 5);
  await setRateLimits(system, { 'spin.member': 2 });
  await spinWheel(system, member);
  const repeatedSpin = await spinWheel(system, member, 'spin-kept');
  for (let attempt = 0; attempt < 3; attempt += 1)
    assert.deepEqual((await spinWheel(system, member, 'spin-kept')).body, repeatedSpin.body);
  const limitedReply = await spinWheel(system, member);
  assert.deepEqual((await spinWheel(system, member, 'spin-kept')).body, repeatedSpin.body, 'replayed past the limit');
  await setRateLimits(system, { 'spin.member': 100_000 });
  assertRefused(limitedReply, 'REQUEST_LIMIT');
  assert.deepEqual([limitedReply.body.success, limitedReply.body.error], [false, 'REQUEST_LIMIT']);
  assert.ok(Number(limitedReply.headers.get('retry-after')) > 0);
  assert.equal(await readCoinBalance(member), 3);
});
