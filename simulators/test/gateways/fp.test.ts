import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPaymentQr } from '../../src/thai-qr.ts';
import { ask, outside, outsideFor, payQr, until } from '../harness.ts';

const { fp } = outsideFor('http://127.0.0.1:9');

type FpOrder = {
  status: string;
  qrText: string;
  platformNo: string;
  paidAmount: string | null;
  tradeNo: string | null;
};
type FpReply = { code: number; msg: string; data: FpOrder };

/** Signs a form as the protocol specifies. */
function signedForm(fields: Record<string, string>): URLSearchParams {
  const form: Record<string, string> = {
    merchantNo: fp.merchantNo,
    timestamp: String(Math.floor(Date.now() / 1000)),
    ...fields,
  };
  const text = Object.entries(form)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&');
  return new URLSearchParams({ ...form, sign: createHmac('sha256', fp.key).update(text).digest('hex') });
}

const callFp = async (address: string, name: string, body: unknown): Promise<FpReply> => {
  const reply = await ask<FpReply>(address, 'POST', `/fp/order/${name}`, body);
  assert.equal(reply.status, 200);
  return reply.body;
};
const createOrder = (address: string, orderNo: string, fields: Record<string, string> = {}) =>
  callFp(address, 'create', signedForm({ orderNo, amount: '25.50', currency: 'THB', ...fields }));

test('the same FP order returns the same code, and another amount under its number is refused', async (t) => {
  const { address } = await outside(t);
  const created = await createOrder(address, 'D1');
  assert.deepEqual([created.code, created.data.status], [0, 'WAIT']);
  const read = readPaymentQr(created.data.qrText);
  assert.ok(read?.kind === 'bill');
  assert.deepEqual([read.billerId, read.reference1, read.reference2], [fp.billerId, 'D1', created.data.platformNo]);
  assert.deepEqual(await createOrder(address, 'D1'), created);
  assert.equal((await createOrder(address, 'D1', { amount: '25.51' })).code, 1007);
});

test('FP accepts only forms that are signed, recent and complete', async (t) => {
  const { address } = await outside(t);
  const alteredForm = signedForm({ orderNo: 'D1', amount: '25.50', currency: 'THB' });
  alteredForm.set('amount', '2550.00');
  assert.equal((await callFp(address, 'create', alteredForm)).code, 1001);
  const oldTimestamp = String(Math.floor(Date.now() / 1000) - 301);
  const invalidForms: [Record<string, string>, number][] = [
    [{ merchantNo: 'NOBODY' }, 1002],
    [{ timestamp: oldTimestamp }, 1004],
    [{ orderNo: 'small' }, 1003],
    [{ amount: '1e3' }, 1003],
    [{ amount: '0.99' }, 1006],
    [{ amount: '50000.01' }, 1006],
    [{ currency: 'LAK' }, 1003],
  ];
  for (const [fields, code] of invalidForms) assert.equal((await createOrder(address, 'D1', fields)).code, code);
  assert.equal((await callFp(address, 'query', signedForm({ orderNo: 'D1' }))).code, 1005);
});

test('an FP callback is a form, and is retried until the reply is success', async (t) => {
  const { address, listener } = await outside(t);
  await ask(address, 'POST', '/control/settings', { callbacks: { fp: { retryMs: [40, 40, 40] } } });
  listener.answer = (n) => ({ status: 200, body: n < 3 ? '"success"' : 'success' });
  const created = await createOrder(address, 'D1');
  await payQr(address, created.data.qrText, { amount: '24.00' });
  await until(() => listener.raw.length === 3, 'three attempts');
  await sleep(150);
  assert.equal(listener.raw.length, 3);
  const form = Object.fromEntries(new URLSearchParams(listener.raw[0]?.body));
  const { data } = await callFp(address, 'query', signedForm({ orderNo: 'D1' }));
  assert.deepEqual([form['orderNo'], form['amount'], form['tradeNo']], ['D1', '24.00', data.tradeNo]);
  assert.deepEqual([data.status, data.paidAmount], ['PAID', '24.00']);
});

test('FP closes open orders, and returns the status of all others', async (t) => {
  const { address } = await outside(t);
  const close = (orderNo: string) => callFp(address, 'close', signedForm({ orderNo }));
  const created = await createOrder(address, 'D1');
  for (let time = 0; time < 2; time += 1) assert.equal((await close('D1')).data.status, 'CLOSED');
  await payQr(address, created.data.qrText, { late: true });
  assert.equal((await close('D1')).code, 1010);
  await createOrder(address, 'D2');
  await ask(address, 'POST', '/control/expire-qr', { reference1: 'D2' });
  assert.equal((await close('D2')).code, 1011);
  assert.equal((await close('D3')).code, 1005);
});

test('FP supports the configured faults', async (t) => {
  const { address, listener } = await outside(t);
  const orderFault = (fault: object) => ask(address, 'POST', '/control/faults', { target: 'fp', ...fault });
  await orderFault({ fault: 'decline' });
  assert.equal((await createOrder(address, 'D1')).code, 1099);
  await orderFault({ fault: 'callback-early' });
  listener.answer = () => ({ status: 200, body: 'success' });
  assert.equal((await createOrder(address, 'D2')).data.status, 'WAIT');
  assert.equal(listener.raw.length, 1);
  assert.equal((await callFp(address, 'query', signedForm({ orderNo: 'D2' }))).data.status, 'PAID');
});
