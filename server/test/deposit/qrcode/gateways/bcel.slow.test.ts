import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { parse } from 'promptparse';
import { audit } from '../../../../src/ledger/audit.ts';
import { registerMember } from '../../../harness/members.ts';
import { startSystem, type System } from '../../../harness/system.ts';
import {
  assertTotalsAgree,
  qrCustomer,
  readFailureReasons,
  makeInquiriesDue,
  assertCodeNotCreated,
  readQrcodeRow,
  waitUntil,
} from '../qr-fixtures.ts';

let system: System;
before(async () => {
  system = await startSystem({
    variant: 'lao',
    outside: (config) => ({ ...config, bcel: config.bcel && { ...config.bcel, timeoutMs: 4_000 } }),
  });
});
after(() => system.stop());
afterEach(async () => {
  await system.simulatorsApi('DELETE /control/faults');
  await assertTotalsAgree(system, 'bcel');
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

let accounts = 10_120_000_000n;
const newAccountNo = () => `0${(accounts += 7n)}`;

async function newCustomer(currency = 'LAK') {
  const member = await registerMember(system, {
    currency,
    bankCode: 'BCEL',
    bankAccountNo: newAccountNo(),
    bankAccountName: 'SOMSAK VONGSA',
  });
  return { ...qrCustomer(system, member, 'BCEL'), member };
}

const readWallet = async (token: string) =>
  (await system.api('GET /api/wallet', { token })).body.wallet.amount as number;

test('a member with kip deposits by a Lao QR: it is shown, paid, credited, and in wallet and statement [R-QR-07] [R-QR-08]', async () => {
  const customer = await newCustomer();
  const { token } = customer.member;
  const { body: depositLookup } = await system.api('GET /api/lookup/deposit', { token });
  assert.ok(
    (depositLookup.banks as { bankCode: string; bankType: string; currency: string }[]).some(
      (bank) => bank.bankCode === 'BCEL' && bank.bankType === 'PAYMENT' && bank.currency === 'LAK',
    ),
  );
  const { status, body } = await customer.create(25_000);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.amount, body.requested], [25_000, 25_000]);
  // A third-party parser checks the CRC and every field.
  const code = parse(body.payload, true);
  const { reference } = await readQrcodeRow(system, body.qrcodeId);
  assert.deepEqual(
    ['01', '53', '54', '58'].map((tag) => code?.getTagValue(tag)),
    ['12', '418', '25000', 'LA'],
  );
  assert.deepEqual(
    ['00', '01', '03'].map((tag) => code?.getTagValue('38', tag)),
    ['A005266284662577', '27710418', system.outside.bcel?.merchantId],
  );
  assert.equal(code?.getTagValue('62', '01'), reference);
  assert.equal(parse(body.payload.replace('25000', '26000'), true), null);
  const bankReading = await system.simulatorsApi('POST /bank/read-qr', { body: { payload: body.payload } });
  assert.deepEqual(
    [bankReading.body.gateway, bankReading.body.amount, bankReading.body.currency],
    ['bcel', '25000.00', 'LAK'],
  );
  const payReply = await customer.pay(body.payload);
  assert.deepEqual([payReply.status, payReply.body.amount, payReply.body.currency], [200, '25000.00', 'LAK']);
  await waitUntil(customer.deposits, (deposits) => deposits.join() === '25000', 'credited');
  assert.equal(await readWallet(token), 25_000);
  const { statements } = await customer.statement();
  assert.deepEqual(
    [statements[0].statementType, statements[0].from, statements[0].to, statements[0].amount, statements[0].reference],
    ['deposit', 'BCEL', 'WALLET', 25_000, reference],
  );
  // Only in kip.
  const { rows } = await system.database.query<{ currency: string; posted: bigint }>(
    'select currency, posted from ledger.account where member_id = $1',
    [customer.member.id],
  );
  assert.deepEqual(rows, [{ currency: 'LAK', posted: 2_500_000n }]);
});

test('kip have no decimals, and BCEL is offered to members with kip only', async () => {
  const customer = await newCustomer();
  for (const [amount, detail] of [
    [20_000.5, 'AMOUNT_INVALID'],
    [999, 'AMOUNT_BELOW_MINIMUM'],
    [50_000_001, 'AMOUNT_ABOVE_MAXIMUM'],
  ] as const) {
    assert.deepEqual((await customer.create(amount)).body, { message: 'QR_FAIL', detail }, String(amount));
  }
  const baht = await newCustomer('BAHT');
  assert.equal((await baht.create(20_000)).body.message, 'NO_BANK');
  // Conversely, a gateway in baht refuses kip.
  const { token } = customer.member;
  const reply = await system.api('POST /api/qrcode/PAYONEX', { token, body: { amount: 1_000 } });
  assert.equal(reply.body.message, 'NO_BANK');
});

test('the amount actually paid at BCEL is credited, more or less, early or late, once [R-QR-07]', async () => {
  const customer = await newCustomer();
  const first = (await customer.create(30_000)).body;
  assert.equal((await customer.pay(first.payload, { amount: '29000' })).status, 200);
  await waitUntil(customer.deposits, (deposits) => deposits.join() === '29000', 'less');
  const second = (await customer.create(30_000)).body;
  const { reference } = await readQrcodeRow(system, second.qrcodeId);
  await Promise.all(
    Array.from({ length: 10 }, () =>
      system.api(`POST /api/callback/bcel?key=${system.outside.bcel?.callbackKey ?? ''}`, {
        body: { status: 'PAYMENT_COMPLETED', tag1: reference, txnAmount: 9_000_000, refNo: 'FALSE1' },
      }),
    ),
  );
  await makeInquiriesDue(system);
  assert.equal((await customer.cancel(second.qrcodeId)).status, 200);
  assert.equal((await customer.pay(second.payload, { amount: '31000', late: true })).status, 200);
  await waitUntil(customer.deposits, (deposits) => deposits.join() === '29000,31000', 'more, after it was put away');
  const third = (await customer.create(30_000)).body;
  const expireReply = await system.simulatorsApi('POST /control/expire-qr', {
    body: { reference1: (await readQrcodeRow(system, third.qrcodeId)).reference },
  });
  assert.equal(expireReply.status, 200);
  assert.equal((await customer.pay(third.payload)).body.error, 'qr_expired');
  assert.equal((await customer.pay(third.payload, { late: true })).status, 200);
  await waitUntil(customer.deposits, (deposits) => deposits.join() === '29000,31000,30000', 'late');
  assert.equal(await readWallet(customer.member.token), 90_000);
});

test('QR_FAIL when BCEL refuses, fails, replies with garbage or is silent; then the next code works [R-QR-08]', async () => {
  for (const [name, reason] of [
    ['decline', 'GATEWAY_REFUSED'],
    ['error-500', 'GATEWAY_UNKNOWN'],
    ['garbage', 'GATEWAY_UNKNOWN'],
    ['timeout-applied', 'GATEWAY_UNKNOWN'],
  ] as const) {
    const customer = await newCustomer();
    const faultReply = await system.simulatorsApi('POST /control/faults', { body: { target: 'bcel', fault: name } });
    assert.equal(faultReply.status, 201);
    assertCodeNotCreated(await customer.create(10_000), name);
    assert.deepEqual(await readFailureReasons(system, customer), [reason], name);
    assert.equal((await customer.create(10_000)).body.hasQrcode, true, name);
  }
});
