import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { maskedAccount } from '@krapao/contract/rules';
import { measureMethods } from '../../src/modules/deposit/advice/measure-methods.ts';
import { uuidV7 } from '../../src/platform/ids.ts';
import { systemClock } from '../../src/platform/time.ts';
import { qrCustomer, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { waitForSlipEnd, sendSlip, transferWithSlip } from '../deposit/slip/slip-fixtures.ts';
import { failProvider, openGame, outsideWithProviderTimeout, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { openSlipDeposits } from '../harness/operator.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import { endPayout, setPayoutDelay, withdraw } from '../withdraw/payout-fixtures.ts';

const DAY_MS = 86_400_000;
type Step = { name: string; at: string | null; isDone: boolean };

let system: System;
before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
  await openSlipDeposits(system);
  await setPayoutDelay(system, DAY_MS);
  const payee = await registerMember(system);
  await storePayouts(payee, 20, 90_000);
  await storePaidCodes(payee, 5, 40_000);
});
after(() => system.stop());

/** Payouts of yesterday that each took as long: the usual duration at their bank. */
async function storePayouts({ id }: TestMember, count: number, tookMs: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const at = new Date(Date.now() - DAY_MS + made);
    await system.database.query(
      `insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code,
         account_no, account_name, paid_from, state, is_held, proof, proof_by, leased_until, created_at, sent_at, finished_at)
       values ($1::uuid, $2, 'BAHT', $1::uuid::text, 'x', false, 100, 'PAID' || $5::text, 'SCB', '1', 'X', 'SCB-4680001234', 'PAID', true,
         'PAID', 'resolver', now(), $3, $3, $3::timestamptz + $4 * interval '1 ms')`,
      [uuidV7(at), id, at, tookMs, made],
    );
  }
}

/** Codes of yesterday that were credited as long after their payment, measured. */
async function storePaidCodes({ id }: TestMember, count: number, tookMs: number): Promise<void> {
  const { database } = system;
  for (let made = 0; made < count; made += 1)
    await database.query(
      `insert into qrcode (id, member_id, gateway, reference, currency, amount, pay_amount, state, created_at, ended_at,
         payload, expires_at, paid_amount, paid_at, transaction_number)
       select $1::uuid, $2, 'WW', $1, 'BAHT', 100, 100, 'PAID', t.ended, t.ended, 'x', t.ended + interval '1 hour', 100,
              t.ended - $4 * interval '1 ms', $1
         from (select $3::timestamptz as ended) t`,
      [uuidV7(new Date(Date.now() - DAY_MS + made)), id, new Date(Date.now() - DAY_MS / 2), tookMs],
    );
  await database.query(`update deposit_method_stat set at = at - interval '1 minute'`);
  await measureMethods({ database, clock: systemClock, standby: { ofAll: () => database } });
}

const pendingOf = async ({ token }: TestMember) => (await system.api('GET /api/pending', { token })).body;
const moneyOf = async ({ token }: TestMember, key: string) => {
  const { status, body } = await system.api('GET /api/money/{key}', { token, params: { key } });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const rowsOf = async ({ token }: TestMember): Promise<{ _id: string; reference: string; amount: number }[]> =>
  (await system.api('POST /api/statement', { token, body: { limit: 100 } })).body.statements;
const lineKey = (row: { _id: string } | undefined): string => `line-${row?._id ?? ''}`;
const names = (steps: Step[]): string[] => steps.map(({ name }) => name);

test('a QR is pending with its countdown until paid; then its statement row leads to the same item [R-WALLET-02] [R-WALLET-05]', async () => {
  const member = await registerMember(system);
  const who = qrCustomer(system, member);
  const made = (await who.create(500)).body;
  const { items, more, at } = await pendingOf(member);
  assert.equal(more, 0);
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  const [item] = items;
  assert.deepEqual(
    [item.kind, item.state, item.amount, item.payAmount, item.place, item.expiresAt, item.target],
    ['qr', 'PENDING', 500, made.amount, 'KBANK', made.expireIn, `/user/home#deposit=${made.qrcodeId}`],
  );
  const open = await moneyOf(member, item.key);
  assert.deepEqual([open.status, open.amount, open.expectedBy, open.isLate], ['PROCESSING', 0, made.expireIn, false]);
  assert.equal((await who.pay(made.payload)).status, 200);
  await waitUntil(who.deposits, (seen) => seen.length === 1, 'credited');
  assert.deepEqual((await pendingOf(member)).items, []);
  const [row] = await rowsOf(member);
  const paid = await moneyOf(member, item.key);
  assert.deepEqual(await moneyOf(member, lineKey(row)), paid);
  assert.deepEqual([paid.key, paid.status, paid.amount, paid.currency], [item.key, 'SUCCESS', row?.amount, 'BAHT']);
  assert.deepEqual([paid.from, paid.to, paid.links], ['KBANK', 'WALLET', [lineKey(row)]]);
  assert.deepEqual(names(paid.steps), ['created', 'paid', 'credited']);
  for (const step of paid.steps as Step[]) assert.ok(step.at, step.name);
  assert.equal(paid.bank, 'SCB');
  // The bank masks the payer's number itself.
  assert.match(paid.account, /^xxx-x-x\d{4}-x$/);
});

test('a slip, its transfer and its statement row share one timeline item [R-WALLET-05]', async () => {
  const member = await registerMember(system);
  const { image } = await transferWithSlip(system, member, { amount: '150.00' });
  const { reference } = await sendSlip(system, member.token, image);
  await waitForSlipEnd(system, member.token, { reference });
  const [row] = await rowsOf(member);
  const bySlip = await moneyOf(member, reference);
  assert.deepEqual(await moneyOf(member, lineKey(row)), bySlip);
  assert.deepEqual([bySlip.kind, bySlip.status, bySlip.amount], ['slip', 'SUCCESS', 150]);
  assert.deepEqual(names(bySlip.steps).toSorted(), ['credited', 'seen', 'transferred', 'uploaded']);
  assert.equal(bySlip.bankReference, row?.reference);
  assert.deepEqual([bySlip.bank, bySlip.account], ['SCB', maskedAccount(member.bankAccountNo)]);
  assert.ok(!JSON.stringify(bySlip).includes(member.bankAccountNo));
});

test('a withdrawal expects the usual time of its bank, is late after it, and reports returned money [R-WALLET-02] [R-WALLET-05]', async () => {
  const member = await registerMember(system);
  const ledger = createTestLedger(system);
  try {
    await fundWallet(ledger, member.id, '300.00');
  } finally {
    await ledger.close();
  }
  const { reference } = (await withdraw(system, member, 100)).body;
  const [item] = (await pendingOf(member)).items;
  assert.deepEqual(
    [item.key, item.kind, item.amount, item.place, item.target],
    [reference, 'withdraw', 100, 'SCB', '/user/home#withdraw'],
  );
  assert.equal(Date.parse(item.expectedBy) - Date.parse(item.since), 90_000);
  const open = await moneyOf(member, reference);
  assert.deepEqual([open.status, open.amount, open.isLate], ['PROCESSING', -100, false]);
  assert.equal(open.account, maskedAccount(member.bankAccountNo));
  assert.match(open.account, /^xxx-x-x\d{4}-x$/);
  await system.database.query(`update withdraw set created_at = now() - interval '91 seconds' where reference = $1`, [
    reference,
  ]);
  assert.equal((await moneyOf(member, reference)).isLate, true);
  await endPayout(system, reference, 'FAILED', 'NAME_MISMATCH');
  await waitUntil(
    () => pendingOf(member),
    ({ items }) => items.length === 0,
    'ended',
  );
  const back = await moneyOf(member, reference);
  assert.deepEqual([back.status, back.amount, back.requested, back.expectedBy], ['FAILED', 0, 100, null]);
  assert.deepEqual(names(back.steps).slice(-2), ['refused', 'returned']);
  assert.ok(back.reason);
  const row = (await rowsOf(member)).find((one) => one.reference === reference);
  assert.deepEqual(await moneyOf(member, lineKey(row)), back);
});

test('a transfer between two games is one item with two rows; one without a reply is pending [R-WALLET-02] [R-WALLET-05]', async () => {
  const member = await registerMember(system);
  for (const game of ['pg', 'joker2']) await openGame(system, member.token, game);
  const ledger = createTestLedger(system);
  try {
    await fundWallet(ledger, member.id, '300.00');
  } finally {
    await ledger.close();
  }
  await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 80 });
  const { reference } = (await transfer(system, member.token, { from: 'pg', to: 'joker2', amount: 30 })).body;
  const done = await moneyOf(member, reference);
  assert.deepEqual([done.status, done.amount, done.requested, done.from, done.to], ['SUCCESS', 0, 30, 'pg', 'joker2']);
  assert.deepEqual(names(done.steps), ['requested', 'leftGame', 'inWallet', 'leftWallet', 'inGame']);
  const rows = (await rowsOf(member)).filter((one) => one.reference === reference);
  assert.deepEqual(done.links.toSorted(), rows.map(({ _id }) => `line-${_id}`).toSorted());
  for (const { _id } of rows) assert.deepEqual(await moneyOf(member, `line-${_id}`), done);
  await failProvider(system, 'pg', { fault: 'timeout-applied', call: 'TransferIn' });
  await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
  const lost = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 40 });
  assert.equal(lost.status, 202);
  const [item] = (await pendingOf(member)).items;
  assert.deepEqual([item.key, item.place, item.target], [lost.body.reference, 'pg', '/user/home#game=pg']);
  assert.equal(Date.parse(item.expectedBy) - Date.parse(item.since), 60_000);
  assert.equal((await moneyOf(member, lost.body.reference)).expectedBy, item.expectedBy);
});

test('before payouts to a bank are measured, a withdrawal is expected within 15 minutes and late afterwards [R-WALLET-05]', async () => {
  const member = await registerMember(system, { bankCode: 'BBL' });
  const ledger = createTestLedger(system);
  try {
    await fundWallet(ledger, member.id, '300.00');
  } finally {
    await ledger.close();
  }
  const { reference } = (await withdraw(system, member, 100)).body;
  const [item] = (await pendingOf(member)).items;
  assert.equal(Date.parse(item.expectedBy) - Date.parse(item.since), 900_000);
  for (const [seconds, isLate] of [
    [899, false],
    [901, true],
  ] as const) {
    await system.database.query(
      `update withdraw set created_at = now() - $2 * interval '1 second' where reference = $1`,
      [reference, seconds],
    );
    const open = await moneyOf(member, reference);
    assert.equal(open.isLate, isLate);
  }
  await endPayout(system, reference, 'FAILED', 'NAME_MISMATCH');
});

test('a deposit and a withdrawal have the measured time of their method, or the stated one while too few are measured [R-WALLET-05]', async () => {
  const ledger = createTestLedger(system);
  const usualOf = async (member: TestMember, key: string) => (await moneyOf(member, key)).usualTime;
  const newest = async (member: TestMember) => (await pendingOf(member)).items[0].key;
  try {
    for (const [bankCode, medianSeconds] of [
      ['SCB', 90],
      ['BBL', null],
    ] as const) {
      const member = await registerMember(system, { bankCode });
      await fundWallet(ledger, member.id, '300.00');
      const { reference } = (await withdraw(system, member, 100)).body;
      assert.deepEqual(await usualOf(member, reference), { medianSeconds, statedMinutes: 15 });
      await endPayout(system, reference, 'FAILED', 'NAME_MISMATCH');
    }
    const member = await registerMember(system);
    for (const [gateway, medianSeconds] of [
      ['WW', 40],
      ['KBANK', null],
    ] as const) {
      await qrCustomer(system, member, gateway).create(500);
      assert.deepEqual(await usualOf(member, await newest(member)), { medianSeconds, statedMinutes: 1 });
    }
    const { token } = member;
    const body = { amount: 50, bankCode: 'SCB', bankAccountNo: '4680001234' };
    assert.equal((await system.api('POST /api/wallet/add', { token, body })).status, 200);
    assert.deepEqual(await usualOf(member, await newest(member)), { medianSeconds: null, statedMinutes: 1 });
    await openGame(system, token, 'pg');
    await fundWallet(ledger, member.id, '100.00');
    const moved = await transfer(system, token, { from: 'WALLET', to: 'pg', amount: 80 });
    assert.equal(await usualOf(member, moved.body.reference), null);
  } finally {
    await ledger.close();
  }
});

test('a row known only to the ledger has a timeline; keys of others and malformed keys are NO_DATA [R-WALLET-05]', async () => {
  const [member, other] = [await registerMember(system), await registerMember(system)];
  const ledger = createTestLedger(system);
  try {
    await fundWallet(ledger, member.id, '12.50');
  } finally {
    await ledger.close();
  }
  const [row] = await rowsOf(member);
  const key = lineKey(row);
  const money = await moneyOf(member, key);
  assert.deepEqual([money.key, money.kind, money.status, money.amount], [key, 'deposit', 'SUCCESS', 12.5]);
  const refused = [
    [other, key],
    [member, 'line-'],
    [member, 'line-0'],
    [member, 'line--1'],
    [member, 'line-9223372036854775808'],
    [member, 'line-9999999999999999999'],
    [member, 'line-1e3'],
    [member, `line-${'9'.repeat(400)}`],
    [member, 'NOSUCHREFERENCE'],
    [member, "W' or '1'='1"],
    [member, 'a'.repeat(5_000)],
    [member, '../wallet'],
    [member, 'ก'],
    [member, '%00'],
  ] as const;
  for (const [who, wrong] of refused) {
    const reply = await system.api('GET /api/money/{key}', { token: who.token, params: { key: wrong } });
    // An address that is too long is refused before its parts are read.
    assert.ok([404, 414].includes(reply.status), `${reply.status}`);
    assert.equal(reply.body.message, 'NO_DATA', wrong.slice(0, 40));
  }
  assert.equal((await system.api('GET /api/pending')).status, 401);
});

test('an account has one mask, whichever bank masked it before, and at most half of it is visible', () => {
  for (const [account, masked] of [
    ['1234567890', 'xxx-x-x6789-x'],
    ['123-4-56789-0', 'xxx-x-x6789-x'],
    ['xxx-x-x6789-x', 'xxx-x-x6789-x'],
    ['xxxx567890', 'xxx-x-x6789-x'],
    ['***-*-*6789-*', 'xxx-x-x6789-x'],
    ['020123456789', 'xxxxxxxx678x'],
    ['xxxxxx456789', 'xxxxxxxx678x'],
    ['010120001234567', 'xxxxxxxxxxx456x'],
    ['010xxxxxxxx4567', 'xxxxxxxxxxx456x'],
    ['1234', 'xx3x'],
    ['1', 'x'],
    ['', ''],
  ] as const) {
    assert.equal(maskedAccount(account), masked);
  }
});
