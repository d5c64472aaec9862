import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { registerMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import { aWhile, assertBooksAgree, callBack, customer, fault, letTimePass, rowOf, until } from './kbank-world.ts';

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
type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** A member with a live code. */
async function withCode(amount = 100): Promise<{ who: Customer; id: string; payload: string }> {
  const who = await newCustomer();
  const { status, body } = await who.create(amount);
  assert.equal(status, 200, JSON.stringify(body));
  return { who, id: body.qrcodeId, payload: body.payload };
}

async function pay(who: Customer, payload: string, how: Parameters<Customer['pay']>[1] = {}): Promise<void> {
  const { status, body } = await who.pay(payload, how);
  assert.equal(status, 200, JSON.stringify(body));
}

const untilDeposits = (who: Customer, amounts: number[]) =>
  until(who.deposits, (seen) => JSON.stringify(seen) === JSON.stringify(amounts), `deposits ${amounts.join()}`);

/** Nothing more comes, also not when everything that could still happen happens now. */
async function assertSettled(who: Customer, amounts: number[]): Promise<void> {
  await letTimePass(system);
  await aWhile();
  assert.deepEqual(await who.deposits(), amounts);
}

/** The true callback of a code, as the gateway sends it. */
async function callbackOf(id: string, amount = '100.00'): Promise<Record<string, unknown>> {
  const { reference } = await rowOf(system, id);
  return {
    partnerTxnUid: reference,
    partnerId: system.outside.kbank.partnerId,
    statusCode: '00',
    txnAmount: amount,
    txnCurrencyCode: 'THB',
    txnNo: '20261121000000999999',
    reference1: reference,
  };
}

test('a payment is credited once and the code is paid [R-QR-07]', async () => {
  const { who, id, payload } = await withCode(123.45);
  await pay(who, payload);
  await untilDeposits(who, [123.45]);
  await until(
    () => rowOf(system, id),
    (row) => row.state === 'PAID' && row.paid === 12345n && !row.due,
    'paid',
  );
  assert.equal((await who.current()).body.hasQrcode, false);
  await assertSettled(who, [123.45]);
});

test('a gateway that calls back twice, and twenty more calls at once, credit once [R-QR-07]', async () => {
  const { who, id, payload } = await withCode();
  await fault(system, { fault: 'callback-twice' });
  await pay(who, payload);
  const claim = await callbackOf(id);
  const replies = await Promise.all(Array.from({ length: 20 }, () => callBack(system, claim)));
  for (const reply of replies) assert.deepEqual([reply.status, reply.body], [200, { statusCode: '00' }]);
  await untilDeposits(who, [100]);
  await assertSettled(who, [100]);
});

test('a callback that comes before the code has been shown credits once [R-QR-07]', async () => {
  const who = await newCustomer();
  await fault(system, { fault: 'callback-early' });
  const { status, body } = await who.create(70);
  assert.equal(status, 200);
  await untilDeposits(who, [70]);
  assert.ok(body.hasQrcode === false || (await rowOf(system, body.qrcodeId)).state === 'PAID');
  assert.equal((await who.current()).body.hasQrcode, false);
  await assertSettled(who, [70]);
});

test('a late callback finds the money credited already, and changes nothing [R-QR-07]', async () => {
  const { who, payload } = await withCode();
  await fault(system, { fault: 'callback-late', delayMs: 700 });
  await pay(who, payload);
  await letTimePass(system);
  await untilDeposits(who, [100]);
  await aWhile(900);
  const { body } = await system.world('GET /control/calls?target=callback&limit=1');
  assert.equal(body[0].status, 200);
  await assertSettled(who, [100]);
});

test('a callback that never comes is not needed: the watcher finds the payment [R-QR-07]', async () => {
  const { who, payload } = await withCode();
  await fault(system, { fault: 'callback-late', delayMs: 3_600_000 });
  await pay(who, payload);
  await aWhile();
  assert.deepEqual(await who.deposits(), []);
  await letTimePass(system);
  await untilDeposits(who, [100]);
  await assertSettled(who, [100]);
});

test('a forged callback with the right key credits nothing, or only what was really paid [R-QR-07]', async () => {
  const who = await newCustomer();
  await fault(system, { fault: 'callback-forged', amount: '9999.00' });
  const { body } = await who.create(50);
  await aWhile();
  assert.deepEqual(await who.deposits(), []);
  assert.equal((await rowOf(system, body.qrcodeId)).state, 'PENDING');
  await fault(system, { fault: 'callback-forged', call: 'payment' });
  await pay(who, body.payload);
  await untilDeposits(who, [50]);
  await assertSettled(who, [50]);
});

test('a callback replayed much later, or altered, changes nothing [R-QR-07]', async () => {
  const { who, id, payload } = await withCode();
  await pay(who, payload);
  await untilDeposits(who, [100]);
  const claim = await callbackOf(id);
  assert.equal((await callBack(system, claim)).status, 200);
  assert.equal((await callBack(system, { ...claim, txnNo: '777', txnAmount: '5000.00' })).status, 200);
  assert.equal((await rowOf(system, id)).due, false);
  await assertSettled(who, [100]);
});

test('a callback without the key, or with another one, is refused and wakes nobody [R-QR-07]', async () => {
  const { who, id } = await withCode();
  const claim = await callbackOf(id);
  const wakes = async () => {
    const { rows } = await system.database.query<{ wakes: number }>('select wakes from qrcode where id = $1', [id]);
    return rows[0]?.wakes;
  };
  for (const [path, code] of [
    ['POST /api/callback/kbank', 'KEY_MISSING'],
    ['POST /api/callback/kbank?key=', 'KEY_MISSING'],
    ['POST /api/callback/kbank?key=guess', 'KEY_INVALID'],
    [`POST /api/callback/kbank?key=${system.outside.kbank.callbackKey}x`, 'KEY_INVALID'],
    ['POST /api/callback/kbank?key=a&key=b', 'KEY_INVALID'],
  ] as const) {
    const { status, body } = await system.api(path, { body: claim });
    assert.deepEqual([status, body.message], [403, code], path);
  }
  assert.equal(await wakes(), 0);
  await assertSettled(who, []);
});

test('a callback that can’t be read, is too long, or is about nothing of ours does no harm', async () => {
  const key = system.outside.kbank.callbackKey;
  const path = `POST /api/callback/kbank?key=${key}`;
  for (const body of ['', 'not json', '[]', '{"reference1":7}', '{"reference1":"\' or 1=1"}', 'null']) {
    assert.equal((await system.api(path, { body })).status, 400, body);
  }
  assert.equal((await system.api(path, { body: 'x'.repeat(17_000) })).status, 413);
  const plain = await system.api(path, {
    body: 'a=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  assert.equal(plain.status, 400);
  for (let time = 0; time < 2; time += 1) {
    const reply = await callBack(system, { reference1: 'NOBODYKNOWS1', txnAmount: '100.00' });
    assert.deepEqual([reply.status, reply.body], [200, { statusCode: '00' }]);
  }
  const { rows } = await system.database.query<{ reason: string; times: number }>(
    "select reason, times from parked_deposit where reference = 'NOBODYKNOWS1'",
  );
  assert.deepEqual(rows, [{ reason: 'UNKNOWN_CODE', times: 2 }]);
});

test('another amount than asked credits what was paid [R-QR-07]', async () => {
  for (const [asked, paid] of [
    [100, '250.75'],
    [100, '0.25'],
  ] as const) {
    const { who, id, payload } = await withCode(asked);
    await pay(who, payload, { amount: paid });
    await untilDeposits(who, [Number(paid)]);
    assert.equal((await rowOf(system, id)).state, 'PAID');
    await assertSettled(who, [Number(paid)]);
  }
});

test('money that comes after the member cancelled is not lost [R-QR-07]', async () => {
  const { who, id, payload } = await withCode();
  assert.deepEqual((await who.cancel(id)).body, { message: 'OK' });
  assert.equal((await rowOf(system, id)).state, 'CANCELLED');
  await pay(who, payload, { late: true });
  await untilDeposits(who, [100]);
  assert.equal((await rowOf(system, id)).state, 'PAID');
  await assertSettled(who, [100]);
});

test('money that comes after the code expired is not lost, with or without a callback [R-QR-07]', async () => {
  for (const isCalledBack of [true, false]) {
    const { who, id, payload } = await withCode();
    const { reference } = await rowOf(system, id);
    await system.world('POST /control/expire-qr', { body: { reference1: reference } });
    await letTimePass(system);
    await until(
      () => rowOf(system, id),
      (row) => row.state === 'EXPIRED',
      'expired',
    );
    assert.equal((await who.current()).body.hasQrcode, false);
    if (!isCalledBack) await fault(system, { fault: 'callback-late', delayMs: 3_600_000 });
    await pay(who, payload, { late: true });
    if (!isCalledBack) await letTimePass(system);
    await untilDeposits(who, [100]);
    assert.equal((await rowOf(system, id)).state, 'PAID');
    await assertSettled(who, [100]);
  }
});

test('a silent gateway delays a credit and never loses it [R-QR-07]', async () => {
  const { who, payload } = await withCode();
  for (const name of ['error-500', 'garbage', 'timeout-lost', 'decline']) {
    await fault(system, { fault: name, call: 'inquire_payment' });
  }
  await pay(who, payload);
  const seen = async () => {
    await letTimePass(system);
    return who.deposits();
  };
  await until(seen, (amounts) => amounts.length === 1, 'credited');
  await assertSettled(who, [100]);
});

test('a process that dies between the credit and its note credits once [R-QR-07]', async () => {
  const { who, id, payload } = await withCode();
  await pay(who, payload);
  await untilDeposits(who, [100]);
  await until(
    () => rowOf(system, id),
    (row) => row.state === 'PAID',
    'paid',
  );
  // What the database holds when the process ended after the ledger's commit and before the row's.
  await system.database.query(
    `update qrcode set state = 'PENDING', ended_at = null, paid_amount = null, paid_at = null, transaction_number = null,
       inquire_at = now() where id = $1`,
    [id],
  );
  await until(
    () => rowOf(system, id),
    (row) => row.state === 'PAID',
    'paid again',
  );
  await assertSettled(who, [100]);
});
