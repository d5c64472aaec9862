import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, isSilent, OPERATOR, outside, PERSON, until } from '../harness.ts';
import { feed, isSigned, signed } from './bank-api.ts';

type Payout = {
  payoutId: string;
  status: string;
  transRef: string | null;
  reason: string | null;
  error?: string;
};

const orderBody = (fields: object = {}) => ({
  reference: 'W1',
  from: { bankCode: OPERATOR.bankCode, accountNo: OPERATOR.accountNo },
  to: PERSON,
  amount: '500.00',
  currency: 'THB',
  ...fields,
});
const payOut = (address: string, fields: object = {}) => signed<Payout>(address, 'POST', '/payouts', orderBody(fields));
const statusOf = (address: string, reference = 'W1') => signed<Payout>(address, 'GET', `/payouts/${reference}`);
const balanceOf = async (address: string, { bankCode, accountNo }: { bankCode: string; accountNo: string }) =>
  (await ask<{ balance: string }>(address, 'GET', `/bank/accounts/${bankCode}/${accountNo}`)).body.balance;
const decidePayout = (address: string, outcome: object, reference = 'W1') =>
  ask<Payout>(address, 'POST', `/control/payouts/${reference}`, outcome);

/** Simulators whose payouts complete only when a test decides. */
async function outsideWithSlowPayouts(t: Parameters<typeof outside>[0]) {
  const simulators = await outside(t);
  await ask(simulators.address, 'POST', '/control/settings', { payoutDelayMs: 86_400_000 });
  return simulators;
}

test('an accepted payout leaves our account immediately, and arrives with a feed line and a signed callback when paid', async (t) => {
  const { address, listener } = await outsideWithSlowPayouts(t);
  const { status, body } = await payOut(address);
  assert.deepEqual([status, body.status], [202, 'ACCEPTED']);
  assert.equal(await balanceOf(address, OPERATOR), '9999500.00');
  assert.equal((await statusOf(address)).body.status, 'ACCEPTED');
  await decidePayout(address, { outcome: 'PAID' });
  const endedPayout = (await statusOf(address)).body;
  assert.equal(endedPayout.status, 'PAID');
  assert.equal(await balanceOf(address, PERSON), '1000500.00');
  const { lines } = await feed(address);
  assert.deepEqual(
    lines.map(({ direction, channel, reference1, transRef, to }) => [
      direction,
      channel,
      reference1,
      transRef,
      to?.accountNo,
    ]),
    [['out', 'PAYOUT', 'W1', endedPayout.transRef, 'xxxx567890']],
  );
  await until(() => listener.pushes.some(({ to }) => to === 'bank-payout'), 'the callback');
  const push = listener.pushes.find(({ to }) => to === 'bank-payout');
  assert.ok(push && isSigned(push));
  assert.deepEqual((JSON.parse(push.text) as Payout).status, 'PAID');
});

test('simulated payouts complete after the configured delay', async (t) => {
  const { address } = await outside(t);
  await ask(address, 'POST', '/control/settings', { payoutDelayMs: 0 });
  await payOut(address);
  await until(async () => (await statusOf(address)).body.status === 'PAID', 'the payout is paid');
});

test('a failed payout of the simulated bank returns the money with a reason, and is final', async (t) => {
  const { address } = await outsideWithSlowPayouts(t);
  await payOut(address);
  await decidePayout(address, { outcome: 'FAILED', reason: 'account_closed' });
  const { body } = await statusOf(address);
  assert.deepEqual([body.status, body.reason, body.transRef], ['FAILED', 'account_closed', null]);
  assert.equal(await balanceOf(address, OPERATOR), '10000000.00');
  assert.deepEqual((await feed(address)).lines, []);
  const repeatedDecision = await decidePayout(address, { outcome: 'PAID' });
  assert.deepEqual([repeatedDecision.status, repeatedDecision.body.error], [409, 'finished']);
  assert.equal((await payOut(address)).body.status, 'ACCEPTED', 'the first answer again');
});

test('the same reference pays once, also concurrently, and other fields under it are refused', async (t) => {
  const { address } = await outsideWithSlowPayouts(t);
  const replies = await Promise.all(Array.from({ length: 8 }, () => payOut(address)));
  assert.deepEqual(new Set(replies.map(({ body }) => JSON.stringify(body))).size, 1);
  assert.equal(await balanceOf(address, OPERATOR), '9999500.00');
  for (const otherOrder of [{ amount: '500.01' }, { to: { ...PERSON, accountNo: '1234567891' } }]) {
    const reply = await payOut(address, otherOrder);
    assert.deepEqual([reply.status, reply.body.error], [409, 'reference_reused']);
  }
});

test('a refused payout has no effect, and its reference can be used again', async (t) => {
  const { address } = await outsideWithSlowPayouts(t);
  await ask(address, 'POST', '/bank/accounts', PERSON);
  const cases = [
    [{ to: { ...PERSON, accountNo: '9991234567' } }, 422, 'unknown_account'],
    [{ to: OPERATOR }, 422, 'unknown_account'],
    [{ to: { ...PERSON, accountNo: '9981234567' } }, 422, 'closed'],
    [{ to: { ...PERSON, accountName: 'สมชาย คนอื่น' } }, 422, 'name_mismatch'],
    [{ amount: '2000000.01' }, 422, 'limit_exceeded'],
    [{ currency: 'LAK' }, 422, 'currency_mismatch'],
    [{ to: { bankCode: 'BCEL', accountNo: '0101200099', accountName: 'Mali' } }, 422, 'currency_mismatch'],
    [{ from: { bankCode: PERSON.bankCode, accountNo: PERSON.accountNo } }, 403, 'not_your_account'],
    [{ amount: '0' }, 400, 'bad_request'],
    [{ amount: '1.001' }, 400, 'bad_request'],
    [{ reference: 'W 1' }, 400, 'bad_request'],
  ] as const;
  for (const [fields, status, error] of cases) {
    const reply = await payOut(address, fields);
    assert.deepEqual([reply.status, reply.body.error], [status, error], JSON.stringify(fields));
  }
  assert.equal((await statusOf(address)).status, 404);
  assert.equal(await balanceOf(address, OPERATOR), '10000000.00');
});

test('a payout reaches its receiver in any spelling and with any title, and is refused under another name', async (t) => {
  const { address } = await outsideWithSlowPayouts(t);
  const names = ['นางสาว มะลิ  สวนดี', 'จ.ส.อ.มะลิ สวนดี', 'ว่าที่ ร.ต. หญิง มะลิ สวนดี', 'สวนดี มะลิ', 'มะ\u200bลิ สวน-ดี'];
  for (const [index, accountName] of names.entries()) {
    const payoutReply = await payOut(address, { to: { ...PERSON, accountName }, reference: `W-NAME-${index}` });
    assert.equal(payoutReply.status, 202, `${accountName} ${JSON.stringify(payoutReply.body)}`);
  }
  const otherReply = await payOut(address, { to: { ...PERSON, accountName: 'จ.ส.อ. มาลี สวนดี' }, reference: 'W-OTHER' });
  assert.deepEqual([otherReply.status, otherReply.body.error], [422, 'name_mismatch']);
});

test('an account of the simulated bank never pays more than it holds', async (t) => {
  const { address } = await outsideWithSlowPayouts(t);
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, n) => payOut(address, { reference: `W${n}`, amount: '2000000.00' })),
  );
  assert.equal(replies.filter(({ status }) => status === 202).length, 5);
  assert.ok(replies.every(({ status, body }) => status === 202 || body.error === 'insufficient_funds'));
});

test('a payout whose reply was lost may exist or not, and a retry resolves it', async (t) => {
  const { address } = await outsideWithSlowPayouts(t);
  for (const [fault, status] of [
    ['timeout-lost', 404],
    ['timeout-applied', 200],
  ] as const) {
    await ask(address, 'POST', '/control/faults', { target: 'bank', fault, call: 'payouts' });
    await assert.rejects(
      Promise.race([
        payOut(address, { reference: fault }),
        new Promise((_, reject) => setTimeout(() => reject(new Error('silent')), 1_500)),
      ]),
      /silent/,
    );
    assert.equal((await statusOf(address, fault)).status, status);
    assert.equal((await payOut(address, { reference: fault })).status, 202);
  }
  assert.equal(await balanceOf(address, OPERATOR), '9999000.00');
  assert.equal(await isSilent(address, '/bank-api/payouts', orderBody()), false, 'an unsigned call is answered');
});

test('an early or forged callback claims PAID for an unpaid payout', async (t) => {
  const { address, listener } = await outsideWithSlowPayouts(t);
  for (const fault of ['callback-early', 'callback-forged']) {
    listener.pushes.length = 0;
    await ask(address, 'POST', '/control/faults', { target: 'bank', fault, call: 'payout', delayMs: 86_400_000 });
    await payOut(address, { reference: fault });
    await until(() => listener.pushes.length === 1, 'the callback');
    const [push] = listener.pushes;
    assert.ok(push);
    assert.deepEqual([(JSON.parse(push.text) as Payout).status, isSigned(push)], ['PAID', fault === 'callback-early']);
    assert.equal((await statusOf(address, fault)).body.status, 'ACCEPTED');
  }
});

test("the simulated bank's totals explain every payout and every account", async (t) => {
  const { address } = await outsideWithSlowPayouts(t);
  for (const [reference, outcome] of [
    ['A', 'PAID'],
    ['B', 'FAILED'],
    ['C', null],
  ] as const) {
    await payOut(address, { reference, amount: '100.00' });
    if (outcome) await decidePayout(address, { outcome }, reference);
  }
  await ask(address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: '7.00' });
  const { body } = await ask<{
    bank: Record<'balance' | 'opening' | 'cashIn' | 'in' | 'out', string>[];
    payouts: object[];
    sums: Record<'bank' | 'gateways' | 'payouts' | 'settled' | 'cash', string>;
  }>(address, 'GET', '/control/totals');
  assert.deepEqual(body.payouts, [
    { currency: 'BAHT', accepted: '300.00', underWay: '100.00', paid: '100.00', failed: '100.00' },
  ]);
  const toMinor = (text: string) => BigInt(text.replace('.', ''));
  for (const row of body.bank) {
    assert.equal(toMinor(row.balance), toMinor(row.opening) + toMinor(row.cashIn) + toMinor(row.in) - toMinor(row.out));
  }
  const { sums } = body;
  assert.equal(
    toMinor(sums.bank) + toMinor(sums.gateways) + toMinor(sums.payouts),
    toMinor(sums.cash) + toMinor(sums.settled),
  );
});
