import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlayer, playerBalance, transferIn, walletOf } from './games/players.ts';
import { ask, inquire, isSilent, kbankBody, newCode, outside, payQr, PERSON, until } from './harness.ts';

const orderFault = (address: string, fault: object) =>
  ask<{ error?: string }>(address, 'POST', '/control/faults', fault);
const qrBody = (reference1: string) => kbankBody({ txnAmount: '100.00', txnCurrencyCode: 'THB', reference1 });

test('the fault decline refuses definitely, without effect, only as often as configured', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await orderFault(address, { target: 'game:pg', fault: 'decline', times: 2 });
  for (const reference of ['r1', 'r2']) {
    assert.equal((await transferIn(address, 'mali01', reference)).body.error?.code, '1035');
  }
  assert.equal((await transferIn(address, 'mali01', 'r3')).body.error, null);
  assert.equal(await playerBalance(address, 'pg', 'mali01'), '100.00');
});

test('the fault timeout-applied takes effect without a reply; timeout-lost has no effect', async (t) => {
  const { address } = await outside(t);
  await orderFault(address, { target: 'kbank', fault: 'timeout-applied' });
  assert.equal(await isSilent(address, '/kbank/pos/qr_request', qrBody('D1')), true);
  assert.equal((await inquire(address, 'D1')).txnStatus, 'REQUESTED');
  await orderFault(address, { target: 'kbank', fault: 'timeout-lost' });
  assert.equal(await isSilent(address, '/kbank/pos/qr_request', qrBody('D2')), true);
  assert.equal((await inquire(address, 'D2')).txnStatus, 'NOT_FOUND');
});

test('the faults garbage and error-500 take effect or not, as configured', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  const cases = [
    [{ fault: 'garbage' }, 200, '100.00'],
    [{ fault: 'garbage', applied: false }, 200, '100.00'],
    [{ fault: 'error-500' }, 500, '100.00'],
    [{ fault: 'error-500', applied: true }, 500, '200.00'],
  ] as const;
  for (const [index, [fault, status, balance]] of cases.entries()) {
    await orderFault(address, { target: 'game:pg', ...fault });
    const reply = await transferIn(address, 'mali01', `r${index}`);
    assert.equal(reply.status, status);
    assert.equal(typeof reply.body, 'string');
    assert.equal(await playerBalance(address, 'pg', 'mali01'), balance);
  }
});

test('the fault slow lets a call that timed out take effect later', async (t) => {
  const { address } = await outside(t);
  await orderFault(address, { target: 'kbank', fault: 'slow', delayMs: 5_000 });
  assert.equal(await isSilent(address, '/kbank/pos/qr_request', qrBody('D1')), true);
  assert.equal((await inquire(address, 'D1')).txnStatus, 'NOT_FOUND');
  await until(async () => (await inquire(address, 'D1')).txnStatus === 'REQUESTED', 'the call takes effect');
});

test('a fault does not affect balance reads and check calls unless it names them', async (t) => {
  const { address } = await outside(t);
  await createPlayer(address, 'mali01');
  await orderFault(address, { target: 'game:pg', fault: 'error-500' });
  assert.equal((await walletOf(address, 'mali01')).status, 200);
  await ask(address, 'DELETE', '/control/faults');
  await orderFault(address, { target: 'game:pg', fault: 'error-500', call: 'GetPlayerWallet' });
  assert.equal((await transferIn(address, 'mali01', 'r1')).status, 200);
  assert.equal((await walletOf(address, 'mali01')).status, 500);
  assert.equal((await walletOf(address, 'mali01')).status, 200);
});

test('the faults callback-twice and callback-late repeat and delay a callback', async (t) => {
  const { address, listener } = await outside(t);
  await orderFault(address, { target: 'kbank', fault: 'callback-twice' });
  await payQr(address, (await newCode(address, 'D1')).qrCode);
  await until(() => listener.got.length === 2, 'two callbacks');
  assert.equal(listener.got[0]?.txnNo, listener.got[1]?.txnNo);
  await orderFault(address, { target: 'kbank', fault: 'callback-late', delayMs: 400 });
  const paidAt = Date.now();
  await payQr(address, (await newCode(address, 'D2')).qrCode);
  await until(() => listener.got.length === 3, 'the late callback');
  assert.ok((listener.got[2]?.at ?? 0) - paidAt >= 400);
});

test('the fault callback-early sends the callback before the reply to the create call', async (t) => {
  const { address, listener } = await outside(t);
  await orderFault(address, { target: 'kbank', fault: 'callback-early' });
  let isCreated = false;
  let createdAtCallback = true;
  listener.onCallback = () => (createdAtCallback = isCreated);
  const newQrCode = await newCode(address, 'D1');
  isCreated = true;
  assert.equal(newQrCode.statusCode, '00');
  assert.equal(listener.got.length, 1);
  assert.equal(createdAtCallback, false);
  assert.equal((await inquire(address, 'D1')).txnStatus, 'PAID');
});

test('the fault callback-forged claims a payment that never happened, or another amount', async (t) => {
  const { address, listener } = await outside(t);
  await orderFault(address, { target: 'kbank', fault: 'callback-forged', amount: '5000.00' });
  await newCode(address, 'D1');
  await until(() => listener.got.length === 1, 'the forged callback');
  assert.equal(listener.got[0]?.txnAmount, '5000.00');
  assert.equal((await inquire(address, 'D1')).txnStatus, 'REQUESTED');
  await orderFault(address, { target: 'kbank', fault: 'callback-forged', call: 'payment' });
  await payQr(address, (await newCode(address, 'D2')).qrCode);
  await until(() => listener.got.length === 3, 'a genuine and a forged one');
  assert.deepEqual(
    listener.got
      .slice(1)
      .map(({ txnAmount }) => txnAmount)
      .sort(),
    ['100.00', '1000.00'],
  );
});

test('invalid fault configurations are refused', async (t) => {
  const { address } = await outside(t);
  const cases = [
    [{ target: 'moon', fault: 'decline' }, 'unknown_target'],
    [{ target: 'sms', fault: 'explode' }, 'unknown_fault'],
    [{ target: 'sms', fault: 'callback-twice' }, 'unknown_fault'],
    [{ target: 'sms', fault: 'decline', call: 'TransferIn' }, 'unknown_call'],
    [{ target: 'sms', fault: 'decline', times: 0 }, 'bad_input'],
  ] as const;
  for (const [fault, error] of cases) {
    const reply = await orderFault(address, fault);
    assert.deepEqual([reply.status, reply.body.error], [400, error]);
  }
});

test('a declined bank payment moves nothing, and one without a reply moves once', async (t) => {
  const { address } = await outside(t);
  const newQrCode = await newCode(address, 'D1');
  await orderFault(address, { target: 'bank', fault: 'decline' });
  assert.equal((await payQr(address, newQrCode.qrCode)).status, 402);
  assert.equal((await inquire(address, 'D1')).txnStatus, 'REQUESTED');
  await orderFault(address, { target: 'bank', fault: 'timeout-applied' });
  assert.equal(await isSilent(address, '/bank/pay-qr', { payload: newQrCode.qrCode, from: PERSON }), true);
  assert.equal((await inquire(address, 'D1')).txnStatus, 'PAID');
});

test('the simulators log calls with their subject and fault', async (t) => {
  const { address } = await outside(t);
  await orderFault(address, { target: 'kbank', fault: 'decline' });
  await newCode(address, 'D1');
  await newCode(address, 'D2');
  const { body } = await ask<{ call: string; key: string; fault: string | null }[]>(
    address,
    'GET',
    '/control/calls?target=kbank&call=qr_request',
  );
  assert.deepEqual(
    body.map(({ key, fault }) => [key, fault]),
    [
      ['D2', null],
      ['D1', 'decline'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(body), /secret/);
});
