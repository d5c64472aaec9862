import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { systemClock } from '../../../../src/platform/time.ts';
import { bcelGateway } from '../../../../src/adapters/gateway/bcel.ts';
import { crc16 } from '../../../../src/adapters/gateway/emv.ts';
import { payonexGateway } from '../../../../src/adapters/gateway/payonex.ts';
import type { Gateway } from '../../../../src/adapters/gateway/port.ts';

/** A gateway whose replies the test controls, for replies that the simulated ones never send. */
type Answer = { status?: number; body: unknown };
let url: string;
let answers: Record<string, (body: Record<string, unknown>) => Answer> = {};
const asked: string[] = [];
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.push(path);
    const name = Object.keys(answers).find((one) => path.startsWith(one)) ?? '';
    const { status = 200, body } = answers[name]?.(text === '' ? {} : JSON.parse(text)) ?? { status: 500, body: '' };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
});
// Connections stay open: closing one could break a call in flight.
server.keepAliveTimeout = 0;
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.close();
  server.closeAllConnections();
});

const REFERENCE = 'ABCDEFGH2345678';
const order = (amount: bigint) => ({
  reference: REFERENCE,
  amount: minor(amount),
  payer: () => Promise.resolve({ bankCode: 'SCB', accountNo: '1234567890', accountName: 'SOMJAI DEEMAK' }),
});
const asking = (amount: bigint) => ({ reference: REFERENCE, gatewayReference: 'G1', amount: minor(amount) });
const seal = (body: string) => `${body}6304${crc16(`${body}6304`)}`;
const inTenMinutes = () => new Date(Date.now() + 600_000).toISOString();
const field = (tag: string, value: string) => `${tag}${String(value.length).padStart(2, '0')}${value}`;

const promptPay = (amount: string, first = '12') =>
  seal(
    `000201${field('01', first)}${field('29', '0016A0000006770101110315004999000000017')}5303764${field('54', amount)}5802TH`,
  );
const transaction = (changes: Record<string, unknown> = {}) => ({
  success: true,
  data: {
    uuid: 'G1',
    referenceId: REFERENCE,
    type: 'DEPOSIT',
    status: 'PROCESSING',
    amount: 100.37,
    fee: 0,
    settleAmount: 0,
    receivedAmount: null,
    qrCode: promptPay('100.37'),
    expiredAt: inTenMinutes(),
    paidAt: null,
    payer: null,
    ...changes,
  },
});
const payonex = (): Gateway =>
  payonexGateway(
    { url, accessKey: 'a', secretKey: 's', callbackKey: 'a-key-of-sixteen', timeoutMs: 10_000 },
    systemClock,
  );

const MERCHANT = 'mch0123456789abc';
const laoQr = (changes: { amount?: string; merchant?: string; bank?: string; bill?: string; rival?: string } = {}) =>
  seal(
    [
      '000201010212',
      changes.rival ?? '',
      field(
        '38',
        `0016A005266284662577${field('01', changes.bank ?? '27710418')}0203002${field('03', changes.merchant ?? MERCHANT)}`,
      ),
      '5303418',
      field('54', changes.amount ?? '20000'),
      '5802LA',
      field('62', field('01', changes.bill ?? REFERENCE)),
    ].join(''),
  );
const laoTransaction = (changes: Record<string, unknown> = {}) => ({
  transactionId: 'G1',
  tag1: REFERENCE,
  status: 'PENDING',
  amount: 20_000,
  currency: 'LAK',
  qrCode: laoQr(),
  expiredAt: inTenMinutes(),
  txnAmount: null,
  refNo: null,
  paidAt: null,
  ...changes,
});
const bcel = (): Gateway =>
  bcelGateway({ url, merchantId: MERCHANT, secretKey: 's', callbackKey: 'a-key-of-sixteen', timeoutMs: 10_000 });

beforeEach(() => {
  asked.length = 0;
  answers = {
    '/authenticate': () => ({ body: { success: true, data: { token: 'token', expiresIn: 86_400 } } }),
    '/v2/customers': () => ({ body: { success: true, data: { customerUuid: 'C1' } } }),
    '/transactions/deposit/request': () => ({ body: transaction() }),
    '/transactions/': () => ({ body: transaction() }),
    '/v1/api/payment/generate-bcel-qr': () => ({ body: laoTransaction() }),
    '/v1/api/payment/transactions': () => ({ body: laoTransaction() }),
  };
});

test('PAYONEX: a code that asks something else than is fair or than it is said to is never shown', async () => {
  const good = await payonex().create(order(10_000n));
  assert.ok(good.outcome === 'created');
  assert.deepEqual([good.payAmount, good.payload], [10_037n, promptPay('100.37')]);
  const lies: [string, Record<string, unknown>][] = [
    ['a baht more', { amount: 101, qrCode: promptPay('101.00') }],
    ['a baht less', { amount: 99, qrCode: promptPay('99.00') }],
    ['a code of another amount', { qrCode: promptPay('100.38') }],
    ['a code that is paid again and again', { qrCode: promptPay('100.37', '11') }],
    ['no code', { qrCode: '' }],
    ['a Lao code', { qrCode: laoQr() }],
    ['an altered code', { qrCode: promptPay('100.37').replace('100.37', '999.37') }],
    ['three decimals', { amount: 100.375 }],
    ['text', { amount: '100.37' }],
    ['another reference', { referenceId: 'SOMEONEELSE' }],
    ['a withdrawal', { type: 'WITHDRAW' }],
    ['no end', { expiredAt: null }],
    ['no number', { uuid: '' }],
  ];
  for (const [what, lie] of lies) {
    answers['/transactions/deposit/request'] = () => ({ body: transaction(lie) });
    assert.equal((await payonex().create(order(10_000n))).outcome, 'unknown', what);
    answers['/transactions/'] = () => ({ body: transaction(lie) });
    const inquiry = await payonex().inquire(asking(10_000n));
    assert.ok(inquiry.status === 'UNKNOWN' || (inquiry.status === 'WAITING' && !inquiry.code), what);
  }
});

test('PAYONEX: what it says of a payment is money, a case for an operator, or nothing', async () => {
  const paidAt = new Date().toISOString();
  const lies: [Record<string, unknown>, string, string?][] = [
    [{ status: 'SUCCESS', paidAt, fee: 1.5, settleAmount: 98.87 }, 'PAID', '10037'],
    [{ status: 'SUCCESS', paidAt, amount: 250 }, 'PAID', '25000'],
    [{ status: 'SUCCESS', paidAt, amount: 0 }, 'UNUSABLE', 'AMOUNT'],
    [{ status: 'SUCCESS', paidAt, amount: -5 }, 'UNUSABLE', 'AMOUNT'],
    [{ status: 'SUCCESS', paidAt, amount: '100.37' }, 'UNUSABLE', 'AMOUNT'],
    [{ status: 'SUCCESS', paidAt: null }, 'UNKNOWN'],
    [{ status: 'SUCCESS', paidAt: 'now' }, 'UNKNOWN'],
    [{ status: 'SUCCESS', paidAt, referenceId: 'SOMEONEELSE' }, 'UNKNOWN'],
    [{ status: 'ON_HOLD', receivedAmount: 100 }, 'ON_HOLD', 'ON_HOLD'],
    [{ status: 'REFUNDED', receivedAmount: 100 }, 'UNUSABLE', 'REFUNDED'],
    [{ status: 'REJECTED' }, 'EXPIRED'],
    [{ status: 'ERROR' }, 'EXPIRED'],
    [{ status: 'ERROR', receivedAmount: 100 }, 'UNUSABLE', 'ERROR'],
    [{ status: 'PROCESSING', expiredAt: new Date(Date.now() - 1_000).toISOString() }, 'EXPIRED'],
    [{ status: 'PAID' }, 'UNKNOWN'],
  ];
  const gateway = payonex();
  for (const [lie, status, more] of lies) {
    answers['/transactions/'] = () => ({ body: transaction(lie) });
    const inquiry = await gateway.inquire(asking(10_000n));
    const said = inquiry.status === 'PAID' ? String(inquiry.payment.amount) : 'reason' in inquiry && inquiry.reason;
    assert.deepEqual([inquiry.status, more && said], [status, more], JSON.stringify(lie));
  }
  assert.equal(asked.filter((path) => path === '/authenticate').length, 1);
});

test('only the gateway’s own codes count as a refusal, and a duplicate proves nothing', async () => {
  const said: [Answer, string][] = [
    [{ status: 422, body: { success: false, code: 'DECLINED', message: 'DECLINED' } }, 'refused'],
    [{ status: 409, body: { success: false, code: 'DUPLICATE_REFERENCE', message: 'DUPLICATE_TAG1' } }, 'unknown'],
    [{ status: 404, body: '<html>' }, 'unknown'],
    [{ status: 403, body: { error: 'blocked' } }, 'unknown'],
    [{ status: 429, body: { success: false, code: 'DECLINED', message: 'DECLINED' } }, 'unknown'],
    [{ status: 502, body: {} }, 'unknown'],
    [{ status: 302, body: {} }, 'unknown'],
    [{ body: 'null' }, 'unknown'],
  ];
  for (const [answer, outcome] of said) {
    answers['/transactions/deposit/request'] = () => answer;
    answers['/v1/api/payment/generate-bcel-qr'] = () => answer;
    for (const gateway of [payonex(), bcel()]) {
      assert.equal(
        (await gateway.create(order(2_000_000n))).outcome,
        outcome,
        `${gateway.code} ${answer.status ?? 200}`,
      );
    }
  }
});

test('PAYONEX: a token that is refused again and again is renewed once for each call', async () => {
  answers['/transactions/'] = () => ({ status: 401, body: { success: false, code: 'TOKEN_INVALID', message: '' } });
  assert.equal((await payonex().inquire(asking(10_000n))).status, 'UNKNOWN');
  assert.deepEqual(asked, ['/authenticate', '/transactions/G1', '/authenticate', '/transactions/G1']);
});

test('BCEL: a code for another payee, or another amount, is never shown', async () => {
  const good = await bcel().create(order(2_000_000n));
  assert.ok(good.outcome === 'created');
  assert.equal(good.payAmount, 2_000_000n);
  const lies: [string, Record<string, unknown>][] = [
    ['another merchant', { qrCode: laoQr({ merchant: 'mch9999999999999' }) }],
    ['another bank', { qrCode: laoQr({ bank: '70030418' }) }],
    ['a kip more', { qrCode: laoQr({ amount: '20001' }) }],
    ['another bill', { qrCode: laoQr({ bill: 'SOMEONEELSE' }) }],
    ['another way to pay beside it', { qrCode: laoQr({ rival: '15312031041800520446mch64f01defcb310' }) }],
    [
      'a code of the older kind',
      { qrCode: seal(`000201010212${field('33', `0004BCEL0106ONEPAY0216${MERCHANT}`)}5303418540520000`) },
    ],
    ['a Thai code', { qrCode: promptPay('20000.00') }],
    ['no end', { expiredAt: 'never' }],
    ['no number', { transactionId: '' }],
  ];
  for (const [what, lie] of lies) {
    answers['/v1/api/payment/generate-bcel-qr'] = () => ({ body: laoTransaction(lie) });
    assert.equal((await bcel().create(order(2_000_000n))).outcome, 'unknown', what);
  }
});

test('BCEL: what it says of a payment is kip, a case for an operator, or nothing', async () => {
  const paid = { status: 'PAYMENT_COMPLETED', refNo: 'FT1', paidAt: new Date().toISOString(), txnAmount: 20_000 };
  const lies: [Record<string, unknown>, string, string?][] = [
    [paid, 'PAID', '2000000'],
    [{ ...paid, txnAmount: 15_000 }, 'PAID', '1500000'],
    [{ ...paid, txnAmount: 15_000.5 }, 'UNUSABLE', 'AMOUNT'],
    [{ ...paid, txnAmount: 0 }, 'UNUSABLE', 'AMOUNT'],
    [{ ...paid, currency: 'THB' }, 'UNUSABLE', 'CURRENCY'],
    [{ ...paid, txnAmount: '20000' }, 'UNKNOWN'],
    [{ ...paid, refNo: null }, 'ON_HOLD', 'TRANSACTION_NUMBER'],
    [{ ...paid, refNo: '' }, 'ON_HOLD', 'TRANSACTION_NUMBER'],
    [{ ...paid, refNo: 'FT\u0000' }, 'ON_HOLD', 'TRANSACTION_NUMBER'],
    [{ ...paid, qrCode: null, expiredAt: null, sourceName: 7 }, 'PAID', '2000000'],
    [{ ...paid, tag1: 'SOMEONEELSE' }, 'UNKNOWN'],
    [{ status: 'EXPIRED' }, 'EXPIRED'],
    [{ status: 'SETTLED' }, 'UNKNOWN'],
  ];
  for (const [lie, status, more] of lies) {
    answers['/v1/api/payment/transactions'] = () => ({ body: laoTransaction(lie) });
    const inquiry = await bcel().inquire(asking(2_000_000n));
    const said = inquiry.status === 'PAID' ? String(inquiry.payment.amount) : 'reason' in inquiry && inquiry.reason;
    assert.deepEqual([inquiry.status, more && said], [status, more], JSON.stringify(lie));
  }
});
