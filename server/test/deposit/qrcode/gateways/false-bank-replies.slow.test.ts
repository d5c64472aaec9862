import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { generate } from 'promptparse';
import { audit } from '../../../../src/ledger/index.ts';
import { registerMember } from '../../../harness/members.ts';
import { waitForQueueItems } from '../../../harness/queues.ts';
import { startSystem, type System } from '../../../harness/system.ts';
import {
  waitForUnwantedEffect,
  sendCallback,
  qrCustomer,
  readFailureReasons,
  makeInquiriesDue,
  assertCodeNotCreated,
  readQrcodeRow,
  waitUntil,
} from '../qr-fixtures.ts';
import { type ControlledQrBank, startControlledQrBank } from './controlled-qr-bank.ts';

let system: System;
let bank: ControlledQrBank;
before(async () => {
  bank = await startControlledQrBank();
  system = await startSystem({ outside: (config) => ({ ...config, kbank: { ...config.kbank, url: bank.url } }) });
});
after(async () => {
  await system.stop();
  await bank.close();
});

const BILLER_ID = '010555555555501';
const successFields = { statusCode: '00', errorCode: null, errorDesc: null };
const billPayload = (ref1: string, amount: number, billerId = BILLER_ID) =>
  generate.billPayment({ billerId, ref1, amount });
const tenMinutesFromNow = () => new Date(Date.now() + 600_000).toISOString();

/** A correct reply; each test spoils one field. */
const VALID_REPLIES = {
  created: ({ reference1 = '', txnAmount = '' }: Record<string, string>) => ({
    ...successFields,
    qrCode: billPayload(reference1, Number(txnAmount)),
    expireDt: tenMinutesFromNow(),
  }),
  paid: ({ reference1 = '' }: Record<string, string>, changes: Record<string, unknown> = {}) => ({
    ...successFields,
    txnStatus: 'PAID',
    origPartnerTxnUid: reference1,
    reference1,
    txnAmount: '100.00',
    txnCurrencyCode: 'THB',
    paidAmount: '100.00',
    paidDt: new Date().toISOString(),
    txnNo: `N${reference1}`,
    ...changes,
  }),
};

beforeEach(() => {
  bank.repliesByPath.qr_request = VALID_REPLIES.created;
  delete bank.repliesByPath.v2;
  delete bank.repliesByPath.qr_cancel;
});

const newCustomer = async () => qrCustomer(system, await registerMember(system));

async function assertBooksHold(): Promise<void> {
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
}

test("a bank's code that differs from the request is never shown [R-QR-08]", async () => {
  const validReply = VALID_REPLIES.created({ reference1: 'X', txnAmount: '100.00' });
  const falseReplies: [string, (body: Record<string, string>) => Record<string, unknown> | string][] = [
    [
      'another biller',
      ({ reference1 = '' }) => ({ ...validReply, qrCode: billPayload(reference1, 100, '010666666666601') }),
    ],
    ['another amount', ({ reference1 = '' }) => ({ ...validReply, qrCode: billPayload(reference1, 1) })],
    [
      'no amount',
      ({ reference1 = '' }) => ({
        ...validReply,
        qrCode: generate.billPayment({ billerId: BILLER_ID, ref1: reference1 }),
      }),
    ],
    ['another reference', () => ({ ...validReply, qrCode: billPayload('SOMEONEELSE', 100) })],
    [
      'a transfer to a phone',
      () => ({ ...validReply, qrCode: generate.anyId({ type: 'MSISDN', target: '0812345678', amount: 100 }) }),
    ],
    [
      'a broken CRC',
      ({ reference1 = '' }) => ({ ...validReply, qrCode: `${billPayload(reference1, 100).slice(0, -4)}0000` }),
    ],
    ['markup', () => ({ ...validReply, qrCode: '<script>alert(1)</script>' })],
    ['no expiry', ({ reference1 = '' }) => ({ ...successFields, qrCode: billPayload(reference1, 100) })],
    ['a number', () => ({ ...validReply, qrCode: 7 })],
    ['nothing', () => ''],
    ['a lot', () => `"${'x'.repeat(2_000_000)}"`],
  ];
  for (const [title, falseReply] of falseReplies) {
    const customer = await newCustomer();
    bank.repliesByPath.qr_request = falseReply;
    assertCodeNotCreated(await customer.create(100), title);
    assert.deepEqual(await readFailureReasons(system, customer), ['GATEWAY_UNKNOWN'], title);
    assert.equal((await customer.current()).body.hasQrcode, false);
  }
});

test('a payment in another currency, or with an invalid amount, waits for an operator [R-QR-07]', async () => {
  const falseReplies: [Record<string, unknown>, string][] = [
    [{ txnCurrencyCode: 'USD' }, 'CURRENCY'],
    [{ paidAmount: '0.00' }, 'AMOUNT'],
    [{ paidAmount: '-100.00' }, 'AMOUNT'],
    [{ paidAmount: '1e9' }, 'AMOUNT'],
    [{ paidAmount: '100.001' }, 'AMOUNT'],
    [{ paidAmount: '1,000.00' }, 'AMOUNT'],
  ];
  for (const [falseReply, reason] of falseReplies) {
    const customer = await newCustomer();
    const { body } = await customer.create(100);
    const { reference } = await readQrcodeRow(system, body.qrcodeId);
    bank.repliesByPath.v2 = (requestBody) => VALID_REPLIES.paid(requestBody, falseReply);
    await sendCallback(system, { reference1: reference });
    const readParkedReasons = async () => {
      const { rows } = await system.database.query<{ reason: string }>(
        'select reason from deposit_parked where reference = $1',
        [reference],
      );
      return rows.map((row) => row.reason);
    };
    await waitUntil(readParkedReasons, (reasons) => reasons.join() === reason, JSON.stringify(falseReply));
    assert.deepEqual(await customer.deposits(), []);
    assert.notEqual((await readQrcodeRow(system, body.qrcodeId)).state, 'PAID');
  }
  // Inquiries about codes of earlier tests get the same spoiled reply.
  await waitForQueueItems(system, 'qrcode', 'operator', (items) => items >= falseReplies.length);
  await assertBooksHold();
});

test("a bank's reply of another shape, or about another code, credits nothing and is requested again [R-QR-07]", async () => {
  const customer = await newCustomer();
  const { body } = await customer.create(100);
  const { reference } = await readQrcodeRow(system, body.qrcodeId);
  const falseReplies: ((requestBody: Record<string, string>) => Record<string, unknown> | string)[] = [
    (requestBody) => VALID_REPLIES.paid(requestBody, { reference1: 'SOMEONEELSE' }),
    (requestBody) => VALID_REPLIES.paid(requestBody, { txnNo: null }),
    (requestBody) => VALID_REPLIES.paid(requestBody, { txnNo: '' }),
    (requestBody) => VALID_REPLIES.paid(requestBody, { paidAmount: 100 }),
    (requestBody) => VALID_REPLIES.paid(requestBody, { paidDt: 'yesterday' }),
    (requestBody) => VALID_REPLIES.paid(requestBody, { txnStatus: 'SETTLED' }),
    (requestBody) => VALID_REPLIES.paid(requestBody, { statusCode: '10' }),
    () => '<html>',
    () => '[]',
  ];
  for (const falseReply of falseReplies) {
    let inquiryCount = 0;
    bank.repliesByPath.v2 = (question) => {
      inquiryCount += 1;
      return falseReply(question);
    };
    await sendCallback(system, { reference1: reference });
    await waitUntil(
      async () => inquiryCount,
      (times) => times > 0,
      'asked',
    );
    await waitForUnwantedEffect(100);
    assert.deepEqual(await customer.deposits(), []);
    assert.equal((await readQrcodeRow(system, body.qrcodeId)).due, true);
  }
  bank.repliesByPath.v2 = VALID_REPLIES.paid;
  await sendCallback(system, { reference1: reference });
  await waitUntil(customer.deposits, (amounts) => amounts.join() === '100', 'credited');
});

test('one payment number never pays two codes, nor twice when its report changes [R-QR-07]', async () => {
  const [first, second] = [await newCustomer(), await newCustomer()];
  const codes = [(await first.create(100)).body.qrcodeId, (await second.create(100)).body.qrcodeId] as string[];
  const references = await Promise.all(codes.map(async (id) => (await readQrcodeRow(system, id)).reference));
  // Inquiries about codes of earlier tests must not get the number first.
  bank.repliesByPath.v2 = (requestBody) =>
    references.includes(requestBody['reference1'] ?? '')
      ? VALID_REPLIES.paid(requestBody, { txnNo: 'THESAMENUMBER' })
      : '';
  await sendCallback(system, { reference1: references[0] });
  await waitUntil(first.deposits, (amounts) => amounts.join() === '100', 'credited');
  const reference = references[1];
  await sendCallback(system, { reference1: reference });
  const readParkedReasons = async () => {
    const { rows } = await system.database.query<{ reason: string }>(
      'select reason from deposit_parked where reference = $1',
      [reference],
    );
    return rows.map((row) => row.reason).join();
  };
  await waitUntil(readParkedReasons, (reasons) => reasons === 'TRANSACTION_NUMBER_REUSED', 'parked');
  assert.deepEqual(await second.deposits(), []);
  // The first one is paid: no more inquiries.
  bank.repliesByPath.v2 = (requestBody) => VALID_REPLIES.paid(requestBody, { paidAmount: '900.00' });
  await sendCallback(system, { reference1: references[0] });
  await makeInquiriesDue(system);
  await waitForUnwantedEffect();
  assert.deepEqual(await first.deposits(), [100]);
  await assertBooksHold();
});
