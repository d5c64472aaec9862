import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { registerMember, type TestMember } from '../harness/members.ts';
import { setLimits, setSettings } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  brokenPurses,
  giveCoins,
  money,
  onlyWheel,
  publish,
  SETTING,
  sliceOf,
  spin,
  spinOnce,
  wheelOf,
} from './wheel-world.ts';

let system: System;
before(async () => {
  system = await startSystem({ simulators: true });
  await setLimits(system, { 'spin.member': 100_000, 'coupon.member': 100_000, 'spin-seed.member': 100_000 });
});
after(() => system.stop());
afterEach(async () => assert.deepEqual(await brokenPurses(system), []));

const setup = async ({ token }: TestMember) => (await system.api('GET /api/spinwheel/setup', { token })).body.result;
const coinsOf = async ({ token }: TestMember) =>
  (await system.api('GET /api/wallet', { token })).body.profile.coin as number;

test('the wheel of the first start is shown with its odds, in the language of the member [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const shown = await setup(member);
  assert.equal(shown.activeSpinwheel.name, 'วงล้อกระเป๋าทอง');
  assert.equal(shown.activeSpinwheel.sliceList.length, 8);
  assert.equal(shown.activeSpinwheel.sliceList[0].label, '฿20');
  assert.equal(shown.userCoin, 0);
  assert.equal(shown.coinPer, 300);
  assert.match(shown.fairness.commitment, /^[0-9a-f]{64}$/);
  assert.match(shown.fairness.nextCommitment, /^[0-9a-f]{64}$/);
  assert.equal(shown.fairness.nonce, 0);
  assert.deepEqual(await setup(member), shown, 'looking changes nothing');
  const inEnglish = { token: member.token, headers: { cookie: 'language=EN' } };
  const { body } = await system.api('GET /api/spinwheel/setup', inEnglish);
  assert.equal(body.result.activeSpinwheel.name, 'The Golden Wallet Wheel');
});

test('a spin takes one coin and returns what was drawn; without coins none is made [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await publish(system, wheelOf(sliceOf('WIN', 1, money('20.00')), sliceOf('NONE', 1, { kind: 'NONE' })));
  assert.deepEqual((await spin(system, member)).body, { success: false, error: 'NO_COIN', result: null });
  await giveCoins(system, member.id, 20);
  for (let left = 19; left >= 0; left -= 1) {
    const result = await spinOnce(system, member);
    assert.equal(result.remainingCoin, left);
    assert.equal(result.hasPrize, result.code === 'WIN');
    assert.equal(result.nonce, 19 - left);
  }
  assert.deepEqual((await spin(system, member)).body, { success: false, error: 'NO_COIN', result: null });
  assert.equal(await coinsOf(member), 0);
});

test('30 spins at once with one coin are one spin [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 1);
  const replies = await Promise.all(Array.from({ length: 30 }, () => spin(system, member)));
  const made = replies.filter(({ body }) => body.success);
  assert.equal(made.length, 1);
  for (const { status, body } of replies) {
    assert.equal(status, 200);
    if (!body.success) assert.ok(['NO_COIN', 'SPIN_BUSY'].includes(body.error), body.error);
  }
  assert.equal(await coinsOf(member), 0);
});

test('the same key is the same spin for good, at once and later, on another wheel too; another member’s is theirs [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await publish(system, onlyWheel(money('20.00')));
  await giveCoins(system, member.id, 3);
  const replies = await Promise.all(Array.from({ length: 10 }, () => spin(system, member, 'key-of-one-spin')));
  const [first] = replies;
  for (const { body } of replies) assert.deepEqual(body, first?.body);
  assert.equal(first?.body.success, true);
  await publish(system, onlyWheel({ kind: 'NONE' }));
  await setSettings(system, { spinwheel: { ...SETTING, isActive: false } });
  assert.deepEqual((await spin(system, member, 'key-of-one-spin')).body, first?.body);
  await setSettings(system, { spinwheel: SETTING });
  assert.equal(await coinsOf(member), 2);
  const other = await registerMember(system);
  assert.equal((await spin(system, other, 'key-of-one-spin')).body.error, 'NO_COIN');
  for (const key of ['short', 'with blanks in it', 'x'.repeat(129)]) {
    assertRefused(await spin(system, member, key), 'NO_DATA', 'IDEMPOTENCY_KEY', 400);
  }
});

test('a closed wheel refuses spins and keeps the coins [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const { token } = member;
  const isOpen = async () => (await system.api('GET /api/spinwheel/active', { token })).body;
  await giveCoins(system, member.id, 1);
  assert.deepEqual(await isOpen(), { isActive: true });
  await setSettings(system, { spinwheel: { ...SETTING, isActive: false } });
  assert.deepEqual(await isOpen(), { isActive: false });
  assert.deepEqual((await spin(system, member)).body, { success: false, error: 'SPIN_INACTIVE', result: null });
  assert.equal((await setup(member)).userCoin, 1, 'the wheel can be looked at');
  await setSettings(system, { spinwheel: SETTING });
  await system.database.query('update spinwheel_version set is_active = false');
  assert.deepEqual(await isOpen(), { isActive: false }, 'without a wheel none is open');
  assert.equal((await spin(system, member)).body.error, 'SPIN_INACTIVE');
  assertRefused(await system.api('GET /api/spinwheel/setup', { token }), 'NO_DATA', 'NO_WHEEL');
  await publish(system, onlyWheel({ kind: 'NONE' }));
  assert.deepEqual(await isOpen(), { isActive: true });
  assert.equal((await spinOnce(system, member)).remainingCoin, 0);
  assertRefused(await system.api('GET /api/spinwheel/active'), 'UNAUTHORIZED');
});

test('too many spins in a minute are REQUEST_LIMIT, in the result too, and cost nothing; a repeated key is not counted [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 5);
  await setLimits(system, { 'spin.member': 2 });
  await spin(system, member);
  const kept = await spin(system, member, 'spin-kept');
  for (let again = 0; again < 3; again += 1)
    assert.deepEqual((await spin(system, member, 'spin-kept')).body, kept.body);
  const limited = await spin(system, member);
  assert.deepEqual((await spin(system, member, 'spin-kept')).body, kept.body, 'replayed past the limit');
  await setLimits(system, { 'spin.member': 100_000 });
  assertRefused(limited, 'REQUEST_LIMIT');
  assert.deepEqual([limited.body.success, limited.body.error], [false, 'REQUEST_LIMIT']);
  assert.ok(Number(limited.headers.get('retry-after')) > 0);
  assert.equal(await coinsOf(member), 3);
});
