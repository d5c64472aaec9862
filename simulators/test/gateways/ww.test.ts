import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { readPaymentQr } from '../../src/thai-qr.ts';
import { ask, outside, outsideFor, payQr, until } from '../harness.ts';

const { ww } = outsideFor('http://127.0.0.1:9');
const authorization = `Basic ${Buffer.from(`${ww.merchantId}:${ww.apiKey}`).toString('base64')}`;

type Payment = {
  status: string;
  qrPayload: string;
  amount: string;
  paid: { amount: string; transactionId: string; payer: { name: string } } | null;
  error?: { code: string };
};

const create = (address: string, merchantReference: string, fields: object = {}, headers = { authorization }) =>
  ask<Payment>(
    address,
    'POST',
    '/ww/v1/payments',
    { merchantReference, amount: '150.00', currency: 'THB', ...fields },
    headers,
  );
const inquire = (address: string, reference: string) =>
  ask<Payment>(address, 'GET', `/ww/v1/payments/${reference}`, undefined, { authorization });
const cancel = (address: string, reference: string) =>
  ask<Payment>(address, 'POST', `/ww/v1/payments/${reference}/cancel`, {}, { authorization });

/** The signature of a callback as the protocol specifies. */
const signatureOf = (timestamp: string, body: string) =>
  createHmac('sha256', Buffer.from(ww.signingSecret, 'base64')).update(`${timestamp}.${body}`).digest('hex');

test('a WW payment is a bill payment QR with its own biller, and paying it sends a signed callback', async (t) => {
  const { address, listener } = await outside(t);
  const made = await create(address, 'D-1');
  assert.deepEqual([made.status, made.body.status], [200, 'pending']);
  const read = readPaymentQr(made.body.qrPayload);
  assert.ok(read?.kind === 'bill');
  assert.deepEqual([read.billerId, read.reference1, read.amount], [ww.billerId, 'D1', '150.00']);
  assert.equal((await payQr(address, made.body.qrPayload)).status, 200);
  await until(() => listener.raw.length === 1, 'the callback');
  const { headers, body = '' } = listener.raw[0] ?? {};
  const timestamp = String(headers?.['ww-signature-timestamp']);
  assert.ok(Math.abs(Number(timestamp) * 1000 - Date.now()) < 60_000);
  assert.equal(headers?.['ww-signature'], signatureOf(timestamp, body));
  const asked = (await inquire(address, 'D-1')).body;
  assert.deepEqual([asked.status, asked.paid?.amount, asked.paid?.payer.name], ['successful', '150.00', 'มะลิ ส']);
});

test('WW refuses by HTTP status and code, without effect', async (t) => {
  const { address } = await outside(t);
  const wrong: [object, number, string][] = [
    [{ amount: '99.99' }, 422, 'amount_too_low'],
    [{ amount: '500000.01' }, 422, 'amount_too_high'],
    [{ amount: '1e3' }, 400, 'bad_request'],
    [{ currency: 'LAK' }, 422, 'currency_not_supported'],
    [{ merchantReference: 'a b' }, 400, 'bad_request'],
  ];
  for (const [fields, status, code] of wrong) {
    const reply = await create(address, 'D1', fields);
    assert.deepEqual([reply.status, reply.body.error?.code], [status, code]);
  }
  const stranger = await create(address, 'D1', {}, { authorization: 'Basic eDp5' });
  assert.deepEqual([stranger.status, stranger.body.error?.code], [401, 'unauthorized']);
  assert.equal((await inquire(address, 'D1')).body.error?.code, 'payment_not_found');
  await create(address, 'D1');
  assert.equal((await create(address, 'D1')).body.error?.code, 'duplicate_reference');
});

test('WW cancels finally, unless the money arrives; and has a status for failure', async (t) => {
  const { address } = await outside(t);
  const made = (await create(address, 'D1')).body;
  for (let time = 0; time < 2; time += 1) assert.equal((await cancel(address, 'D1')).body.status, 'cancelled');
  assert.equal((await payQr(address, made.qrPayload)).body.error, 'qr_cancelled');
  assert.equal((await payQr(address, made.qrPayload, { late: true })).status, 200);
  assert.equal((await cancel(address, 'D1')).body.error?.code, 'payment_successful');
  await create(address, 'D2');
  await ask(address, 'POST', '/control/fail-qr', { reference1: 'D2' });
  assert.equal((await inquire(address, 'D2')).body.status, 'failed');
  assert.equal((await cancel(address, 'D2')).body.error?.code, 'payment_failed');
  await create(address, 'D3');
  await ask(address, 'POST', '/control/expire-qr', { reference1: 'D3' });
  assert.equal((await cancel(address, 'D3')).body.error?.code, 'payment_expired');
});

test('a WW callback that is not accepted is signed again and retried; a forged one has another key', async (t) => {
  const { address, listener } = await outside(t);
  await ask(address, 'POST', '/control/settings', { callbacks: { ww: { retryMs: [1_100, 40] } } });
  listener.answer = () => ({ status: 500, body: 'no' });
  await payQr(address, (await create(address, 'D1')).body.qrPayload);
  await until(() => listener.raw.length === 3, 'three attempts');
  const stamps = listener.raw.map(({ headers }) => headers['ww-signature-timestamp']);
  assert.notEqual(stamps[0], stamps[1]);
  await ask(address, 'POST', '/control/faults', { target: 'ww', fault: 'callback-forged' });
  await create(address, 'D2');
  await until(() => listener.raw.length === 4, 'the forged one');
  const { headers, body = '' } = listener.raw[3] ?? {};
  assert.notEqual(headers?.['ww-signature'], signatureOf(String(headers?.['ww-signature-timestamp']), body));
  assert.equal((await inquire(address, 'D2')).body.status, 'pending');
});
