import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { runCommand } from '../../harness/command.ts';
import { registerMember } from '../../harness/members.ts';
import { assertRefused } from '../../harness/refused.ts';
import { startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { customer, fault, rowOf, until } from './qr-fixtures.ts';

const HOUR_MS = 3_600_000;

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());
afterEach(() => system.world('DELETE /control/faults'));

/** A member with a live code at KBANK without inquiries or callbacks of its own. */
async function unwatched(amount: number) {
  const who = customer(system, await registerMember(system));
  const { status, body } = await who.create(amount);
  assert.equal(status, 200, JSON.stringify(body));
  await system.database.query(`update qrcode set inquire_at = now() + interval '1 hour' where id = $1`, [
    body.qrcodeId,
  ]);
  await fault(system, { fault: 'callback-late', delayMs: HOUR_MS });
  return { who, code: body as { qrcodeId: string; payload: string } };
}

test('a code that is paid, and whose callback is lost, is not shown again: the payment is credited [R-QR-07]', async () => {
  const { who, code } = await unwatched(100);
  assert.equal((await who.pay(code.payload)).status, 200);
  const { status, body } = await who.current();
  assert.deepEqual([status, body.hasQrcode], [200, false]);
  assert.deepEqual(await who.deposits(), [100]);
});

test('asking for the amount of a code that is paid says that it is paid, and only then makes another [R-QR-07]', async () => {
  const { who, code } = await unwatched(120);
  assert.equal((await who.pay(code.payload)).status, 200);
  assertRefused(await who.create(120), 'QR_FAIL', 'QR_PAID', 409);
  assert.deepEqual(await who.deposits(), [120]);
  const next = await who.create(120);
  assert.equal(next.status, 200);
  assert.notEqual(next.body.qrcodeId, code.qrcodeId);
});

test('a code that its gateway says nothing about is shown as it is known', async () => {
  const { who, code } = await unwatched(90);
  await fault(system, { fault: 'error-500', call: 'inquire_payment', times: 50 });
  const { status, body } = await who.current();
  assert.deepEqual([status, body.qrcodeId], [200, code.qrcodeId]);
});

test('repeated requests for a code do not call the gateway as often', async () => {
  const { who, code } = await unwatched(80);
  const { reference } = await rowOf(system, code.qrcodeId);
  const asked = async (): Promise<number> => {
    const { body } = await system.world('GET /control/calls?target=kbank&limit=1000');
    return (body as { call: string; key: string | null }[]).filter(
      ({ call, key }) => call !== 'create' && key === reference,
    ).length;
  };
  const before = await asked();
  await who.current();
  assert.ok((await asked()) > before, 'it is asked at all');
  const start = performance.now();
  for (let volley = 0; volley < 3; volley += 1) {
    const seen = await Promise.all(Array.from({ length: 10 }, () => who.current()));
    assert.ok(seen.every(({ body }) => body.qrcodeId === code.qrcodeId));
  }
  const most = 2 + Math.ceil((performance.now() - start) / 2_000);
  assert.ok((await asked()) - before <= most, `${(await asked()) - before} times, ${most} at most`);
});

test('a second payment of a code at PAYONEX, which knows payments by their amount alone, waits for an operator', async () => {
  const who = customer(system, await registerMember(system), 'PAYONEX');
  const { body: code } = await who.create(100);
  assert.equal((await who.pay(code.payload)).status, 200);
  await until(
    () => who.deposits(),
    (deposits) => deposits.length === 1,
    'the first is credited',
  );
  assert.equal((await who.pay(code.payload)).status, 200);
  // A server checks when it starts, and every minute.
  const server = await startServerProcess(system);
  try {
    const { reference } = await rowOf(system, code.qrcodeId);
    const listed = await until(
      () => runCommand(system, 'deposits'),
      ({ output }) => output.includes('UNMATCHED'),
      'on the list',
    );
    // The gateway chooses the satang: 100.1 is listed as 100.10.
    const amount = code.amount.toFixed(2).replace('.', '\\.');
    assert.match(listed.output, new RegExp(`PAYONEX ${reference}.*UNMATCHED.* ${amount} BAHT.*code PAID`));
    assert.equal(listed.output.match(/UNMATCHED/g)?.length, 1);
    assert.deepEqual(await who.deposits(), [code.amount], 'and nothing is credited by itself');
  } finally {
    await server.stop();
  }
});
