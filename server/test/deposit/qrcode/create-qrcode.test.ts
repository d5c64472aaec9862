import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { registerMember } from '../../harness/members.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { startForGateways } from './gateways/at-gateway.ts';
import { assertBooksAgree, customer, triggerInquiry, NOT_MADE, rowOf, until } from './qr-fixtures.ts';

let system: System;
before(async () => {
  system = await startForGateways({ variant: 'th' });
});
after(() => system.stop());
afterEach(async () => {
  await system.world('DELETE /control/faults');
  await assertBooksAgree(system);
});

const newCustomer = async () => customer(system, await registerMember(system));
const NONE = { ...NOT_MADE, message: null };

/** Number of codes requested from the gateway. */
async function requestsAtGateway(): Promise<number> {
  const { body } = await system.world('GET /control/calls?target=kbank&call=qr_request&limit=1000');
  return body.length;
}

test('without a code there is none, and the live one is shown until it is cancelled', async () => {
  const who = await newCustomer();
  assert.deepEqual((await who.current()).body, NONE);
  const made = (await who.create(60)).body;
  assert.deepEqual((await who.current()).body, made);
  assert.equal((await who.cancel(made.qrcodeId)).status, 200);
  assert.deepEqual((await who.current()).body, NONE);
  assert.equal((await who.cancel(made.qrcodeId)).status, 200);
});

test('one code is live: the same amount gets it again, another amount is refused', async () => {
  const who = await newCustomer();
  const made = (await who.create(60)).body;
  assert.deepEqual((await who.create(60)).body, made);
  const other = await who.create(61);
  assert.deepEqual([other.status, other.body], [409, { message: 'QR_FAIL', detail: 'QR_LIVE' }]);
});

test('twenty requests at the same moment ask the gateway for one code', async () => {
  const who = await newCustomer();
  const before = await requestsAtGateway();
  const replies = await Promise.all(Array.from({ length: 20 }, () => who.create(75)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.equal(new Set(replies.map(({ body }) => body.qrcodeId)).size, 1);
  assert.equal((await requestsAtGateway()) - before, 1);
});

test('the same key gets the same answer again, also when the code is over, and another input is refused', async () => {
  const who = await newCustomer();
  const key = randomUUID();
  const replies = await Promise.all(Array.from({ length: 5 }, () => who.create(80, key)));
  const [first] = replies;
  for (const reply of replies) assert.deepEqual(reply.body, first?.body);
  await who.cancel(first?.body.qrcodeId);
  const again = await who.create(80, key);
  assert.deepEqual([again.status, again.body], [200, first?.body]);
  const reused = await who.create(81, key);
  assert.deepEqual([reused.status, reused.body], [403, { message: 'KEY_INVALID', detail: 'IDEMPOTENCY_KEY_REUSED' }]);
  // Keys are scoped to a member.
  const other = await (await newCustomer()).create(80, key);
  assert.notEqual(other.body.qrcodeId, first?.body.qrcodeId);
});

test('an invalid amount, or one outside the limits, is refused before any call', async () => {
  const who = await newCustomer();
  const before = await requestsAtGateway();
  const wrong: [unknown, string][] = [
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
  for (const [amount, detail] of wrong) {
    const { status, body } = await who.create(amount);
    assert.deepEqual([status, body], [400, { message: 'QR_FAIL', detail }], JSON.stringify(amount));
  }
  assert.equal(await requestsAtGateway(), before);
});

test('a bank that is no gateway, or not of the member’s currency, is NO_BANK', async () => {
  const { token } = await registerMember(system);
  for (const call of ['GET', 'POST'] as const) {
    const { status, body } = await system.api(`${call} /api/qrcode/NOBANK`, {
      token,
      ...(call === 'POST' ? { body: { amount: 100 } } : {}),
    });
    assert.deepEqual([status, body.message], [400, 'NO_BANK']);
  }
  const lao = await startSystem({ variant: 'lao' });
  try {
    const { token: kip } = await registerMember(lao, { currency: 'LAK' });
    const { token: baht } = await registerMember(lao, { currency: 'BAHT' });
    assert.equal((await lao.api('GET /api/qrcode/KBANK', { token: kip })).body.message, 'NO_BANK');
    assert.equal(
      (await lao.api('POST /api/qrcode/KBANK', { token: kip, body: { amount: 100 } })).body.message,
      'NO_BANK',
    );
    assert.equal(
      (await lao.api('POST /api/qrcode/KBANK', { token: baht, body: { amount: 100 } })).body.hasQrcode,
      true,
    );
  } finally {
    await lao.stop();
  }
});

test('a process that dies while the gateway is asked leaves a code that is found again', async () => {
  const who = await newCustomer();
  const { body } = await who.create(66);
  // The database after a process died before storing the gateway's reply.
  await system.database.query(
    `update qrcode set state = 'CREATING', payload = null, expires_at = null, gateway_reference = null, inquire_at = now()
     where id = $1`,
    [body.qrcodeId],
  );
  await until(
    () => rowOf(system, body.qrcodeId),
    (row) => row.state === 'PENDING',
    'pending',
  );
  assert.deepEqual((await who.current()).body, body);
});

test('a code that is unknown to the gateway fails after two such answers', async () => {
  const who = await newCustomer();
  const { body } = await who.create(66);
  await system.database.query(
    `update qrcode set state = 'CREATING', payload = null, expires_at = null, reference = 'NEVERHEARDOF' where id = $1`,
    [body.qrcodeId],
  );
  const state = async () => {
    await triggerInquiry(system, body.qrcodeId);
    return rowOf(system, body.qrcodeId);
  };
  await until(state, (row) => row.state === 'FAILED', 'failed');
  const misses = async () => {
    const { rows } = await system.database.query<{ misses: number }>('select misses from qrcode where id = $1', [
      body.qrcodeId,
    ]);
    return rows[0]?.misses ?? 0;
  };
  await until(misses, (times) => times >= 2, 'said twice');
});

test('more than five new codes in a minute are REQUEST_LIMIT_1MIN; a repeated key gets its code', async () => {
  const who = await newCustomer();
  for (let made = 0; made < 4; made += 1) {
    const { status, body } = await who.create(100);
    assert.equal(status, 200);
    await who.cancel(body.qrcodeId);
  }
  const key = randomUUID();
  const last = await who.create(200, key);
  assert.equal(last.status, 200);
  for (let again = 0; again < 3; again += 1) assert.deepEqual((await who.create(200, key)).body, last.body);
  await who.cancel(last.body.qrcodeId);
  const { status, body } = await who.create(100);
  assert.deepEqual([status, body.message], [429, 'REQUEST_LIMIT_1MIN']);
  assert.equal((await who.create(200, key)).body.qrcodeId, last.body.qrcodeId);
});
