import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { registerMember } from '../../harness/members.ts';
import { waitForSettingsReload } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { startForGateways } from './gateways/at-gateway.ts';
import {
  assertBooksAgree,
  qrCustomer,
  triggerInquiry,
  CODE_NOT_CREATED,
  readQrcodeRow,
  waitUntil,
} from './qr-fixtures.ts';

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
const NO_CODE = { ...CODE_NOT_CREATED, message: null };

/** Number of codes requested from the gateway. */
async function countGatewayRequests(): Promise<number> {
  const { body } = await system.simulatorsApi('GET /control/calls?target=kbank&call=qr_request&limit=1000');
  return body.length;
}

test('a member without a code gets none; a live code is returned until it is cancelled', async () => {
  const customer = await newCustomer();
  assert.deepEqual((await customer.current()).body, NO_CODE);
  const createdCode = (await customer.create(60)).body;
  assert.deepEqual((await customer.current()).body, createdCode);
  assert.equal((await customer.cancel(createdCode.qrcodeId)).status, 200);
  assert.deepEqual((await customer.current()).body, NO_CODE);
  assert.equal((await customer.cancel(createdCode.qrcodeId)).status, 200);
});

test('a member has one live code: the same amount returns it, another amount is refused', async () => {
  const customer = await newCustomer();
  const createdCode = (await customer.create(60)).body;
  assert.deepEqual((await customer.create(60)).body, createdCode);
  const otherReply = await customer.create(61);
  assert.deepEqual([otherReply.status, otherReply.body], [409, { message: 'QR_FAIL', detail: 'QR_LIVE' }]);
});

test('twenty concurrent requests create one code at the gateway', async () => {
  const customer = await newCustomer();
  const before = await countGatewayRequests();
  const replies = await Promise.all(Array.from({ length: 20 }, () => customer.create(75)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.equal(new Set(replies.map(({ body }) => body.qrcodeId)).size, 1);
  assert.equal((await countGatewayRequests()) - before, 1);
});

test('the same key returns the same reply, also after the code has ended, and another input is refused', async () => {
  const customer = await newCustomer();
  const key = randomUUID();
  const replies = await Promise.all(Array.from({ length: 5 }, () => customer.create(80, key)));
  const [first] = replies;
  for (const reply of replies) assert.deepEqual(reply.body, first?.body);
  await customer.cancel(first?.body.qrcodeId);
  const repeatedReply = await customer.create(80, key);
  assert.deepEqual([repeatedReply.status, repeatedReply.body], [200, first?.body]);
  const reusedKeyReply = await customer.create(81, key);
  assert.deepEqual(
    [reusedKeyReply.status, reusedKeyReply.body],
    [403, { message: 'KEY_INVALID', detail: 'IDEMPOTENCY_KEY_REUSED' }],
  );
  // Keys are scoped to a member.
  const otherReply = await (await newCustomer()).create(80, key);
  assert.notEqual(otherReply.body.qrcodeId, first?.body.qrcodeId);
});

test('an amount that is invalid or outside the limits is refused before any call to the gateway', async () => {
  const customer = await newCustomer();
  const before = await countGatewayRequests();
  const invalidAmounts: [unknown, string][] = [
    ['100', 'AMOUNT_INVALID'],
    [null, 'AMOUNT_INVALID'],
    [0, 'AMOUNT_INVALID'],
    [-10, 'AMOUNT_INVALID'],
    [0.001, 'AMOUNT_INVALID'],
    [1e300, 'AMOUNT_INVALID'],
    [[100], 'AMOUNT_INVALID'],
    [0.99, 'AMOUNT_BELOW_MINIMUM'],
    [200_000.01, 'AMOUNT_ABOVE_MAXIMUM'],
  ];
  for (const [amount, detail] of invalidAmounts) {
    const { status, body } = await customer.create(amount);
    assert.deepEqual([status, body], [400, { message: 'QR_FAIL', detail }], JSON.stringify(amount));
  }
  await system.database.query(
    `update deposit_account set maximum = null where bank_code = 'KBANK' and bank_type = 'PAYMENT'`,
  );
  await waitForSettingsReload();
  assert.equal((await customer.create(2_000_000.01)).body.detail, 'AMOUNT_ABOVE_MAXIMUM', 'without a maximum');
  await system.database.query(
    `update deposit_account set maximum = 20000000 where bank_code = 'KBANK' and bank_type = 'PAYMENT'`,
  );
  await waitForSettingsReload();
  assert.equal(await countGatewayRequests(), before);
});

test("a bank that is not a gateway, or not of the member's currency, is NO_BANK", async () => {
  const { token } = await registerMember(system);
  for (const call of ['GET', 'POST'] as const) {
    const { status, body } = await system.api(`${call} /api/qrcode/NOBANK`, {
      token,
      ...(call === 'POST' ? { body: { amount: 100 } } : {}),
    });
    assert.deepEqual([status, body.message], [400, 'NO_BANK']);
  }
  const laoSystem = await startSystem({ variant: 'lao' });
  try {
    const { token: kipToken } = await registerMember(laoSystem, { currency: 'LAK' });
    const { token: baht } = await registerMember(laoSystem, { currency: 'BAHT' });
    assert.equal((await laoSystem.api('GET /api/qrcode/KBANK', { token: kipToken })).body.message, 'NO_BANK');
    assert.equal(
      (await laoSystem.api('POST /api/qrcode/KBANK', { token: kipToken, body: { amount: 100 } })).body.message,
      'NO_BANK',
    );
    assert.equal(
      (await laoSystem.api('POST /api/qrcode/KBANK', { token: baht, body: { amount: 100 } })).body.hasQrcode,
      true,
    );
  } finally {
    await laoSystem.stop();
  }
});

test("a code whose process dies during the gateway's call is found again", async () => {
  const customer = await newCustomer();
  const { body } = await customer.create(66);
  // The database after a process died before storing the gateway's reply.
  await system.database.query(
    `update qrcode set state = 'CREATING', payload = null, expires_at = null, gateway_reference = null, inquire_at = now()
     where id = $1`,
    [body.qrcodeId],
  );
  await waitUntil(
    () => readQrcodeRow(system, body.qrcodeId),
    (row) => row.state === 'PENDING',
    'pending',
  );
  assert.deepEqual((await customer.current()).body, body);
});

test('a code unknown to the gateway fails after two such replies', async () => {
  const customer = await newCustomer();
  const { body } = await customer.create(66);
  await system.database.query(
    `update qrcode set state = 'CREATING', payload = null, expires_at = null, reference = 'NEVERHEARDOF' where id = $1`,
    [body.qrcodeId],
  );
  const readState = async () => {
    await triggerInquiry(system, body.qrcodeId);
    return readQrcodeRow(system, body.qrcodeId);
  };
  await waitUntil(readState, (row) => row.state === 'FAILED', 'failed');
  const countMissedCalls = async () => {
    const { rows } = await system.database.query<{ misses: number }>('select misses from qrcode where id = $1', [
      body.qrcodeId,
    ]);
    return rows[0]?.misses ?? 0;
  };
  await waitUntil(countMissedCalls, (callCount) => callCount >= 2, 'said twice');
});

test('more than five new codes in a minute are REQUEST_LIMIT_1MIN; a repeated key returns its code', async () => {
  const customer = await newCustomer();
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const { status, body } = await customer.create(100);
    assert.equal(status, 200);
    await customer.cancel(body.qrcodeId);
  }
  const key = randomUUID();
  const last = await customer.create(200, key);
  assert.equal(last.status, 200);
  for (let again = 0; again < 3; again += 1) assert.deepEqual((await customer.create(200, key)).body, last.body);
  await customer.cancel(last.body.qrcodeId);
  const { status, body } = await customer.create(100);
  assert.deepEqual([status, body.message], [429, 'REQUEST_LIMIT_1MIN']);
  assert.equal((await customer.create(200, key)).body.qrcodeId, last.body.qrcodeId);
});
