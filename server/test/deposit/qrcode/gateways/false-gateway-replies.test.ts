import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { bcelGateway } from '../../../../src/adapters/gateway/bcel.ts';
import { crc16 } from '../../../../src/adapters/gateway/emv.ts';
import { payonexGateway } from '../../../../src/adapters/gateway/payonex.ts';
import type { Gateway } from '../../../../src/adapters/gateway/port.ts';
import { systemClock } from '../../../../src/platform/time.ts';

/** A gateway whose replies the test controls, for replies that the simulated ones never send. */
type ControlledReply = { status?: number; body: unknown };
let url: string;
let repliesByPath: Record<string, (body: Record<string, unknown>) => ControlledReply> = {};
const requestedPaths: string[] = [];
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    requestedPaths.push(path);
    const name = Object.keys(repliesByPath).find((item) => path.startsWith(item)) ?? '';
    const { status = 200, body } = repliesByPath[name]?.(text === '' ? {} : JSON.parse(text)) ?? {
      status: 500,
      body: '',
    };
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
const qrOrder = (amount: bigint) => ({
  reference: REFERENCE,
  amount: minor(amount),
  payer: () => Promise.resolve({ bankCode: 'SCB', accountNo: '1234567890', accountName: 'SOMJAI DEEMAK' }),
});
const inquiredCode = (amount: bigint) => ({ reference: REFERENCE, gatewayReference: 'G1', amount: minor(amount) });
const withCrc = (body: string) => `${body}6304${crc16(`${body}6304`)}`;
const inTenMinutes = () => new Date(Date.now() + 600_000).toISOString();
const emvField = (tag: string, value: string) => `${tag}${String(value.length).padStart(2, '0')}${value}`;

const promptPayPayload = (amount: string, first = '12') =>
  withCrc(
    `000201${emvField('01', first)}${emvField('29', '0016A0000006770101110315004999000000017')}5303764${emvField('54', amount)}5802TH`,
  );
const transactionReply = (changes: Record<string, unknown> = {}) => ({
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
    qrCode: promptPayPayload('100.37'),
    expiredAt: inTenMinutes(),
    paidAt: null,
    payer: null,
    ...changes,
  },
});
const createPayonex = (): Gateway =>
  payonexGateway(
    { url, accessKey: 'a', secretKey: 's', callbackKey: 'a-key-of-sixteen', timeoutMs: 10_000 },
    systemClock,
  );

const MERCHANT_ID = 'mch0123456789abc';
const laoQrPayload = (
  changes: { amount?: string; merchant?: string; bank?: string; bill?: string; rival?: string } = {},
) =>
  withCrc(
    [
      '000201010212',
      changes.rival ?? '',
      emvField(
        '38',
        `0016A005266284662577${emvField('01', changes.bank ?? '27710418')}0203002${emvField('03', changes.merchant ?? MERCHANT_ID)}`,
      ),
      '5303418',
      emvField('54', changes.amount ?? '20000'),
      '5802LA',
      emvField('62', emvField('01', changes.bill ?? REFERENCE)),
    ].join(''),
  );
const laoTransaction = (changes: Record<string, unknown> = {}) => ({
  transactionId: 'G1',
  tag1: REFERENCE,
  status: 'PENDING',
  amount: 20_000,
  currency: 'LAK',
  qrCode: laoQrPayload(),
  expiredAt: inTenMinutes(),
  txnAmount: null,
  refNo: null,
  paidAt: null,
  ...changes,
});
const createBcel = (): Gateway =>
  bcelGateway({ url, merchantId: MERCHANT_ID, secretKey: 's', callbackKey: 'a-key-of-sixteen', timeoutMs: 10_000 });

beforeEach(() => {
  requestedPaths.length = 0;
  repliesByPath = {
    '/authenticate': () => ({ body: { success: true, data: { token: 'token', expiresIn: 86_400 } } }),
    '/v2/customers': () => ({ body: { success: true, data: { customerUuid: 'C1' } } }),
    '/transactions/deposit/request': () => ({ body: transactionReply() }),
    '/transactions/': () => ({ body: transactionReply() }),
    '/v1/api/payment/generate-bcel-qr': () => ({ body: laoTransaction() }),
    '/v1/api/payment/transactions': () => ({ body: laoTransaction() }),
  };
});

test('PAYONEX: a code whose amount differs unacceptably from the request or from its QR is never shown', async () => {
  const validReply = await createPayonex().create(qrOrder(10_000n));
  assert.ok(validReply.outcome === 'created');
  assert.deepEqual([validReply.payAmount, validReply.payload], [10_037n, promptPayPayload('100.37')]);
  const falseReplies: [string, Record<string, unknown>][] = [
    ['a baht more', { amount: 101, qrCode: promptPayPayload('101.00') }],
    ['a baht less', { amount: 99, qrCode: promptPayPayload('99.00') }],
    ['a code of another amount', { qrCode: promptPayPayload('100.38') }],
    ['a code that is paid again and again', { qrCode: promptPayPayload('100.37', '11') }],
    ['no code', { qrCode: '' }],
    ['a Lao code', { qrCode: laoQrPayload() }],
    ['an altered code', { qrCode: promptPayPayload('100.37').replace('100.37', '999.37') }],
    ['three decimals', { amount: 100.375 }],
    ['text', { amount: '100.37' }],
    ['another reference', { referenceId: 'SOMEONEELSE' }],
    ['a withdrawal', { type: 'WITHDRAW' }],
    ['no end', { expiredAt: null }],
    ['no number', { uuid: '' }],
  ];
  for (const [title, falseReply] of falseReplies) {
    repliesByPath['/transactions/deposit/request'] = () => ({ body: transactionReply(falseReply) });
    assert.equal((await createPayonex().create(qrOrder(10_000n))).outcome, 'unknown', title);
    repliesByPath['/transactions/'] = () => ({ body: transactionReply(falseReply) });
    const inquiry = await createPayonex().inquire(inquiredCode(10_000n));
    assert.ok(inquiry.status === 'UNKNOWN' || (inquiry.status === 'WAITING' && !inquiry.code), title);
  }
});

test('PAYONEX: a reported payment is credited, waits for an operator, or is ignored', async () => {
  const paidAt = new Date().toISOString();
  const falseReplies: [Record<string, unknown>, string, string?][] = [
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
  const gateway = createPayonex();
  for (const [falseReply, status, expectedAmount] of falseReplies) {
    repliesByPath['/transactions/'] = () => ({ body: transactionReply(falseReply) });
    const inquiry = await gateway.inquire(inquiredCode(10_000n));
    const inquiryResult =
      inquiry.status === 'PAID' ? String(inquiry.payment.amount) : 'reason' in inquiry && inquiry.reason;
    assert.deepEqual(
      [inquiry.status, expectedAmount && inquiryResult],
      [status, expectedAmount],
      JSON.stringify(falseReply),
    );
  }
  assert.equal(requestedPaths.filter((path) => path === '/authenticate').length, 1);
});

test("only the gateway's own error codes count as refusals, and a duplicate proves nothing", async () => {
  const replyCases: [ControlledReply, string][] = [
    [{ status: 422, body: { success: false, code: 'DECLINED', message: 'DECLINED' } }, 'refused'],
    [{ status: 409, body: { success: false, code: 'DUPLICATE_REFERENCE', message: 'DUPLICATE_TAG1' } }, 'unknown'],
    [{ status: 404, body: '<html>' }, 'unknown'],
    [{ status: 403, body: { error: 'blocked' } }, 'unknown'],
    [{ status: 429, body: { success: false, code: 'DECLINED', message: 'DECLINED' } }, 'unknown'],
    [{ status: 502, body: {} }, 'unknown'],
    [{ status: 302, body: {} }, 'unknown'],
    [{ body: 'null' }, 'unknown'],
  ];
  for (const [answer, outcome] of replyCases) {
    repliesByPath['/transactions/deposit/request'] = () => answer;
    repliesByPath['/v1/api/payment/generate-bcel-qr'] = () => answer;
    for (const gateway of [createPayonex(), createBcel()]) {
      assert.equal(
        (await gateway.create(qrOrder(2_000_000n))).outcome,
        outcome,
        `${gateway.code} ${answer.status ?? 200}`,
      );
    }
  }
});

test('PAYONEX: a repeatedly refused token is renewed once for each call', async () => {
  repliesByPath['/transactions/'] = () => ({
    status: 401,
    body: { success: false, code: 'TOKEN_INVALID', message: '' },
  });
  assert.equal((await createPayonex().inquire(inquiredCode(10_000n))).status, 'UNKNOWN');
  assert.deepEqual(requestedPaths, ['/authenticate', '/transactions/G1', '/authenticate', '/transactions/G1']);
});

test('BCEL: a code for another payee or amount is never shown', async () => {
  const validReply = await createBcel().create(qrOrder(2_000_000n));
  assert.ok(validReply.outcome === 'created');
  assert.equal(validReply.payAmount, 2_000_000n);
  const falseReplies: [string, Record<string, unknown>][] = [
    ['another merchant', { qrCode: laoQrPayload({ merchant: 'mch9999999999999' }) }],
    ['another bank', { qrCode: laoQrPayload({ bank: '70030418' }) }],
    ['a kip more', { qrCode: laoQrPayload({ amount: '20001' }) }],
    ['another bill', { qrCode: laoQrPayload({ bill: 'SOMEONEELSE' }) }],
    ['another way to pay beside it', { qrCode: laoQrPayload({ rival: '15312031041800520446mch64f01defcb310' }) }],
    [
      'a code of the older kind',
      { qrCode: withCrc(`000201010212${emvField('33', `0004BCEL0106ONEPAY0216${MERCHANT_ID}`)}5303418540520000`) },
    ],
    ['a Thai code', { qrCode: promptPayPayload('20000.00') }],
    ['no end', { expiredAt: 'never' }],
    ['no number', { transactionId: '' }],
  ];
  for (const [title, falseReply] of falseReplies) {
    repliesByPath['/v1/api/payment/generate-bcel-qr'] = () => ({ body: laoTransaction(falseReply) });
    assert.equal((await createBcel().create(qrOrder(2_000_000n))).outcome, 'unknown', title);
  }
});

test('BCEL: a reported payment is credited in kip, waits for an operator, or is ignored', async () => {
  const paidReply = { status: 'PAYMENT_COMPLETED', refNo: 'FT1', paidAt: new Date().toISOString(), txnAmount: 20_000 };
  const falseReplies: [Record<string, unknown>, string, string?][] = [
    [paidReply, 'PAID', '2000000'],
    [{ ...paidReply, txnAmount: 15_000 }, 'PAID', '1500000'],
    [{ ...paidReply, txnAmount: 15_000.5 }, 'UNUSABLE', 'AMOUNT'],
    [{ ...paidReply, txnAmount: 0 }, 'UNUSABLE', 'AMOUNT'],
    [{ ...paidReply, currency: 'THB' }, 'UNUSABLE', 'CURRENCY'],
    [{ ...paidReply, txnAmount: '20000' }, 'UNKNOWN'],
    [{ ...paidReply, refNo: null }, 'ON_HOLD', 'TRANSACTION_NUMBER'],
    [{ ...paidReply, refNo: '' }, 'ON_HOLD', 'TRANSACTION_NUMBER'],
    [{ ...paidReply, refNo: 'FT\u0000' }, 'ON_HOLD', 'TRANSACTION_NUMBER'],
    [{ ...paidReply, qrCode: null, expiredAt: null, sourceName: 7 }, 'PAID', '2000000'],
    [{ ...paidReply, tag1: 'SOMEONEELSE' }, 'UNKNOWN'],
    [{ status: 'EXPIRED' }, 'EXPIRED'],
    [{ status: 'SETTLED' }, 'UNKNOWN'],
  ];
  for (const [falseReply, status, expectedAmount] of falseReplies) {
    repliesByPath['/v1/api/payment/transactions'] = () => ({ body: laoTransaction(falseReply) });
    const inquiry = await createBcel().inquire(inquiredCode(2_000_000n));
    const inquiryResult =
      inquiry.status === 'PAID' ? String(inquiry.payment.amount) : 'reason' in inquiry && inquiry.reason;
    assert.deepEqual(
      [inquiry.status, expectedAmount && inquiryResult],
      [status, expectedAmount],
      JSON.stringify(falseReply),
    );
  }
});
