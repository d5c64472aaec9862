import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertRefused } from '../../harness/assert-refused.ts';
import { runCommand } from '../../harness/command.ts';
import { registerMember } from '../../harness/members.ts';
import { startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { qrCustomer, injectFault, readQrcodeRow, waitUntil } from './qr-fixtures.ts';

const HOUR_MS = 3_600_000;

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());
afterEach(() => system.simulatorsApi('DELETE /control/faults'));

/** Creates a live code at KBANK without inquiries or callbacks. */
async function testUnwatched(amount: number) {
  const customer = qrCustomer(system, await registerMember(system));
  const { status, body } = await customer.create(amount);
  assert.equal(status, 200, JSON.stringify(body));
  await system.database.query(`update qrcode set inquire_at = now() + interval '1 hour' where id = $1`, [
    body.qrcodeId,
  ]);
  await injectFault(system, { fault: 'callback-late', delayMs: HOUR_MS });
  return { who: customer, code: body as { qrcodeId: string; payload: string } };
}

test('a paid code whose callback was lost is not shown again: the payment is credited [R-QR-07]', async () => {
  const { who, code } = await testUnwatched(100);
  assert.equal((await who.pay(code.payload)).status, 200);
  const { status, body } = await who.current();
  assert.deepEqual([status, body.hasQrcode], [200, false]);
  assert.deepEqual(await who.deposits(), [100]);
});

test('a request for the amount of a paid code returns QR_PAID once, and the next one creates another code [R-QR-07]', async () => {
  const { who, code } = await testUnwatched(120);
  assert.equal((await who.pay(code.payload)).status, 200);
  assertRefused(await who.create(120), 'QR_FAIL', 'QR_PAID', 409);
  assert.deepEqual(await who.deposits(), [120]);
  const nextReply = await who.create(120);
  assert.equal(nextReply.status, 200);
  assert.notEqual(nextReply.body.qrcodeId, code.qrcodeId);
});

test('a code whose gateway is silent is shown in its last known state', async () => {
  const { who, code } = await testUnwatched(90);
  await injectFault(system, { fault: 'error-500', call: 'inquire_payment', times: 50 });
  const { status, body } = await who.current();
  assert.deepEqual([status, body.qrcodeId], [200, code.qrcodeId]);
});

test('repeated requests for a code call the gateway less often', async () => {
  const { who, code } = await testUnwatched(80);
  const { reference } = await readQrcodeRow(system, code.qrcodeId);
  const countInquiries = async (): Promise<number> => {
    const { body } = await system.simulatorsApi('GET /control/calls?target=kbank&limit=1000');
    return (body as { call: string; key: string | null }[]).filter(
      ({ call, key }) => call !== 'create' && key === reference,
    ).length;
  };
  const before = await countInquiries();
  await who.current();
  assert.ok((await countInquiries()) > before, 'it is asked at all');
  const start = performance.now();
  for (let volleyNumber = 0; volleyNumber < 3; volleyNumber += 1) {
    const currentReplies = await Promise.all(Array.from({ length: 10 }, () => who.current()));
    assert.ok(currentReplies.every(({ body }) => body.qrcodeId === code.qrcodeId));
  }
  const maxInquiries = 2 + Math.ceil((performance.now() - start) / 2_000);
  assert.ok(
    (await countInquiries()) - before <= maxInquiries,
    `${(await countInquiries()) - before} times, ${maxInquiries} at most`,
  );
});

test('a second payment of a PAYONEX code waits for an operator, because PAYONEX matches by amount alone', async () => {
  const customer = qrCustomer(system, await registerMember(system), 'PAYONEX');
  const { body: code } = await customer.create(100);
  assert.equal((await customer.pay(code.payload)).status, 200);
  await waitUntil(
    () => customer.deposits(),
    (deposits) => deposits.length === 1,
    'the first is credited',
  );
  assert.equal((await customer.pay(code.payload)).status, 200);
  // A server checks at its start and every minute.
  const server = await startServerProcess(system);
  try {
    const { reference } = await readQrcodeRow(system, code.qrcodeId);
    const listResult = await waitUntil(
      () => runCommand(system, 'deposits'),
      ({ output }) => output.includes('UNMATCHED'),
      'on the list',
    );
    // The gateway chooses the satang: 100.1 is listed as 100.10.
    const amount = code.amount.toFixed(2).replace('.', '\\.');
    assert.match(listResult.output, new RegExp(`PAYONEX ${reference}.*UNMATCHED.* ${amount} BAHT.*code PAID`));
    assert.equal(listResult.output.match(/UNMATCHED/g)?.length, 1);
    assert.deepEqual(await customer.deposits(), [code.amount], 'and nothing is credited by itself');
  } finally {
    await server.stop();
  }
});
