import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLaoPaymentQr } from '../../src/lao-qr.ts';
import { ask, outside, payQr, until } from '../harness.ts';

const PATH = '/bcel/v1/api/payment';
const HEADERS = { secretKey: 'bcel-secret' };
const LAO_PERSON = { bankCode: 'BCEL', accountNo: '010120009876543', accountName: 'SOMSAK VONGSA' };

type Made = { message: string; transactionId: string; qrCode: string; link: string };
type Seen = {
  status: string;
  amount: number;
  txnAmount: number | null;
  refNo: string | null;
  sourceName: string | null;
};

const generate = (address: string, fields: object = {}, headers: Record<string, string> = HEADERS) =>
  ask<Made>(
    address,
    'POST',
    `${PATH}/generate-bcel-qr`,
    { amount: 20_000, description: 'DEPOSIT D1', tag1: 'D1', ...fields },
    headers,
  );
const inquire = (address: string, tag1: string) =>
  ask<Seen>(address, 'GET', `${PATH}/transactions?tag1=${tag1}`, undefined, HEADERS);

test('a code is a Lao QR in whole kip that a bank account in kip pays, and calls back', async (t) => {
  const { address, listener } = await outside(t);
  const { body } = await generate(address);
  assert.equal(body.link, `onepay://qr/${body.qrCode}`);
  const read = readLaoPaymentQr(body.qrCode);
  assert.deepEqual([read?.receiver, read?.amount], ['mch0123456789abc', '20000']);
  const seen = await ask<Record<string, string>>(address, 'POST', '/bank/read-qr', { payload: body.qrCode });
  assert.deepEqual([seen.body['gateway'], seen.body['currency'], seen.body['amount']], ['bcel', 'LAK', '20000.00']);
  assert.equal((await payQr(address, body.qrCode)).body.error, 'other_currency');
  assert.equal((await payQr(address, body.qrCode, { from: LAO_PERSON, amount: '100.50' })).body.error, 'bad_input');
  assert.equal((await inquire(address, 'D1')).body.status, 'PENDING');
  const paid = await payQr(address, body.qrCode, { from: LAO_PERSON });
  assert.deepEqual([paid.status, paid.body.amount], [200, '20000.00']);
  await until(() => listener.got.length === 1, 'the callback comes');
  const notification = listener.got[0] as unknown as Record<string, unknown>;
  assert.deepEqual(
    [notification['tag1'], notification['status'], notification['txnAmount']],
    ['D1', 'PAYMENT_COMPLETED', 20_000],
  );
  const after = (await inquire(address, 'D1')).body;
  assert.deepEqual(
    [after.status, after.txnAmount, after.refNo, after.sourceName],
    ['PAYMENT_COMPLETED', 20_000, notification['refNo'], 'SOMSAK V'],
  );
  assert.equal((await payQr(address, body.qrCode, { from: LAO_PERSON })).body.error, 'qr_paid');
});

test('an invalid request is refused by name and creates nothing', async (t) => {
  const { address } = await outside(t);
  const wrong: [object, string][] = [
    [{ amount: 999 }, 'AMOUNT_OUT_OF_RANGE'],
    [{ amount: 50_000_001 }, 'AMOUNT_OUT_OF_RANGE'],
    [{ amount: 20_000.5 }, 'BAD_REQUEST'],
    [{ description: 'ຝາກເງິນ' }, 'BAD_REQUEST'],
    [{ tag1: 'd 1' }, 'BAD_REQUEST'],
  ];
  for (const [fields, message] of wrong) assert.equal((await generate(address, fields)).body.message, message);
  assert.equal((await generate(address, {}, { secretKey: 'x' })).body.message, 'UNAUTHORIZED');
  assert.equal((await inquire(address, 'D1')).status, 404);
  assert.equal((await generate(address)).status, 200);
  const again = await generate(address, { amount: 30_000 });
  assert.deepEqual([again.status, again.body.message], [409, 'DUPLICATE_TAG1']);
  assert.equal((await inquire(address, 'D1')).body.amount, 20_000);
});

test('totals never mix kip and baht', async (t) => {
  const { address } = await outside(t);
  type Sums = { bank: string; gateways: string; cash: string };
  const sums = async () => (await ask<{ sums: Sums & { LAK: Sums } }>(address, 'GET', '/control/totals')).body.sums;
  const before = await sums();
  const { body } = await generate(address);
  await payQr(address, body.qrCode, { from: LAO_PERSON });
  const after = await sums();
  assert.deepEqual([after.bank, after.gateways, after.cash], [before.bank, before.gateways, before.cash]);
  const grown = (of: keyof Sums) => Number(after.LAK[of]) - Number(before.LAK[of]);
  assert.deepEqual([grown('bank'), grown('gateways'), grown('cash')], [499_980_000, 20_000, 500_000_000]);
});
