import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedHolder } from '../../src/bank/mask.ts';
import { ask, newCode, OPERATOR, outside, payQr, PERSON, until } from '../harness.ts';
import { type Feed, feed, isSigned, type Moved, signed } from './bank-api.ts';

const payOperator = async (address: string, fields: object = {}) =>
  (await ask<Moved>(address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: '250.75', ...fields }))
    .body;
const orderFault = (address: string, fault: object) =>
  ask(address, 'POST', '/control/faults', { target: 'bank', ...fault });
const pushBodies = (listener: { pushes: { text: string }[] }) =>
  listener.pushes.map(({ text }) => JSON.parse(text) as { transRef: string; amount: string });

test('the feed answers only requests with a valid key and a signature of the last five minutes', async (t) => {
  const { address } = await outside(t);
  const path = `/feed/${OPERATOR.bankCode}/${OPERATOR.accountNo}`;
  assert.equal((await signed(address, 'GET', path)).status, 200);
  const oldTimestamp = String(Math.floor(Date.now() / 1000) - 301);
  for (const wrongHeaders of [
    { 'x-api-key': 'other' },
    { 'x-signature': 'a'.repeat(64) },
    { 'x-timestamp': oldTimestamp },
    { 'x-timestamp': '' },
  ])
    assert.equal((await signed(address, 'GET', path, undefined, wrongHeaders as Record<string, string>)).status, 401);
  assert.equal((await ask(address, 'GET', `/bank-api${path}`)).status, 401);
  const { body } = await signed<{ error: string }>(address, 'GET', '/feed/SCB/1234567890');
  assert.equal(body.error, 'unknown_account');
});

test("a feed line has masked sender, exact amount, the slip's reference, and an increasing cursor", async (t) => {
  const { address } = await outside(t);
  const firstTransfer = await payOperator(address);
  const emptyPage = await feed(address, '?after=');
  const secondTransfer = await payOperator(address, { from: { ...PERSON, bankCode: 'KBANK' }, amount: '1.00' });
  const allLines = await feed(address);
  assert.deepEqual(
    allLines.lines.map(({ transRef, sendingBank, amount, balanceAfter }) => [
      transRef,
      sendingBank,
      amount,
      balanceAfter,
    ]),
    [
      [firstTransfer.transRef, '014', '250.75', '10000250.75'],
      [secondTransfer.transRef, '004', '1.00', '10000251.75'],
    ],
  );
  assert.deepEqual(allLines.lines[0]?.from, { bankCode: 'SCB', accountNo: 'xxxx567890', name: 'มะลิ ส' });
  assert.deepEqual(
    [allLines.lines[0]?.to, allLines.lines[0]?.reference1, allLines.lines[0]?.channel],
    [null, null, 'TRANSFER'],
  );
  const remainingPage = await feed(address, `?after=${emptyPage.nextCursor}`);
  assert.deepEqual(remainingPage.lines, allLines.lines.slice(1));
  const lastPage = await feed(address, `?after=${remainingPage.nextCursor}`);
  assert.deepEqual([lastPage.lines, lastPage.nextCursor, lastPage.more], [[], remainingPage.nextCursor, false]);
});

test('each bank masks the sender differently, and never completely', () => {
  const sender = { accountNo: '1234567890', accountName: 'Mali Suandee' };
  const maskedValues = (bankCode: string, accountHolder = sender) =>
    Object.values(maskedHolder(bankCode, accountHolder));
  assert.deepEqual(maskedValues('SCB'), ['xxx-x-x6789-x', 'Mali S']);
  assert.deepEqual(maskedValues('KBANK'), ['xxxx567890', 'Mali S']);
  assert.deepEqual(maskedValues('GSB'), ['xxx-x-x6789-x', null]);
  assert.deepEqual(maskedValues('BCEL', { ...sender, accountNo: '010120001234567' }), [
    '010xxxxxxxx4567',
    'MALI SUAND',
  ]);
  for (const bankCode of ['SCB', 'KBANK', 'GSB', 'BCEL', 'BBL']) {
    for (let length = 6; length <= 20; length++) {
      const accountNo = '12345678901234567890'.slice(0, length);
      const { accountNo: masked } = maskedHolder(bankCode, { ...sender, accountNo });
      const maskedDigits = masked.replaceAll('-', '');
      assert.equal(maskedDigits.length, length, `${bankCode} ${masked}`);
      assert.ok(
        Array.from(maskedDigits).every((digit, index) => digit === 'x' || digit === accountNo[index]),
        `${bankCode} ${masked}`,
      );
    }
  }
});

test('pages of the feed are contiguous without overlap, and a cursor never issued is refused', async (t) => {
  const { address } = await outside(t);
  for (let n = 1; n <= 5; n++) await payOperator(address, { amount: `${n}.00` });
  const shownAccounts: string[] = [];
  let page: Feed = { lines: [], nextCursor: '', more: true };
  while (page.more) {
    page = await feed(address, `?limit=2&after=${page.nextCursor}`);
    shownAccounts.push(...page.lines.map(({ amount }) => amount));
  }
  assert.deepEqual(shownAccounts, ['1.00', '2.00', '3.00', '4.00', '5.00']);
  for (const cursor of ['0000000000000099', 'x', '5'])
    assert.equal((await feed(address, `?after=${cursor}`)).error, 'bad_cursor');
  assert.equal((await feed(address, '?limit=0')).error, 'bad_request');
});

test('a payment of a gateway code is a feed line of a bill with our reference, immediately', async (t) => {
  const { address } = await outside(t);
  const newQrCode = await newCode(address, 'D1', { txnAmount: '99.01' });
  const payment = (await payQr(address, newQrCode.qrCode)).body;
  const { lines } = await feed(address);
  assert.deepEqual(
    lines.map(({ channel, reference1, amount, transRef, balanceAfter }) => [
      channel,
      reference1,
      amount,
      transRef,
      balanceAfter,
    ]),
    [['BILL', 'D1', '99.01', payment.transferId, '10000099.01']],
  );
});

test('a feed line is announced by a signed push, which is retried until accepted', async (t) => {
  const { address, listener } = await outside(t);
  await ask(address, 'POST', '/control/settings', { callbacks: { 'bank-feed': { retryMs: [20, 20, 20, 20, 20] } } });
  listener.answerPush = (n) => (n < 3 ? { status: 500, body: '{}' } : { status: 200, body: '{"ok":true}' });
  const transfer = await payOperator(address);
  await until(() => listener.pushes.length === 3, 'the third attempt');
  assert.ok(listener.pushes.every((pushed) => pushed.to === 'bank-feed' && isSigned(pushed)));
  assert.ok(
    pushBodies(listener).every(({ transRef, amount }) => transRef === transfer.transRef && amount === '250.75'),
  );
  // The push of the next transfer follows all pending pushes.
  const nextTransfer = await payOperator(address);
  await until(
    () => pushBodies(listener).some(({ transRef }) => transRef === nextTransfer.transRef),
    'the push of the next line',
  );
  assert.equal(listener.pushes.length, 4);
});

test('a push that is never accepted is sent six times in total', async (t) => {
  const { address, listener } = await outside(t);
  await ask(address, 'POST', '/control/settings', { callbacks: { 'bank-feed': { retryMs: [5, 5, 5, 5, 5] } } });
  listener.answerPush = () => ({ status: 200, body: '{"ok":false}' });
  await payOperator(address);
  const callbackCalls = () =>
    ask<{ status: number }[]>(address, 'GET', '/control/calls?target=callback&call=bank-feed');
  await until(async () => (await callbackCalls()).body.length === 6, 'six attempts');
  listener.answerPush = () => ({ status: 200, body: '{"ok":true}' });
  const nextTransfer = await payOperator(address, { amount: '2.00' });
  await until(
    () => pushBodies(listener).some(({ transRef }) => transRef === nextTransfer.transRef),
    'the push of the next line',
  );
  assert.equal(listener.pushes.length, 7);
});

test('a delayed feed line appears after a later payment, and has the later cursor', async (t) => {
  const { address } = await outside(t);
  // Exceeds the second transfer's delay on the busiest machine.
  await orderFault(address, { fault: 'line-late', delayMs: 4_000 });
  const lateTransfer = await payOperator(address);
  const promptTransfer = await payOperator(address);
  await until(async () => (await feed(address)).lines.length === 2, 'both lines');
  const { lines } = await feed(address);
  assert.deepEqual(
    lines.map(({ transRef }) => transRef),
    [promptTransfer.transRef, lateTransfer.transRef],
  );
  assert.ok((lines[0]?.at ?? '') >= (lines[1]?.at ?? ''), 'the later line was paid first');
});

test('the fault line-twice lists one payment twice, although its money moved once', async (t) => {
  const { address } = await outside(t);
  await orderFault(address, { fault: 'line-twice' });
  const { transRef } = await payOperator(address);
  const { lines } = await feed(address);
  assert.deepEqual(
    lines.map((line) => [line.transRef, line.balanceAfter]),
    [
      [transRef, '10000250.75'],
      [transRef, '10000250.75'],
    ],
  );
  assert.notEqual(lines[0]?.cursor, lines[1]?.cursor);
});

test('the fault of an early push sends it before its line is in the feed', async (t) => {
  const { address, listener } = await outside(t);
  await orderFault(address, { fault: 'callback-early', delayMs: 86_400_000 });
  const { transRef } = await payOperator(address);
  await until(() => listener.pushes.length === 1, 'the push');
  assert.equal(pushBodies(listener)[0]?.transRef, transRef);
  assert.deepEqual((await feed(address)).lines, []);
});

test('a forged push has an invalid signature, unless the secret leaked, and its transfer is not in the feed', async (t) => {
  const { address, listener } = await outside(t);
  for (const [applied, expected] of [
    [false, 1],
    [true, 2],
  ] as const) {
    listener.pushes.length = 0;
    await orderFault(address, { fault: 'callback-forged', applied, amount: '5000.00' });
    const { transRef } = await payOperator(address);
    await until(() => listener.pushes.length === 2, 'the genuine push and the forged one');
    assert.equal(listener.pushes.filter(isSigned).length, expected);
    const forgedClaim = pushBodies(listener).find((claim) => claim.transRef !== transRef);
    assert.equal(forgedClaim?.amount, '5000.00');
    assert.ok((await feed(address)).lines.every((line) => line.transRef !== forgedClaim?.transRef));
  }
});

test('a fault affects a feed call only if it names the call', async (t) => {
  const { address } = await outside(t);
  await orderFault(address, { fault: 'error-500' });
  assert.equal((await signed(address, 'GET', `/feed/KBANK/${OPERATOR.accountNo}`)).status, 200);
  await orderFault(address, { fault: 'garbage', call: 'feed' });
  assert.equal(typeof (await signed(address, 'GET', `/feed/KBANK/${OPERATOR.accountNo}`)).body, 'string');
});
