import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { registerMember } from '../../harness/members.ts';
import type { System } from '../../harness/system.ts';
import { startForGateways } from './gateways/at-gateway.ts';
import { assertBooksAgree, qrCustomer, readQrcodeRow } from './qr-fixtures.ts';

let system: System;
before(async () => {
  system = await startForGateways({ variant: 'th' });
});
after(() => system.stop());
afterEach(async () => {
  await system.simulatorsApi('DELETE /control/faults');
  await assertBooksAgree(system);
});

const newCustomer = async () => qrCustomer(system, await registerMember(system));

test("another member's code cannot be seen, cancelled or changed [R-ROLE-01] [R-NET-06]", async () => {
  const [owner, otherCustomer] = [await newCustomer(), await newCustomer()];
  const { body: createdCode } = await owner.create(100);
  assert.equal((await otherCustomer.current()).body.hasQrcode, false);
  const { status, body } = await otherCustomer.cancel(createdCode.qrcodeId);
  assert.deepEqual([status, body], [403, { message: 'INVALID_USER_3' }]);
  assert.deepEqual((await owner.current()).body, createdCode);
});

test('an unknown or invalid id of a code is NO_DATA [R-NET-06]', async () => {
  const customer = await newCustomer();
  for (const id of ['019a0000-0000-7000-8000-000000000001', 'x', "' or 1=1", '019a0000']) {
    const { status, body } = await customer.cancel(id);
    assert.deepEqual([status, body.message], [404, 'NO_DATA'], id);
  }
});

test('cancelling an expired code is refused with QR_EXPIRED', async () => {
  const customer = await newCustomer();
  const { body: createdCode } = await customer.create(100);
  await system.simulatorsApi('POST /control/expire-qr', {
    body: { reference1: (await readQrcodeRow(system, createdCode.qrcodeId)).reference },
  });
  const expected = { message: 'QR_FAIL', detail: 'QR_EXPIRED' };
  assert.deepEqual((await customer.cancel(createdCode.qrcodeId)).body, expected);
  assert.equal((await readQrcodeRow(system, createdCode.qrcodeId)).state, 'EXPIRED');
  assert.deepEqual((await customer.cancel(createdCode.qrcodeId)).body, expected);
  // The next request gets a new code.
  assert.notEqual((await customer.create(100)).body.qrcodeId, createdCode.qrcodeId);
});
