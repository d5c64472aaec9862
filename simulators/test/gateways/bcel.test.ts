import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLaoPaymentQr } from '../../src/lao-qr.ts';
import { ask, outside, payQr, until } from '../harness.ts';

const API_PATH = '/bcel/v1/api/payment';
const AUTH_HEADERS = { secretKey: 'bcel-secret' };
const LAO_PERSON = { bankCode: 'BCEL', accountNo: '010120009876543', accountName: 'SOMSAK VONGSA' };

type GeneratedQr = { message: string; transactionId: string; qrCode: string; link: string };
type InquiryReply = {
  status: string;
  amount: number;
  txnAmount: number | null;
  refNo: string | null;
  sourceName: string | null;
};

const generateQr = (address: string, fields: object = {}, headers: Record<string, string> = AUTH_HEADERS) =>
  ask<GeneratedQr>(
    address,
    'POST',
    `${API_PATH}/generate-bcel-qr`,
    { amount: 20_000, description: 'DEPOSIT D1', tag1: 'D1', ...fields },
    headers,
  );
const inquireByTag = (address: string, tag1: string) =>
  ask<InquiryReply>(address, 'GET', `${API_PATH}/transactions?tag1=${tag1}`, undefined, AUTH_HEADERS);

test('a code is a Lao QR in whole kip that a bank account in kip pays, and calls back', async (t) => {
  const { address, listener } = await outside(t);
  const { body } = await generateQr(address);
  assert.equal(body.link, `onepay://qr/${body.qrCode}`);
  const read = readLaoPaymentQr(body.qrCode);
  assert.deepEqual([read?.receiver, read?.amount], ['mch0123456789abc', '20000']);
  const scannedQr = await ask<Record<string, string>>(address, 'POST', '/bank/read-qr', { payload: body.qrCode });
  assert.deepEqual(
    [scannedQr.body['gateway'], scannedQr.body['currency'], scannedQr.body['amount']],
    ['bcel', 'LAK', '20000.00'],
  );
  assert.equal((await payQr(address, body.qrCode)).body.error, 'other_currency');
  assert.equal((await payQr(address, body.qrCode, { from: LAO_PERSON, amount: '100.50' })).body.error, 'bad_input');
  assert.equal((await inquireByTag(address, 'D1')).body.status, 'PENDING');
  const payment = await payQr(address, body.qrCode, { from: LAO_PERSON });
  assert.deepEqual([payment.status, payment.body.amount], [200, '20000.00']);
  await until(() => listener.got.length === 1, 'the callback comes');
  const notification = listener.got[0] as unknown as Record<string, unknown>;
  assert.deepEqual(
    [notification['tag1'], notification['status'], notification['txnAmount']],
    ['D1', 'PAYMENT_COMPLETED', 20_000],
  );
  const inquiryAfterPayment = (await inquireByTag(address, 'D1')).body;
  assert.deepEqual(
    [
      inquiryAfterPayment.status,
      inquiryAfterPayment.txnAmount,
      inquiryAfterPayment.refNo,
      inquiryAfterPayment.sourceName,
    ],
    ['PAYMENT_COMPLETED', 20_000, notification['refNo'], 'SOMSAK V'],
  );
  assert.equal((await payQr(address, body.qrCode, { from: LAO_PERSON })).body.error, 'qr_paid');
});

test("BCEL refuses an invalid request with the field's name and creates nothing", async (t) => {
  const { address } = await outside(t);
  const invalidRequests: [object, string][] = [
    [{ amount: 999 }, 'AMOUNT_OUT_OF_RANGE'],
    [{ amount: 50_000_001 }, 'AMOUNT_OUT_OF_RANGE'],
    [{ amount: 20_000.5 }, 'BAD_REQUEST'],
    [{ description: 'ຝາກເງິນ' }, 'BAD_REQUEST'],
    [{ tag1: 'd 1' }, 'BAD_REQUEST'],
  ];
  for (const [fields, message] of invalidRequests)
    assert.equal((await generateQr(address, fields)).body.message, message);
  assert.equal((await generateQr(address, {}, { secretKey: 'x' })).body.message, 'UNAUTHORIZED');
  assert.equal((await inquireByTag(address, 'D1')).status, 404);
  assert.equal((await generateQr(address)).status, 200);
  const repeatedRequest = await generateQr(address, { amount: 30_000 });
  assert.deepEqual([repeatedRequest.status, repeatedRequest.body.message], [409, 'DUPLICATE_TAG1']);
  assert.equal((await inquireByTag(address, 'D1')).body.amount, 20_000);
});

test("BCEL's totals never mix kip and baht", async (t) => {
  const { address } = await outside(t);
  type CurrencySums = { bank: string; gateways: string; cash: string };
  const readSums = async () =>
    (await ask<{ sums: CurrencySums & { LAK: CurrencySums } }>(address, 'GET', '/control/totals')).body.sums;
  const sumsBefore = await readSums();
  const { body } = await generateQr(address);
  await payQr(address, body.qrCode, { from: LAO_PERSON });
  const sumsAfter = await readSums();
  assert.deepEqual(
    [sumsAfter.bank, sumsAfter.gateways, sumsAfter.cash],
    [sumsBefore.bank, sumsBefore.gateways, sumsBefore.cash],
  );
  const growthOf = (sumName: keyof CurrencySums) => Number(sumsAfter.LAK[sumName]) - Number(sumsBefore.LAK[sumName]);
  assert.deepEqual([growthOf('bank'), growthOf('gateways'), growthOf('cash')], [499_980_000, 20_000, 500_000_000]);
});
