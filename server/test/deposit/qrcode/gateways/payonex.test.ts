import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { parse } from 'promptparse';
import { audit } from '../../../../src/ledger/audit.ts';
import { houseBalance } from '../../../../src/ledger/balances.ts';
import { type MemberChoices, registerMember, type TestMember } from '../../../harness/members.ts';
import { startSystem, type System } from '../../../harness/system.ts';
import { customer, failureReasons, letTimePass, NOT_MADE, rowOf, until } from '../qr-fixtures.ts';

let system: System;
before(async () => {
  // A code takes three calls, which must all be answered in time on a busy machine.
  system = await startSystem({
    outside: (same) => ({ ...same, payonex: same.payonex && { ...same.payonex, timeoutMs: 4_000 } }),
  });
});
after(() => system.stop());
afterEach(async () => {
  await system.world('DELETE /control/faults');
  const { received, unmatched } = await totals();
  assert.equal(await houseBalance(system.database, 'gateway:payonex', 'BAHT'), unmatched - received);
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

const satang = (text: string) => BigInt(text.replace('.', ''));

/** Balance at the gateway, in satang. */
async function totals() {
  const { body } = await system.world('GET /control/totals');
  const total = (body.gateways as { gateway: string; received: string; unmatched: string; fee: string }[]).find(
    ({ gateway }) => gateway === 'payonex',
  );
  assert.ok(total);
  return { received: satang(total.received), unmatched: satang(total.unmatched), fee: satang(total.fee) };
}

async function newCustomer(choices: MemberChoices = {}) {
  const member: TestMember = await registerMember(system, choices);
  return { ...customer(system, member, 'PAYONEX'), member };
}

const callsAtGateway = async (call: string): Promise<{ key: string | null; status: number }[]> =>
  (await system.world(`GET /control/calls?target=payonex&call=${call}&limit=1000`)).body;

const fault = async (body: Record<string, unknown>) =>
  assert.equal((await system.world('POST /control/faults', { body: { target: 'payonex', ...body } })).status, 201);

async function parkedFor(reference: string): Promise<string[]> {
  const { rows } = await system.database.query<{ reason: string; evidence: string }>(
    'select reason, evidence from deposit_parked where reference = $1 and settled_at is null order by id',
    [reference],
  );
  return rows.map(({ reason, evidence }) => `${reason} ${evidence.split(' ').slice(1).join(' ')}`.trim());
}

test('the code asks a little more than was wanted, each another amount, and says so to the member [R-QR-08]', async () => {
  const made = [];
  for (let number = 0; number < 5; number += 1) {
    const who = await newCustomer();
    const { status, body } = await who.create(100);
    assert.equal(status, 200, JSON.stringify(body));
    // A third-party parser checks the CRC, the scheme and the amount.
    const code = parse(body.payload, true);
    assert.equal(code?.getTagValue('54'), body.amount.toFixed(2));
    assert.equal(code?.getTagValue('29', '00'), 'A000000677010111');
    assert.equal(body.requested, 100);
    assert.ok(body.amount > 100 && body.amount < 101, `${body.amount}`);
    assert.deepEqual((await who.current()).body, body);
    assert.deepEqual((await who.create(100)).body, body);
    made.push(body.amount);
  }
  assert.equal(new Set(made).size, made.length);
});

test('the member is credited what they paid: neither what they wanted nor what the gateway settles [R-QR-07]', async () => {
  const who = await newCustomer();
  const feeBefore = (await totals()).fee;
  const { body } = await who.create(1000);
  assert.equal((await who.pay(body.payload)).status, 200);
  await until(who.deposits, (seen) => seen.join() === String(body.amount), 'credited');
  assert.ok(body.amount > 1000);
  const { statements } = await who.statement();
  assert.deepEqual([statements[0].from, statements[0].to], ['PAYONEX', 'WALLET']);
  // The simulator reports the fee; the member does not pay it.
  assert.ok((await totals()).fee - feeBefore >= 1500n);
});

test('another amount than the code’s credits nothing automatically and waits for an operator, until it is released [R-QR-07]', async () => {
  const who = await newCustomer();
  const { body } = await who.create(300);
  const { reference } = await rowOf(system, body.qrcodeId);
  assert.equal((await who.pay(body.payload, { amount: '300.00' })).status, 200);
  await until(
    () => parkedFor(reference),
    (reasons) => reasons.join() === 'ON_HOLD ON_HOLD 300.00',
    'parked',
  );
  assert.deepEqual(await who.deposits(), []);
  // A repeated inquiry changes nothing.
  const key = system.outside.payonex?.callbackKey ?? '';
  await system.api(`POST /api/callback/payonex?key=${key}`, {
    body: { data: { referenceId: reference, status: 'SUCCESS', amount: 30_000 } },
  });
  await letTimePass(system);
  assert.deepEqual(await parkedFor(reference), ['ON_HOLD ON_HOLD 300.00']);
  assert.equal((await rowOf(system, body.qrcodeId)).due, true);
  const released = await system.world('POST /control/payonex/release', { body: { referenceId: reference } });
  assert.equal(released.status, 200);
  await until(who.deposits, (seen) => seen.join() === '300', 'credited');
  assert.deepEqual(await parkedFor(reference), []);
  assert.equal((await rowOf(system, body.qrcodeId)).state, 'PAID');
});

test('an amount that no code asks, from an account that no member has, stays where it is [R-QR-07]', async () => {
  const who = await newCustomer();
  const { body } = await who.create(400);
  const stranger = { bankCode: 'KTB', accountNo: '5550001112', accountName: 'UNKNOWN PERSON' };
  const before = await totals();
  const paid = await system.world('POST /bank/pay-qr', {
    body: { payload: body.payload, from: stranger, amount: '7.77' },
  });
  assert.equal(paid.status, 200);
  assert.equal((await totals()).unmatched - before.unmatched, 777n);
  // The sender's account does not matter, only the amount.
  await system.world('POST /bank/pay-qr', { body: { payload: body.payload, from: stranger } });
  await until(who.deposits, (seen) => seen.join() === String(body.amount), 'credited');
  // A second equal payment matches no code: the code is paid.
  assert.equal((await who.pay(body.payload)).status, 200);
  await letTimePass(system);
  assert.deepEqual(await who.deposits(), [body.amount]);
});

test('a code that was put away, and paid all the same, is credited [R-QR-07]', async () => {
  const who = await newCustomer();
  const { body } = await who.create(120);
  assert.equal((await who.cancel(body.qrcodeId)).status, 200);
  assert.equal((await who.current()).body.hasQrcode, false);
  const second = (await who.create(120)).body;
  assert.notEqual(second.amount, body.amount);
  assert.equal((await who.pay(body.payload)).status, 200);
  await until(who.deposits, (seen) => seen.join() === String(body.amount), 'credited');
  assert.equal((await rowOf(system, body.qrcodeId)).state, 'PAID');
  assert.equal((await rowOf(system, second.qrcodeId)).state, 'PENDING');
  // Cancelling a paid code is refused with QR_PAID.
  assert.equal((await who.pay(second.payload)).status, 200);
  const late = await who.cancel(second.qrcodeId);
  assert.deepEqual([late.status, late.body], [409, { message: 'QR_FAIL', detail: 'QR_PAID' }]);
});

test('an expired token is renewed once, however many calls need it, and none fails', async () => {
  const customers = await Promise.all(Array.from({ length: 8 }, () => newCustomer()));
  const [first, ...others] = customers;
  assert.equal((await first?.create(100))?.status, 200);
  await system.world('POST /control/payonex/revoke-tokens');
  const before = (await callsAtGateway('authenticate')).length;
  const replies = await Promise.all(others.map((who) => who.create(100)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.equal((await callsAtGateway('authenticate')).length - before, 1);
});

test('without a token, or without a customer, there is certainly no code: QR_FAIL, and the next one works [R-QR-08]', async () => {
  const before = (await callsAtGateway('request')).length;
  for (const call of ['authenticate', 'customers']) {
    for (const name of ['decline', 'error-500', 'garbage', 'timeout-lost']) {
      const who = await newCustomer();
      // Inquiries of the resolver need tokens too.
      await fault({ fault: name, call, times: 1_000 });
      if (call === 'authenticate') await system.world('POST /control/payonex/revoke-tokens');
      const { status, body } = await who.create(150);
      assert.deepEqual([status, body], [200, NOT_MADE], `${call} ${name}`);
      assert.deepEqual(await failureReasons(system, who), ['GATEWAY_REFUSED'], `${call} ${name}`);
      await system.world('DELETE /control/faults');
      // Calls that need a token wait for an earlier inquiry of the resolver.
      const next = await until(
        () => who.create(150),
        (reply) => reply.body.message !== 'QR_FAIL',
        `the next code after ${call} ${name}`,
      );
      assert.equal(next.body.hasQrcode, true, `${call} ${name}`);
    }
  }
  assert.equal((await callsAtGateway('request')).length - before, 8);
});

test('the gateway identifies a member by their account, with its own code of the bank', async () => {
  const who = await newCustomer({ bankCode: 'CIMBT', bankAccountName: 'SOMJAI DEEMAK' });
  for (const amount of [100, 200]) {
    const { status, body } = await who.create(amount);
    assert.equal(status, 200);
    await who.cancel(body.qrcodeId);
  }
  const calls = await callsAtGateway('customers');
  assert.deepEqual(
    calls.filter(({ key }) => key === who.member.bankAccountNo).map(({ status }) => status),
    [200, 200],
  );
});
