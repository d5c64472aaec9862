import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { readPaymentQr } from '../../src/thai-qr.ts';
import { ask, outside, payQr, PERSON, type Reply, until } from '../harness.ts';

type PayonexTransaction = {
  uuid: string;
  referenceId: string;
  status: string;
  requestAmount: number;
  amount: number;
  fee: number;
  settleAmount: number;
  receivedAmount: number | null;
  qrCode: string;
  payer: { bankCode: string; accountNo: string; name: string } | null;
};
type ReplyEnvelope<Data> = { success: boolean; data: Data; code?: string };
type GatewayTotal = { gateway: string; received: string; unmatched: string; fee: string; payments: number };

/** Opens a gateway with a token and one customer, who pays in all tests. */
async function gateway(t: TestContext) {
  const { address, listener } = await outside(t);
  const keys = { accessKey: 'payonex-access', secretKey: 'payonex-secret' };
  const { body } = await ask<ReplyEnvelope<{ token: string }>>(address, 'POST', '/payonex/authenticate', keys);
  const headers = { authorization: `Bearer ${body.data.token}` };
  const callPayonex = <Data>(method: string, path: string, fields?: object): Promise<Reply<ReplyEnvelope<Data>>> =>
    ask(address, method, `/payonex${path}`, fields, headers);
  const newCustomer = async (fields: object = {}) => {
    const { bankCode, accountNo, accountName: name } = PERSON;
    return callPayonex<{ customerUuid: string }>('POST', '/v2/customers', { name, bankCode, accountNo, ...fields });
  };
  const { customerUuid } = (await newCustomer()).body.data;
  const request = (referenceId: string, fields: object = {}) =>
    callPayonex<PayonexTransaction>('POST', '/transactions/deposit/request', {
      customerUuid,
      amount: 100,
      referenceId,
      ...fields,
    });
  const total = async () => {
    const { body: totals } = await ask<{
      gateways: GatewayTotal[];
      sums: { bank: string; gateways: string; cash: string };
    }>(address, 'GET', '/control/totals');
    const toMinor = (text: string) => BigInt(text.replace('.', ''));
    assert.equal(toMinor(totals.sums.bank) + toMinor(totals.sums.gateways), toMinor(totals.sums.cash));
    return totals.gateways.find((gatewayTotal) => gatewayTotal.gateway === 'payonex');
  };
  const findTransaction = async (referenceId: string) =>
    (await callPayonex<PayonexTransaction>('GET', `/transactions?referenceId=${referenceId}`)).body.data;
  return { address, listener, call: callPayonex, newCustomer, request, find: findTransaction, total };
}

test("PAYONEX's keys give a token, and every call needs one", async (t) => {
  const { address, call } = await gateway(t);
  const wrongKeys = { accessKey: 'payonex-access', secretKey: 'x' };
  const refusedLogin = await ask<ReplyEnvelope<null>>(address, 'POST', '/payonex/authenticate', wrongKeys);
  assert.deepEqual([refusedLogin.status, refusedLogin.body.code], [401, 'KEYS_INVALID']);
  const withoutToken = await ask<ReplyEnvelope<null>>(address, 'GET', '/payonex/transactions?referenceId=D1');
  assert.deepEqual([withoutToken.status, withoutToken.body.code], [401, 'TOKEN_INVALID']);
  assert.equal((await call('GET', '/transactions?referenceId=D1')).body.code, 'TRANSACTION_NOT_FOUND');
  await ask(address, 'POST', '/control/payonex/revoke-tokens');
  assert.equal((await call('GET', '/transactions?referenceId=D1')).body.code, 'TOKEN_INVALID');
});

test('at PAYONEX one bank account is one customer, and unknown banks are refused', async (t) => {
  const { newCustomer } = await gateway(t);
  const [firstReply, repeatedReply, otherReply] = [
    await newCustomer(),
    await newCustomer({ name: 'NEW NAME' }),
    await newCustomer({ accountNo: '1112223334' }),
  ].map(({ body }) => body.data.customerUuid);
  assert.equal(firstReply, repeatedReply);
  assert.notEqual(firstReply, otherReply);
  assert.equal((await newCustomer({ bankCode: 'BCEL' })).body.code, 'BANK_NOT_SUPPORTED');
});

test('every open PAYONEX transaction has a unique amount, up to 0.99 more, until none is left', async (t) => {
  const { request, find } = await gateway(t);
  const amounts = new Set<number>();
  for (let number = 0; number < 99; number += 1) {
    const { body } = await request(`D${number}`);
    const { amount, requestAmount, qrCode } = body.data;
    assert.ok(amount > 100 && amount < 101);
    assert.equal(requestAmount, 100);
    const read = readPaymentQr(qrCode);
    assert.deepEqual([read?.kind, read?.amount], ['promptpay', amount.toFixed(2)]);
    amounts.add(amount);
  }
  assert.equal(amounts.size, 99);
  assert.equal((await request('D99')).body.code, 'NO_FREE_AMOUNT');
  assert.equal((await request('D98')).body.code, 'DUPLICATE_REFERENCE');
  assert.equal((await request('D100', { amount: 99.99 })).body.code, 'AMOUNT_OUT_OF_RANGE');
  assert.equal((await find('D0')).status, 'PROCESSING');
});

test('the amount identifies a PAYONEX transaction; the gateway deducts its fee and calls back', async (t) => {
  const { address, listener, request, find, total } = await gateway(t);
  const { body } = await request('D1', { amount: 1000 });
  const { amount, qrCode, uuid } = body.data;
  const payment = await payQr(address, qrCode, { from: { ...PERSON, accountNo: '9998887776' } });
  assert.equal(payment.status, 200);
  await until(() => listener.got.length === 1, 'the callback comes');
  const transaction = (listener.got[0] as unknown as ReplyEnvelope<PayonexTransaction>).data;
  const expectedFee = Math.round(amount * 1.5) / 100;
  assert.deepEqual(
    [transaction.uuid, transaction.status, transaction.amount, transaction.fee],
    [uuid, 'SUCCESS', amount, expectedFee],
  );
  const foundTransaction = await find('D1');
  assert.deepEqual(
    [foundTransaction.status, foundTransaction.amount, foundTransaction.fee],
    ['SUCCESS', amount, expectedFee],
  );
  assert.equal((foundTransaction.settleAmount * 100).toFixed(0), ((amount - expectedFee) * 100).toFixed(0));
  assert.deepEqual(foundTransaction.payer, { bankCode: 'SCB', accountNo: 'xxx-x-x8777-x', name: 'มะลิ ส' });
  assert.deepEqual(await total(), {
    gateway: 'payonex',
    currency: 'BAHT',
    received: amount.toFixed(2),
    payments: 1,
    unmatched: '0.00',
    fee: expectedFee.toFixed(2),
  });
});

test("at PAYONEX a wrong amount of a waiting customer is held and can be released; a stranger's matches none", async (t) => {
  const { address, listener, request, find, total } = await gateway(t);
  const { qrCode } = (await request('D1')).body.data;
  const stranger = { bankCode: 'KTB', accountNo: '5556667778', accountName: 'คนแปลก หน้า' };
  await payQr(address, qrCode, { amount: '50.00', from: stranger });
  assert.equal((await find('D1')).status, 'PROCESSING');
  await payQr(address, qrCode, { amount: '100.00' });
  const heldTransaction = await find('D1');
  assert.deepEqual([heldTransaction.status, heldTransaction.receivedAmount], ['ON_HOLD', 100]);
  await until(() => listener.got.length === 1, 'the callback of the held one');
  assert.equal((listener.got[0] as unknown as ReplyEnvelope<PayonexTransaction>).data.status, 'ON_HOLD');
  const totalBefore = await total();
  assert.deepEqual([totalBefore?.received, totalBefore?.unmatched, totalBefore?.fee], ['150.00', '150.00', '0.00']);
  assert.equal((await ask(address, 'POST', '/control/payonex/release', { referenceId: 'D1' })).status, 200);
  assert.deepEqual([(await find('D1')).status, (await find('D1')).amount], ['SUCCESS', 100]);
  await until(() => listener.got.length === 2, 'the callback of the released one');
  const totalAfter = await total();
  assert.deepEqual([totalAfter?.received, totalAfter?.unmatched, totalAfter?.fee], ['150.00', '50.00', '1.50']);
  assert.equal((await ask(address, 'POST', '/control/payonex/release', { referenceId: 'D1' })).status, 404);
});

test('a late PAYONEX payment matches its transaction while the amount is reserved, a second payment matches none', async (t) => {
  const { address, request, find, total } = await gateway(t);
  const { qrCode, amount } = (await request('D1')).body.data;
  await ask(address, 'POST', '/control/expire-qr', { reference1: 'D1' });
  assert.equal((await find('D1')).status, 'PROCESSING');
  assert.equal((await payQr(address, qrCode)).status, 200);
  assert.equal((await find('D1')).status, 'SUCCESS');
  assert.equal((await payQr(address, qrCode)).status, 200);
  assert.equal((await total())?.unmatched, amount.toFixed(2));
});
