import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { registerMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import { aWhile, assertBooksAgree, customer, fault, letTimePass, rowOf, until } from './qr-world.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());
afterEach(async () => {
  await system.world('DELETE /control/faults');
  await assertBooksAgree(system);
});

const newCustomer = async () => customer(system, await registerMember(system));

test('another member’s code can’t be seen, cancelled or changed [R-ROLE-01]', async () => {
  const [owner, stranger] = [await newCustomer(), await newCustomer()];
  const { body: made } = await owner.create(100);
  assert.equal((await stranger.current()).body.hasQrcode, false);
  const { status, body } = await stranger.cancel(made.qrcodeId);
  assert.deepEqual([status, body], [403, { message: 'INVALID_USER_3' }]);
  assert.deepEqual((await owner.current()).body, made);
});

test('an id that nobody has, or that is no id, is NO_DATA', async () => {
  const who = await newCustomer();
  for (const id of ['019a0000-0000-7000-8000-000000000001', 'x', "' or 1=1", '019a0000']) {
    const { status, body } = await who.cancel(id);
    assert.deepEqual([status, body.message], [404, 'NO_DATA'], id);
  }
});

test('cancelling what is paid already says so and credits [R-QR-07]', async () => {
  const who = await newCustomer();
  const { body: made } = await who.create(100);
  await fault(system, { fault: 'callback-late', delayMs: 3_600_000 });
  assert.equal((await who.pay(made.payload)).status, 200);
  const { status, body } = await who.cancel(made.qrcodeId);
  assert.deepEqual([status, body], [502, { message: 'QR_FAIL', detail: 'QR_PAID' }]);
  assert.deepEqual(await who.deposits(), [100]);
  assert.deepEqual((await who.cancel(made.qrcodeId)).body, { message: 'QR_FAIL', detail: 'QR_PAID' });
  await letTimePass(system);
  await aWhile();
  assert.deepEqual(await who.deposits(), [100]);
});

test('cancelling what has expired says so', async () => {
  const who = await newCustomer();
  const { body: made } = await who.create(100);
  await system.world('POST /control/expire-qr', {
    body: { reference1: (await rowOf(system, made.qrcodeId)).reference },
  });
  const expected = { message: 'QR_FAIL', detail: 'QR_EXPIRED' };
  assert.deepEqual((await who.cancel(made.qrcodeId)).body, expected);
  assert.equal((await rowOf(system, made.qrcodeId)).state, 'EXPIRED');
  assert.deepEqual((await who.cancel(made.qrcodeId)).body, expected);
  // The next one is a new one.
  assert.notEqual((await who.create(100)).body.qrcodeId, made.qrcodeId);
});

test('a gateway that doesn’t answer the cancel leaves the code live until it tells', async () => {
  const who = await newCustomer();
  const { body: made } = await who.create(100);
  await fault(system, { fault: 'error-500', call: 'qr_cancel', applied: true });
  const { status, body } = await who.cancel(made.qrcodeId);
  assert.deepEqual([status, body], [502, { message: 'QR_FAIL', detail: 'GATEWAY_UNKNOWN' }]);
  await until(
    () => rowOf(system, made.qrcodeId),
    (row) => row.state === 'CANCELLED',
    'cancelled',
  );
  assert.equal((await who.current()).body.hasQrcode, false);

  const { body: second } = await who.create(100);
  await fault(system, { fault: 'timeout-lost', call: 'qr_cancel' });
  assert.equal((await who.cancel(second.qrcodeId)).status, 502);
  await aWhile();
  assert.deepEqual((await who.current()).body, second);
});

test('of a payment and a cancel at the same moment money is never lost [R-QR-07]', async () => {
  for (let round = 0; round < 5; round += 1) {
    const who = await newCustomer();
    const { body: made } = await who.create(100);
    const [paid, cancelled] = await Promise.all([who.pay(made.payload), who.cancel(made.qrcodeId)]);
    // Exactly one of the two happened, and each side was told which.
    assert.equal(paid.status === 200, cancelled.status !== 200);
    const expected = paid.status === 200 ? [100] : [];
    await until(who.deposits, (seen) => seen.length === expected.length, `deposits ${expected.join()}`);
    await until(
      () => rowOf(system, made.qrcodeId),
      ({ state }) => state === (paid.status === 200 ? 'PAID' : 'CANCELLED'),
      'state',
    );
  }
});
