import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { readPaymentQr } from '../../src/thai-qr.ts';
import { ask, outside, outsideFor, payQr, until } from '../harness.ts';

const { ww } = outsideFor('http://127.0.0.1:9');
const authorization = `Basic ${Buffer.from(`${ww.merchantId}:${ww.apiKey}`).toString('base64')}`;

type WwPayment = {
  status: string;
  qrPayload: string;
  amount: string;
  paid: { amount: string; transactionId: string; payer: { name: string } } | null;
  error?: { code: string };
};

const createPayment = (address: string, merchantReference: string, fields: object = {}, headers = { authorization }) =>
  ask<WwPayment>(
    address,
    'POST',
    '/ww/v1/payments',
    { merchantReference, amount: '150.00', currency: 'THB', ...fields },
    headers,
  );
const inquirePayment = (address: string, reference: string) =>
  ask<WwPayment>(address, 'GET', `/ww/v1/payments/${reference}`, undefined, { authorization });
const cancelPayment = (address: string, reference: string) =>
  ask<WwPayment>(address, 'POST', `/ww/v1/payments/${reference}/cancel`, {}, { authorization });

/** Signature of a callback as the protocol specifies. */
const signatureOf = (timestamp: string, body: string) =>
  createHmac('sha256', Buffer.from(ww.signingSecret, 'base64')).update(`${timestamp}.${body}`).digest('hex');

test('a WW payment is a bill payment QR with its own biller, and paying it sends a signed callback', async (t) => {
  const { address, listener } = await outside(t);
  const created = await createPayment(address, 'D-1');
  assert.deepEqual([created.status, created.body.status], [200, 'pending']);
  const read = readPaymentQr(created.body.qrPayload);
  assert.ok(read?.kind === 'bill');
  assert.deepEqual([read.billerId, read.reference1, read.amount], [ww.billerId, 'D1', '150.00']);
  assert.equal((await payQr(address, created.body.qrPayload)).status, 200);
  await until(() => listener.raw.length === 1, 'the callback');
  const { headers, body = '' } = listener.raw[0] ?? {};
  const timestamp = String(headers?.['ww-signature-timestamp']);
  assert.ok(Math.abs(Number(timestamp) * 1000 - Date.now()) < 60_000);
  assert.equal(headers?.['ww-signature'], signatureOf(timestamp, body));
  const inquiry = (await inquirePayment(address, 'D-1')).body;
  assert.deepEqual([inquiry.status, inquiry.paid?.amount, inquiry.paid?.payer.name], ['successful', '150.00', 'มะลิ ส']);
});

test('WW refuses by HTTP status and code, without effect', async (t) => {
  const { address } = await outside(t);
  const invalidRequests: [object, number, string][] = [
    [{ amount: '99.99' }, 422, 'amount_too_low'],
    [{ amount: '500000.01' }, 422, 'amount_too_high'],
    [{ amount: '1e3' }, 400, 'bad_request'],
    [{ currency: 'LAK' }, 422, 'currency_not_supported'],
    [{ merchantReference: 'a b' }, 400, 'bad_request'],
  ];
  for (const [fields, status, code] of invalidRequests) {
    const reply = await createPayment(address, 'D1', fields);
    assert.deepEqual([reply.status, reply.body.error?.code], [status, code]);
  }
  const refusedReply = await createPayment(address, 'D1', {}, { authorization: 'Basic eDp5' });
  assert.deepEqual([refusedReply.status, refusedReply.body.error?.code], [401, 'unauthorized']);
  assert.equal((await inquirePayment(address, 'D1')).body.error?.code, 'payment_not_found');
  await createPayment(address, 'D1');
  assert.equal((await createPayment(address, 'D1')).body.error?.code, 'duplicate_reference');
});

test('WW cancels finally, unless the money arrives; and has a status for failure', async (t) => {
  const { address } = await outside(t);
  const created = (await createPayment(address, 'D1')).body;
  for (let time = 0; time < 2; time += 1) assert.equal((await cancelPayment(address, 'D1')).body.status, 'cancelled');
  assert.equal((await payQr(address, created.qrPayload)).body.error, 'qr_cancelled');
  assert.equal((await payQr(address, created.qrPayload, { late: true })).status, 200);
  assert.equal((await cancelPayment(address, 'D1')).body.error?.code, 'payment_successful');
  await createPayment(address, 'D2');
  await ask(address, 'POST', '/control/fail-qr', { reference1: 'D2' });
  assert.equal((await inquirePayment(address, 'D2')).body.status, 'failed');
  assert.equal((await cancelPayment(address, 'D2')).body.error?.code, 'payment_failed');
  await createPayment(address, 'D3');
  await ask(address, 'POST', '/control/expire-qr', { reference1: 'D3' });
  assert.equal((await cancelPayment(address, 'D3')).body.error?.code, 'payment_expired');
});

test('a WW callback that is not accepted is signed again and retried; a forged one has another key', async (t) => {
  const { address, listener } = await outside(t);
  await ask(address, 'POST', '/control/settings', { callbacks: { ww: { retryMs: [1_100, 40] } } });
  listener.answer = () => ({ status: 500, body: 'no' });
  await payQr(address, (await createPayment(address, 'D1')).body.qrPayload);
  await until(() => listener.raw.length === 3, 'three attempts');
  const timestamps = listener.raw.map(({ headers }) => headers['ww-signature-timestamp']);
  assert.notEqual(timestamps[0], timestamps[1]);
  await ask(address, 'POST', '/control/faults', { target: 'ww', fault: 'callback-forged' });
  await createPayment(address, 'D2');
  await until(() => listener.raw.length === 4, 'the forged one');
  const { headers, body = '' } = listener.raw[3] ?? {};
  assert.notEqual(headers?.['ww-signature'], signatureOf(String(headers?.['ww-signature-timestamp']), body));
  assert.equal((await inquirePayment(address, 'D2')).body.status, 'pending');
});
