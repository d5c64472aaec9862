import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { generate } from 'promptparse';
import { audit } from '../../../../src/ledger/index.ts';
import { registerMember } from '../../../harness/members.ts';
import { startSystem, type System } from '../../../harness/system.ts';
import { aWhile, callBack, customer, failureReasons, letTimePass, NOT_MADE, rowOf, until } from '../qr-fixtures.ts';
import { type LyingBank, startLyingBank } from './lying-bank.ts';
import { queueHolds } from '../../../harness/queues.ts';

let system: System;
let bank: LyingBank;
before(async () => {
  bank = await startLyingBank();
  system = await startSystem({ outside: (same) => ({ ...same, kbank: { ...same.kbank, url: bank.url } }) });
});
after(async () => {
  await system.stop();
  await bank.close();
});

const BILLER = '010555555555501';
const done = { statusCode: '00', errorCode: null, errorDesc: null };
const bill = (ref1: string, amount: number, billerId = BILLER) => generate.billPayment({ billerId, ref1, amount });
const inTenMinutes = () => new Date(Date.now() + 600_000).toISOString();

/** A correct reply; each test spoils one field. */
const honest = {
  created: ({ reference1 = '', txnAmount = '' }: Record<string, string>) => ({
    ...done,
    qrCode: bill(reference1, Number(txnAmount)),
    expireDt: inTenMinutes(),
  }),
  paid: ({ reference1 = '' }: Record<string, string>, changes: Record<string, unknown> = {}) => ({
    ...done,
    txnStatus: 'PAID',
    origPartnerTxnUid: reference1,
    reference1,
    txnAmount: '100.00',
    txnCurrencyCode: 'THB',
    paidAmount: '100.00',
    paidDt: new Date().toISOString(),
    txnNo: `N${reference1}`,
    ...changes,
  }),
};

beforeEach(() => {
  bank.answers.qr_request = honest.created;
  delete bank.answers.v2;
  delete bank.answers.qr_cancel;
});

const newCustomer = async () => customer(system, await registerMember(system));

async function assertBooksHold(): Promise<void> {
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
}

test('a code that says anything else than what was asked is never shown [R-QR-08]', async () => {
  const good = honest.created({ reference1: 'X', txnAmount: '100.00' });
  const lies: [string, (body: Record<string, string>) => Record<string, unknown> | string][] = [
    ['another biller', ({ reference1 = '' }) => ({ ...good, qrCode: bill(reference1, 100, '010666666666601') })],
    ['another amount', ({ reference1 = '' }) => ({ ...good, qrCode: bill(reference1, 1) })],
    [
      'no amount',
      ({ reference1 = '' }) => ({ ...good, qrCode: generate.billPayment({ billerId: BILLER, ref1: reference1 }) }),
    ],
    ['another reference', () => ({ ...good, qrCode: bill('SOMEONEELSE', 100) })],
    [
      'a transfer to a phone',
      () => ({ ...good, qrCode: generate.anyId({ type: 'MSISDN', target: '0812345678', amount: 100 }) }),
    ],
    ['a broken CRC', ({ reference1 = '' }) => ({ ...good, qrCode: `${bill(reference1, 100).slice(0, -4)}0000` })],
    ['markup', () => ({ ...good, qrCode: '<script>alert(1)</script>' })],
    ['no expiry', ({ reference1 = '' }) => ({ ...done, qrCode: bill(reference1, 100) })],
    ['a number', () => ({ ...good, qrCode: 7 })],
    ['nothing', () => ''],
    ['a lot', () => `"${'x'.repeat(2_000_000)}"`],
  ];
  for (const [what, lie] of lies) {
    const who = await newCustomer();
    bank.answers.qr_request = lie;
    const { status, body } = await who.create(100);
    assert.deepEqual([status, body], [200, NOT_MADE], what);
    assert.deepEqual(await failureReasons(system, who), ['GATEWAY_UNKNOWN'], what);
    assert.equal((await who.current()).body.hasQrcode, false);
  }
});

test('a payment in another currency, or of an amount that is none, waits for an operator [R-QR-07]', async () => {
  const lies: [Record<string, unknown>, string][] = [
    [{ txnCurrencyCode: 'USD' }, 'CURRENCY'],
    [{ paidAmount: '0.00' }, 'AMOUNT'],
    [{ paidAmount: '-100.00' }, 'AMOUNT'],
    [{ paidAmount: '1e9' }, 'AMOUNT'],
    [{ paidAmount: '100.001' }, 'AMOUNT'],
    [{ paidAmount: '1,000.00' }, 'AMOUNT'],
  ];
  for (const [lie, reason] of lies) {
    const who = await newCustomer();
    const { body } = await who.create(100);
    const { reference } = await rowOf(system, body.qrcodeId);
    bank.answers.v2 = (asked) => honest.paid(asked, lie);
    await callBack(system, { reference1: reference });
    const parked = async () => {
      const { rows } = await system.database.query<{ reason: string }>(
        'select reason from deposit_parked where reference = $1',
        [reference],
      );
      return rows.map((row) => row.reason);
    };
    await until(parked, (reasons) => reasons.join() === reason, JSON.stringify(lie));
    assert.deepEqual(await who.deposits(), []);
    assert.notEqual((await rowOf(system, body.qrcodeId)).state, 'PAID');
  }
  // Inquiries about codes of earlier tests get the same spoiled reply.
  await queueHolds(system, 'qrcode', 'operator', (items) => items >= lies.length);
  await assertBooksHold();
});

test('an answer of another shape, or about another code, credits nothing and is asked again [R-QR-07]', async () => {
  const who = await newCustomer();
  const { body } = await who.create(100);
  const { reference } = await rowOf(system, body.qrcodeId);
  const lies: ((asked: Record<string, string>) => Record<string, unknown> | string)[] = [
    (asked) => honest.paid(asked, { reference1: 'SOMEONEELSE' }),
    (asked) => honest.paid(asked, { txnNo: null }),
    (asked) => honest.paid(asked, { txnNo: '' }),
    (asked) => honest.paid(asked, { paidAmount: 100 }),
    (asked) => honest.paid(asked, { paidDt: 'yesterday' }),
    (asked) => honest.paid(asked, { txnStatus: 'SETTLED' }),
    (asked) => honest.paid(asked, { statusCode: '10' }),
    () => '<html>',
    () => '[]',
  ];
  for (const lie of lies) {
    let asked = 0;
    bank.answers.v2 = (question) => {
      asked += 1;
      return lie(question);
    };
    await callBack(system, { reference1: reference });
    await until(
      async () => asked,
      (times) => times > 0,
      'asked',
    );
    await aWhile(100);
    assert.deepEqual(await who.deposits(), []);
    assert.equal((await rowOf(system, body.qrcodeId)).due, true);
  }
  bank.answers.v2 = honest.paid;
  await callBack(system, { reference1: reference });
  await until(who.deposits, (seen) => seen.join() === '100', 'credited');
});

test('one payment number never pays for two codes, nor twice when its answer changes [R-QR-07]', async () => {
  const [first, second] = [await newCustomer(), await newCustomer()];
  const codes = [(await first.create(100)).body.qrcodeId, (await second.create(100)).body.qrcodeId] as string[];
  const references = await Promise.all(codes.map(async (id) => (await rowOf(system, id)).reference));
  // Inquiries about codes of earlier tests must not get the number first.
  bank.answers.v2 = (asked) =>
    references.includes(asked['reference1'] ?? '') ? honest.paid(asked, { txnNo: 'THESAMENUMBER' }) : '';
  await callBack(system, { reference1: references[0] });
  await until(first.deposits, (seen) => seen.join() === '100', 'credited');
  const reference = references[1];
  await callBack(system, { reference1: reference });
  const parked = async () => {
    const { rows } = await system.database.query<{ reason: string }>(
      'select reason from deposit_parked where reference = $1',
      [reference],
    );
    return rows.map((row) => row.reason).join();
  };
  await until(parked, (reasons) => reasons === 'TRANSACTION_NUMBER_REUSED', 'parked');
  assert.deepEqual(await second.deposits(), []);
  // The first one is paid: no more inquiries.
  bank.answers.v2 = (asked) => honest.paid(asked, { paidAmount: '900.00' });
  await callBack(system, { reference1: references[0] });
  await letTimePass(system);
  await aWhile();
  assert.deepEqual(await first.deposits(), [100]);
  await assertBooksHold();
});
