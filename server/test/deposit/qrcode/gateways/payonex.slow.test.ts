import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { parse } from 'promptparse';
import { audit } from '../../../../src/ledger/audit.ts';
import { houseAccountBalance } from '../../../../src/ledger/balances.ts';
import { type MemberOptions, registerMember, type TestMember } from '../../../harness/members.ts';
import { startSystem, type System } from '../../../harness/system.ts';
import {
  qrCustomer,
  readFailureReasons,
  makeInquiriesDue,
  assertCodeNotCreated,
  readQrcodeRow,
  waitUntil,
} from '../qr-fixtures.ts';

let system: System;
before(async () => {
  // Creating a code takes three calls, which must all be in time on a busy machine.
  system = await startSystem({
    outside: (config) => ({ ...config, payonex: config.payonex && { ...config.payonex, timeoutMs: 4_000 } }),
  });
});
after(() => system.stop());
afterEach(async () => {
  await system.simulatorsApi('DELETE /control/faults');
  const { received, unmatched } = await readTotals();
  assert.equal(await houseAccountBalance(system.database, 'gateway:payonex', 'BAHT'), unmatched - received);
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

const parseSatang = (text: string) => BigInt(text.replace('.', ''));

/** Balance at the gateway, in satang. */
async function readTotals() {
  const { body } = await system.simulatorsApi('GET /control/totals');
  const total = (body.gateways as { gateway: string; received: string; unmatched: string; fee: string }[]).find(
    ({ gateway }) => gateway === 'payonex',
  );
  assert.ok(total);
  return {
    received: parseSatang(total.received),
    unmatched: parseSatang(total.unmatched),
    fee: parseSatang(total.fee),
  };
}

async function newCustomer(memberOptions: MemberOptions = {}) {
  const member: TestMember = await registerMember(system, memberOptions);
  return { ...qrCustomer(system, member, 'PAYONEX'), member };
}

const readGatewayCalls = async (call: string): Promise<{ key: string | null; status: number }[]> =>
  (await system.simulatorsApi(`GET /control/calls?target=payonex&call=${call}&limit=1000`)).body;

const injectPayonexFault = async (body: Record<string, unknown>) =>
  assert.equal(
    (await system.simulatorsApi('POST /control/faults', { body: { target: 'payonex', ...body } })).status,
    201,
  );

async function readParkedReasons(reference: string): Promise<string[]> {
  const { rows } = await system.database.query<{ reason: string; evidence: string }>(
    'select reason, evidence from deposit_parked where reference = $1 and settled_at is null order by id',
    [reference],
  );
  return rows.map(({ reason, evidence }) => `${reason} ${evidence.split(' ').slice(1).join(' ')}`.trim());
}

test('a PAYONEX code asks slightly more than requested, each code a different amount, and the member is informed [R-QR-08]', async () => {
  const madeReferences = [];
  for (let number = 0; number < 5; number += 1) {
    const qrCustomerApi = await newCustomer();
    const { status, body } = await qrCustomerApi.create(100);
    assert.equal(status, 200, JSON.stringify(body));
    // A third-party parser checks the CRC, the scheme and the amount.
    const code = parse(body.payload, true);
    assert.equal(code?.getTagValue('54'), body.amount.toFixed(2));
    assert.equal(code?.getTagValue('29', '00'), 'A000000677010111');
    assert.equal(body.requested, 100);
    assert.ok(body.amount > 100 && body.amount < 101, `${body.amount}`);
    assert.deepEqual((await qrCustomerApi.current()).body, body);
    assert.deepEqual((await qrCustomerApi.create(100)).body, body);
    madeReferences.push(body.amount);
  }
  assert.equal(new Set(madeReferences).size, madeReferences.length);
});

test('a member is credited the amount paid at PAYONEX: neither the requested nor the settled amount [R-QR-07]', async () => {
  const qrCustomerApi = await newCustomer();
  const feeBefore = (await readTotals()).fee;
  const { body } = await qrCustomerApi.create(1000);
  assert.equal((await qrCustomerApi.pay(body.payload)).status, 200);
  await waitUntil(qrCustomerApi.deposits, (amounts) => amounts.join() === String(body.amount), 'credited');
  assert.ok(body.amount > 1000);
  const { statements } = await qrCustomerApi.statement();
  assert.deepEqual([statements[0].from, statements[0].to], ['PAYONEX', 'WALLET']);
  // The simulator reports the fee; the member does not pay it.
  assert.ok((await readTotals()).fee - feeBefore >= 1500n);
});

test('a PAYONEX payment of another amount credits nothing and waits until an operator releases it [R-QR-07]', async () => {
  const qrCustomerApi = await newCustomer();
  const { body } = await qrCustomerApi.create(300);
  const { reference } = await readQrcodeRow(system, body.qrcodeId);
  assert.equal((await qrCustomerApi.pay(body.payload, { amount: '300.00' })).status, 200);
  await waitUntil(
    () => readParkedReasons(reference),
    (reasons) => reasons.join() === 'ON_HOLD ON_HOLD 300.00',
    'parked',
  );
  assert.deepEqual(await qrCustomerApi.deposits(), []);
  // A repeated inquiry changes nothing.
  const key = system.outside.payonex?.callbackKey ?? '';
  await system.api(`POST /api/callback/payonex?key=${key}`, {
    body: { data: { referenceId: reference, status: 'SUCCESS', amount: 30_000 } },
  });
  await makeInquiriesDue(system);
  assert.deepEqual(await readParkedReasons(reference), ['ON_HOLD ON_HOLD 300.00']);
  assert.equal((await readQrcodeRow(system, body.qrcodeId)).due, true);
  const releaseReply = await system.simulatorsApi('POST /control/payonex/release', {
    body: { referenceId: reference },
  });
  assert.equal(releaseReply.status, 200);
  await waitUntil(qrCustomerApi.deposits, (amounts) => amounts.join() === '300', 'credited');
  assert.deepEqual(await readParkedReasons(reference), []);
  assert.equal((await readQrcodeRow(system, body.qrcodeId)).state, 'PAID');
});

test('a PAYONEX payment without a matching code and member account stays at the gateway [R-QR-07]', async () => {
  const qrCustomerApi = await newCustomer();
  const { body } = await qrCustomerApi.create(400);
  const unknownPayer = { bankCode: 'KTB', accountNo: '5550001112', accountName: 'UNKNOWN PERSON' };
  const before = await readTotals();
  const payReply = await system.simulatorsApi('POST /bank/pay-qr', {
    body: { payload: body.payload, from: unknownPayer, amount: '7.77' },
  });
  assert.equal(payReply.status, 200);
  assert.equal((await readTotals()).unmatched - before.unmatched, 777n);
  // The sender's account does not matter, only the amount.
  await system.simulatorsApi('POST /bank/pay-qr', { body: { payload: body.payload, from: unknownPayer } });
  await waitUntil(qrCustomerApi.deposits, (amounts) => amounts.join() === String(body.amount), 'credited');
  // A second equal payment matches no code: the code is paid.
  assert.equal((await qrCustomerApi.pay(body.payload)).status, 200);
  await makeInquiriesDue(system);
  assert.deepEqual(await qrCustomerApi.deposits(), [body.amount]);
});

test('a cancelled PAYONEX code that is paid anyway is credited [R-QR-07]', async () => {
  const qrCustomerApi = await newCustomer();
  const { body } = await qrCustomerApi.create(120);
  assert.equal((await qrCustomerApi.cancel(body.qrcodeId)).status, 200);
  assert.equal((await qrCustomerApi.current()).body.hasQrcode, false);
  const second = (await qrCustomerApi.create(120)).body;
  assert.notEqual(second.amount, body.amount);
  assert.equal((await qrCustomerApi.pay(body.payload)).status, 200);
  await waitUntil(qrCustomerApi.deposits, (amounts) => amounts.join() === String(body.amount), 'credited');
  assert.equal((await readQrcodeRow(system, body.qrcodeId)).state, 'PAID');
  assert.equal((await readQrcodeRow(system, second.qrcodeId)).state, 'PENDING');
  // Cancelling a paid code is refused with QR_PAID.
  assert.equal((await qrCustomerApi.pay(second.payload)).status, 200);
  const lateReply = await qrCustomerApi.cancel(second.qrcodeId);
  assert.deepEqual([lateReply.status, lateReply.body], [409, { message: 'QR_FAIL', detail: 'QR_PAID' }]);
});

test('an expired PAYONEX token is renewed once, however many calls need it, and none fails', async () => {
  const customers = await Promise.all(Array.from({ length: 8 }, () => newCustomer()));
  const [first, ...otherCustomers] = customers;
  assert.equal((await first?.create(100))?.status, 200);
  await system.simulatorsApi('POST /control/payonex/revoke-tokens');
  const before = (await readGatewayCalls('authenticate')).length;
  const replies = await Promise.all(otherCustomers.map((customerApi) => customerApi.create(100)));
  assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
  assert.equal((await readGatewayCalls('authenticate')).length - before, 1);
});

test('without a token or customer at PAYONEX no code exists: QR_FAIL, and the next one works [R-QR-08]', async () => {
  const before = (await readGatewayCalls('request')).length;
  for (const call of ['authenticate', 'customers']) {
    for (const name of ['decline', 'error-500', 'garbage', 'timeout-lost']) {
      const qrCustomerApi = await newCustomer();
      // Inquiries of the resolver need tokens too.
      await injectPayonexFault({ fault: name, call, times: 1_000 });
      if (call === 'authenticate') await system.simulatorsApi('POST /control/payonex/revoke-tokens');
      assertCodeNotCreated(await qrCustomerApi.create(150), `${call} ${name}`);
      assert.deepEqual(await readFailureReasons(system, qrCustomerApi), ['GATEWAY_REFUSED'], `${call} ${name}`);
      await system.simulatorsApi('DELETE /control/faults');
      // Calls that need a token wait for an earlier inquiry of the resolver.
      const nextCode = await waitUntil(
        () => qrCustomerApi.create(150),
        (reply) => reply.body.message !== 'QR_FAIL',
        `the next code after ${call} ${name}`,
      );
      assert.equal(nextCode.body.hasQrcode, true, `${call} ${name}`);
    }
  }
  assert.equal((await readGatewayCalls('request')).length - before, 8);
});

test('PAYONEX identifies a member by bank account, with its own code of the bank', async () => {
  const qrCustomerApi = await newCustomer({ bankCode: 'CIMBT', bankAccountName: 'SOMJAI DEEMAK' });
  for (const amount of [100, 200]) {
    const { status, body } = await qrCustomerApi.create(amount);
    assert.equal(status, 200);
    await qrCustomerApi.cancel(body.qrcodeId);
  }
  const calls = await readGatewayCalls('customers');
  assert.deepEqual(
    calls.filter(({ key }) => key === qrCustomerApi.member.bankAccountNo).map(({ status }) => status),
    [200, 200],
  );
});
