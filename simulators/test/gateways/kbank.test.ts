import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readPaymentQr } from '../../src/thai-qr.ts';
import { ask, inquire, kbankBody, type KbankReply, newCode, outside, payQr, until } from '../harness.ts';

test('a KBANK code is a bill payment QR with our reference and amount', async (t) => {
  const { address } = await outside(t);
  const newQrCode = await newCode(address, 'D00000000001', { txnAmount: '1234.5' });
  assert.equal(newQrCode.statusCode, '00');
  const read = readPaymentQr(newQrCode.qrCode);
  assert.equal(read?.kind, 'bill');
  assert.equal(read?.kind === 'bill' && read.billerId, '099999999999901');
  assert.equal(read?.kind === 'bill' && read.reference1, 'D00000000001');
  assert.equal(read?.amount, '1234.50');
});

test('a paid KBANK code calls back, and the inquiry returns the actual amount and payer', async (t) => {
  const { address, listener } = await outside(t);
  const newQrCode = await newCode(address, 'D1');
  assert.equal((await inquire(address, 'D1')).txnStatus, 'REQUESTED');
  const payment = await payQr(address, newQrCode.qrCode);
  assert.equal(payment.status, 200);
  await until(() => listener.got.length === 1, 'the callback comes');
  assert.equal(listener.got[0]?.partnerTxnUid, newQrCode.partnerTxnUid);
  assert.equal(listener.got[0]?.txnAmount, '100.00');
  const inquiry = await inquire(address, 'D1');
  assert.equal(inquiry.txnStatus, 'PAID');
  assert.equal(inquiry.paidAmount, '100.00');
  assert.equal(inquiry.txnNo, payment.body.txnNo);
  assert.equal(inquiry.payerAccountNo, 'xxx-x-x6789-x');
  assert.equal(inquiry.payerName, 'มะลิ ส');
});

test('a KBANK payment of another amount than requested is returned as paidAmount', async (t) => {
  const { address } = await outside(t);
  const newQrCode = await newCode(address, 'D1');
  await payQr(address, newQrCode.qrCode, { amount: 99.99 });
  const inquiry = await inquire(address, 'D1');
  assert.equal(inquiry.txnAmount, '100.00');
  assert.equal(inquiry.paidAmount, '99.99');
});

test('KBANK accepts a request id and a reference once each', async (t) => {
  const { address } = await outside(t);
  const newQrCode = await newCode(address, 'D1');
  const repeatedRequest = await newCode(address, 'D2', { partnerTxnUid: newQrCode.partnerTxnUid });
  assert.deepEqual([repeatedRequest.statusCode, repeatedRequest.errorCode], ['10', 'duplicate_request']);
  assert.equal((await newCode(address, 'D1')).errorCode, 'duplicate_request');
  assert.equal((await inquire(address, 'D2')).txnStatus, 'NOT_FOUND');
  assert.equal((await inquire(address, 'D1')).qrCode, newQrCode.qrCode);
});

test("KBANK refuses invalid requests with the field's name", async (t) => {
  const { address } = await outside(t);
  const invalidRequests: [object, string][] = [
    [{ partnerSecret: 'x' }, 'authentication_error'],
    [{ merchantId: 'x' }, 'invalid_merchant'],
    [{ qrType: '1' }, 'invalid_qr_type'],
    [{ txnCurrencyCode: 'USD' }, 'invalid_currency_code'],
    [{ txnAmount: '1.005' }, 'invalid_txn_amount'],
    [{ txnAmount: '0.99' }, 'invalid_txn_amount'],
    [{ txnAmount: '1e3' }, 'invalid_txn_amount'],
    [{ reference1: 'lower' }, 'invalid_reference1'],
    [{ reference1: 'A'.repeat(21) }, 'invalid_reference1'],
    [{ requestDt: 'yesterday' }, 'bad_request'],
    [{ partnerTxnUid: 'A'.repeat(16) }, 'bad_request'],
  ];
  for (const [fields, errorCode] of invalidRequests)
    assert.equal((await newCode(address, 'D1', fields)).errorCode, errorCode);
});

test('a cancelled KBANK code is not payable, but a late payment makes it PAID permanently', async (t) => {
  const { address, listener } = await outside(t);
  const newQrCode = await newCode(address, 'D1');
  const cancelCode = () =>
    ask<KbankReply>(address, 'POST', '/kbank/pos/qr_cancel', kbankBody({ origPartnerTxnUid: newQrCode.partnerTxnUid }));
  assert.equal((await cancelCode()).body.statusCode, '00');
  assert.equal((await inquire(address, 'D1')).txnStatus, 'CANCELLED');
  assert.equal((await payQr(address, newQrCode.qrCode)).body.error, 'qr_cancelled');
  assert.equal((await payQr(address, newQrCode.qrCode, { late: true })).status, 200);
  assert.equal((await inquire(address, 'D1')).txnStatus, 'PAID');
  assert.equal((await cancelCode()).body.errorCode, 'qr_paid');
  assert.equal((await payQr(address, newQrCode.qrCode, { late: true })).body.error, 'qr_paid');
  await until(() => listener.got.length === 1, 'the callback of late money comes');
});

test('a KBANK code expires after its lifetime or by command', async (t) => {
  const { address } = await outside(t);
  const shortLivedCode = await newCode(address, 'D1', { lifeSeconds: 1 });
  await sleep(1050);
  assert.equal((await inquire(address, 'D1')).txnStatus, 'EXPIRED');
  assert.equal((await payQr(address, shortLivedCode.qrCode)).body.error, 'qr_expired');
  const newQrCode = await newCode(address, 'D2');
  assert.equal((await ask(address, 'POST', '/control/expire-qr', { reference1: 'D2' })).status, 200);
  const cancelReply = await ask<KbankReply>(
    address,
    'POST',
    '/kbank/pos/qr_cancel',
    kbankBody({ origPartnerTxnUid: newQrCode.partnerTxnUid }),
  );
  assert.equal(cancelReply.body.errorCode, 'qr_expired');
});

test('a KBANK callback that is not accepted is sent three more times, then never again', async (t) => {
  const { address, listener } = await outside(t, { retryMs: 60 });
  listener.answer = () => ({ status: 200, body: '{"statusCode":"10"}' });
  await payQr(address, (await newCode(address, 'D1')).qrCode);
  await until(() => listener.got.length === 4, 'four attempts');
  await sleep(250);
  assert.equal(listener.got.length, 4);
  const callbackCalls = () => ask<{ target: string }[]>(address, 'GET', '/control/calls?target=callback&call=kbank');
  await until(async () => (await callbackCalls()).body.length === 4, 'all four are noted');
});

test('a KBANK callback that failed once and then is accepted is sent twice', async (t) => {
  const { address, listener } = await outside(t, { retryMs: 60 });
  listener.answer = (n) => (n === 1 ? { status: 503, body: 'no' } : { status: 200, body: '{"statusCode":"00"}' });
  await payQr(address, (await newCode(address, 'D1')).qrCode);
  await until(() => listener.got.length === 2, 'the second attempt');
  await sleep(200);
  assert.equal(listener.got.length, 2);
});

test('of parallel payers of one KBANK code one pays, and the others keep their money', async (t) => {
  const { address } = await outside(t);
  const newQrCode = await newCode(address, 'D1');
  const payers = Array.from({ length: 8 }, (_, n) => ({
    bankCode: 'SCB',
    accountNo: `123456789${n}`,
    accountName: `Payer ${n}`,
  }));
  const results = await Promise.all(payers.map((payer) => payQr(address, newQrCode.qrCode, { from: payer })));
  assert.equal(results.filter(({ status }) => status === 200).length, 1);
  const { body } = await ask<{ sums: Record<'bank' | 'gateways' | 'settled' | 'cash', string> }>(
    address,
    'GET',
    '/control/totals',
  );
  assert.equal(body.sums.gateways, '100.00');
  // The bank's own gateway settles immediately, to the operator's account.
  assert.equal(body.sums.settled, '100.00');
  assert.equal(Number(body.sums.bank), Number(body.sums.cash));
});
