import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownBy } from '../../src/bank/mask.ts';
import { type Feed, feed, isSigned, type Moved, signed } from './bank-api.ts';
import { ask, newCode, OPERATOR, outside, payQr, PERSON, until } from '../harness.ts';

const pay = async (address: string, fields: object = {}) =>
  (await ask<Moved>(address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: '250.75', ...fields }))
    .body;
const order = (address: string, fault: object) => ask(address, 'POST', '/control/faults', { target: 'bank', ...fault });
const claims = (listener: { pushes: { text: string }[] }) =>
  listener.pushes.map(({ text }) => JSON.parse(text) as { transRef: string; amount: string });

test('the feed answers only requests with a valid key and a signature of the last five minutes', async (t) => {
  const { address } = await outside(t);
  const path = `/feed/${OPERATOR.bankCode}/${OPERATOR.accountNo}`;
  assert.equal((await signed(address, 'GET', path)).status, 200);
  const old = String(Math.floor(Date.now() / 1000) - 301);
  for (const wrong of [
    { 'x-api-key': 'other' },
    { 'x-signature': 'a'.repeat(64) },
    { 'x-timestamp': old },
    { 'x-timestamp': '' },
  ])
    assert.equal((await signed(address, 'GET', path, undefined, wrong as Record<string, string>)).status, 401);
  assert.equal((await ask(address, 'GET', `/bank-api${path}`)).status, 401);
  const { body } = await signed<{ error: string }>(address, 'GET', '/feed/SCB/1234567890');
  assert.equal(body.error, 'unknown_account');
});

test('a transfer is a line with masked sender, exact amount, reference of the slip, and a later cursor each', async (t) => {
  const { address } = await outside(t);
  const first = await pay(address);
  const empty = await feed(address, '?after=');
  const second = await pay(address, { from: { ...PERSON, bankCode: 'KBANK' }, amount: '1.00' });
  const all = await feed(address);
  assert.deepEqual(
    all.lines.map(({ transRef, sendingBank, amount, balanceAfter }) => [transRef, sendingBank, amount, balanceAfter]),
    [
      [first.transRef, '014', '250.75', '10000250.75'],
      [second.transRef, '004', '1.00', '10000251.75'],
    ],
  );
  assert.deepEqual(all.lines[0]?.from, { bankCode: 'SCB', accountNo: 'xxxx567890', name: 'มะลิ ส' });
  assert.deepEqual([all.lines[0]?.to, all.lines[0]?.reference1, all.lines[0]?.channel], [null, null, 'TRANSFER']);
  const rest = await feed(address, `?after=${empty.nextCursor}`);
  assert.deepEqual(rest.lines, all.lines.slice(1));
  const end = await feed(address, `?after=${rest.nextCursor}`);
  assert.deepEqual([end.lines, end.nextCursor, end.more], [[], rest.nextCursor, false]);
});

test('each bank masks the sender differently, and never completely', () => {
  const sender = { accountNo: '1234567890', accountName: 'Mali Suandee' };
  const shown = (bankCode: string, holder = sender) => Object.values(shownBy(bankCode, holder));
  assert.deepEqual(shown('SCB'), ['xxx-x-x6789-x', 'Mali S']);
  assert.deepEqual(shown('KBANK'), ['xxxx567890', 'Mali S']);
  assert.deepEqual(shown('GSB'), ['xxx-x-x6789-x', null]);
  assert.deepEqual(shown('BCEL', { ...sender, accountNo: '010120001234567' }), ['010xxxxxxxx4567', 'MALI SUAND']);
  for (const bankCode of ['SCB', 'KBANK', 'GSB', 'BCEL', 'BBL']) {
    for (let length = 6; length <= 20; length++) {
      const accountNo = '12345678901234567890'.slice(0, length);
      const { accountNo: masked } = shownBy(bankCode, { ...sender, accountNo });
      const places = masked.replaceAll('-', '');
      assert.equal(places.length, length, `${bankCode} ${masked}`);
      assert.ok(
        Array.from(places).every((place, at) => place === 'x' || place === accountNo[at]),
        `${bankCode} ${masked}`,
      );
    }
  }
});

test('pages of the feed join without gap or overlap; a cursor that was never issued is refused', async (t) => {
  const { address } = await outside(t);
  for (let n = 1; n <= 5; n++) await pay(address, { amount: `${n}.00` });
  const seen: string[] = [];
  let page: Feed = { lines: [], nextCursor: '', more: true };
  while (page.more) {
    page = await feed(address, `?limit=2&after=${page.nextCursor}`);
    seen.push(...page.lines.map(({ amount }) => amount));
  }
  assert.deepEqual(seen, ['1.00', '2.00', '3.00', '4.00', '5.00']);
  for (const after of ['0000000000000099', 'x', '5'])
    assert.equal((await feed(address, `?after=${after}`)).error, 'bad_cursor');
  assert.equal((await feed(address, '?limit=0')).error, 'bad_request');
});

test('a payment of a gateway code is a bill line with our reference, settled at once', async (t) => {
  const { address } = await outside(t);
  const made = await newCode(address, 'D1', { txnAmount: '99.01' });
  const paid = (await payQr(address, made.qrCode)).body;
  const { lines } = await feed(address);
  assert.deepEqual(
    lines.map(({ channel, reference1, amount, transRef, balanceAfter }) => [
      channel,
      reference1,
      amount,
      transRef,
      balanceAfter,
    ]),
    [['BILL', 'D1', '99.01', paid.transferId, '10000099.01']],
  );
});

test('a line is announced by a signed push, which is retried until accepted', async (t) => {
  const { address, listener } = await outside(t);
  await ask(address, 'POST', '/control/settings', { callbacks: { 'bank-feed': { retryMs: [20, 20, 20, 20, 20] } } });
  listener.answerPush = (n) => (n < 3 ? { status: 500, body: '{}' } : { status: 200, body: '{"ok":true}' });
  const moved = await pay(address);
  await until(() => listener.pushes.length === 3, 'the third attempt');
  assert.ok(listener.pushes.every((push) => push.to === 'bank-feed' && isSigned(push)));
  assert.ok(claims(listener).every(({ transRef, amount }) => transRef === moved.transRef && amount === '250.75'));
  // The next transfer's push is sent after all pending ones.
  const next = await pay(address);
  await until(() => claims(listener).some(({ transRef }) => transRef === next.transRef), 'the push of the next line');
  assert.equal(listener.pushes.length, 4);
});

test('a push that is never accepted is sent six times in total', async (t) => {
  const { address, listener } = await outside(t);
  await ask(address, 'POST', '/control/settings', { callbacks: { 'bank-feed': { retryMs: [5, 5, 5, 5, 5] } } });
  listener.answerPush = () => ({ status: 200, body: '{"ok":false}' });
  await pay(address);
  const calls = () => ask<{ status: number }[]>(address, 'GET', '/control/calls?target=callback&call=bank-feed');
  await until(async () => (await calls()).body.length === 6, 'six attempts');
  listener.answerPush = () => ({ status: 200, body: '{"ok":true}' });
  const next = await pay(address, { amount: '2.00' });
  await until(() => claims(listener).some(({ transRef }) => transRef === next.transRef), 'the push of the next line');
  assert.equal(listener.pushes.length, 7);
});

test('a late line appears after a later payment, and has the later cursor', async (t) => {
  const { address } = await outside(t);
  // Later than the second transfer on the busiest machine.
  await order(address, { fault: 'line-late', delayMs: 4_000 });
  const late = await pay(address);
  const prompt = await pay(address);
  await until(async () => (await feed(address)).lines.length === 2, 'both lines');
  const { lines } = await feed(address);
  assert.deepEqual(
    lines.map(({ transRef }) => transRef),
    [prompt.transRef, late.transRef],
  );
  assert.ok((lines[0]?.at ?? '') >= (lines[1]?.at ?? ''), 'the later line was paid first');
});

test('line-twice lists one payment twice; its money moved once', async (t) => {
  const { address } = await outside(t);
  await order(address, { fault: 'line-twice' });
  const { transRef } = await pay(address);
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

test('an early push arrives before its line is in the feed', async (t) => {
  const { address, listener } = await outside(t);
  await order(address, { fault: 'callback-early', delayMs: 86_400_000 });
  const { transRef } = await pay(address);
  await until(() => listener.pushes.length === 1, 'the push');
  assert.equal(claims(listener)[0]?.transRef, transRef);
  assert.deepEqual((await feed(address)).lines, []);
});

test('a forged push has no valid signature, unless the secret leaked; its transfer is not in the feed', async (t) => {
  const { address, listener } = await outside(t);
  for (const [applied, expected] of [
    [false, 1],
    [true, 2],
  ] as const) {
    listener.pushes.length = 0;
    await order(address, { fault: 'callback-forged', applied, amount: '5000.00' });
    const { transRef } = await pay(address);
    await until(() => listener.pushes.length === 2, 'the genuine push and the forged one');
    assert.equal(listener.pushes.filter(isSigned).length, expected);
    const forged = claims(listener).find((claim) => claim.transRef !== transRef);
    assert.equal(forged?.amount, '5000.00');
    assert.ok((await feed(address)).lines.every((line) => line.transRef !== forged?.transRef));
  }
});

test('a fault hits a feed call only when it names the call', async (t) => {
  const { address } = await outside(t);
  await order(address, { fault: 'error-500' });
  assert.equal((await signed(address, 'GET', `/feed/KBANK/${OPERATOR.accountNo}`)).status, 200);
  await order(address, { fault: 'garbage', call: 'feed' });
  assert.equal(typeof (await signed(address, 'GET', `/feed/KBANK/${OPERATOR.accountNo}`)).body, 'string');
});
