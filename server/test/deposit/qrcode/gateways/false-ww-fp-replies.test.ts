import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { generate } from 'promptparse';
import { fpGateway } from '../../../../src/adapters/gateway/fp.ts';
import type { Gateway } from '../../../../src/adapters/gateway/port.ts';
import { wwGateway } from '../../../../src/adapters/gateway/ww.ts';
import { systemClock } from '../../../../src/platform/time.ts';

/** The next reply to any call. */
let nextReply: { status: number; body: unknown } = { status: 500, body: '' };
let url: string;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(nextReply.status, { 'content-type': 'application/json' });
    response.end(typeof nextReply.body === 'string' ? nextReply.body : JSON.stringify(nextReply.body));
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

const BILLER_ID = '010555555555507';
const REFERENCE = 'ABCDEFGH2345678';
const QR_ORDER = { reference: REFERENCE, amount: minor(10_000n), payer: () => Promise.resolve(undefined) };
const INQUIRED_CODE = { reference: REFERENCE, gatewayReference: 'G1', amount: minor(10_000n) };
const billPayload = (changes: { billerId?: string; ref1?: string; amount?: number } = {}) =>
  generate.billPayment({ billerId: BILLER_ID, ref1: REFERENCE, amount: 100, ...changes });
const BILL_WITHOUT_AMOUNT = generate.billPayment({ billerId: BILLER_ID, ref1: REFERENCE });
const PHONE_TRANSFER_QR = generate.anyId({ type: 'MSISDN', target: '0812345678', amount: 100 });
const inTenMinutes = () => Date.now() + 600_000;

/** One gateway's replies; `changes` spoil one field of a correct one. */
type GatewayCase = {
  code: string;
  gateway: () => Gateway;
  pendingReply: (changes?: Record<string, unknown>) => unknown;
  paidReply: (changes?: Record<string, unknown>) => unknown;
  /** Field names. */
  fields: {
    text: string;
    reference: string;
    number: string;
    amount: string;
    at: string;
    status: string;
    expires: string;
  };
  endStates: readonly [string, string][];
  /** A refusal, an inconclusive error, and the reply for an unknown code. */
  refusal: { status: number; body: unknown };
  unprovenReplies: readonly { status: number; body: unknown }[];
  unknownCode: { status: number; body: unknown };
  paidAlready: { status: number; body: unknown };
};

const wwPayment = (changes: Record<string, unknown> = {}) => ({
  id: 'ww_1',
  merchantReference: REFERENCE,
  status: 'pending',
  qrPayload: billPayload(),
  expiresAt: new Date(inTenMinutes()).toISOString(),
  paid: null,
  ...changes,
});
const wwRefusal = (status: number, code: string) => ({ status, body: { error: { code, message: 'no' } } });
const WW_CASE: GatewayCase = {
  code: 'WW',
  gateway: () =>
    wwGateway(
      { url, merchantId: 'M', apiKey: 'K', signingSecret: 'a2V5', billerId: BILLER_ID, timeoutMs: 20_000 },
      systemClock,
    ),
  pendingReply: wwPayment,
  paidReply: ({ status = 'successful', merchantReference = REFERENCE, ...changes } = {}) =>
    wwPayment({
      status,
      merchantReference,
      paid: {
        transactionId: 'T1',
        amount: '100.00',
        currency: 'THB',
        at: new Date().toISOString(),
        payer: { bankCode: 'SCB', accountNo: 'x', name: 'x' },
        ...changes,
      },
    }),
  fields: {
    text: 'qrPayload',
    reference: 'merchantReference',
    number: 'transactionId',
    amount: 'amount',
    at: 'at',
    status: 'status',
    expires: 'expiresAt',
  },
  endStates: [
    ['cancelled', 'CANCELLED'],
    ['expired', 'EXPIRED'],
    ['failed', 'EXPIRED'],
  ],
  refusal: wwRefusal(422, 'declined'),
  unprovenReplies: [
    wwRefusal(409, 'duplicate_reference'),
    { status: 403, body: '<html>Just a moment…</html>' },
    { status: 422, body: { message: 'a proxy’s words' } },
    { status: 429, body: { error: { code: 'slow_down' } } },
    { status: 302, body: '' },
  ],
  unknownCode: wwRefusal(404, 'payment_not_found'),
  paidAlready: wwRefusal(409, 'payment_successful'),
};

const fpOrder = (changes: Record<string, unknown> = {}) => ({
  code: 0,
  msg: 'success',
  data: {
    orderNo: REFERENCE,
    platformNo: 'FP1',
    status: 'WAIT',
    amount: '100.00',
    currency: 'THB',
    qrText: billPayload(),
    expireTime: inTenMinutes(),
    paidAmount: null,
    payTime: null,
    tradeNo: null,
    ...changes,
  },
});
const fpRefusal = (code: number) => ({ status: 200, body: { code, msg: 'no', data: null } });
const FP_CASE: GatewayCase = {
  code: 'FP',
  gateway: () =>
    fpGateway(
      { url, merchantNo: 'M', key: 'K', billerId: BILLER_ID, callbackKey: 'a-key-of-sixteen', timeoutMs: 20_000 },
      systemClock,
    ),
  pendingReply: fpOrder,
  paidReply: (changes = {}) =>
    fpOrder({ status: 'PAID', paidAmount: '100.00', payTime: Date.now(), tradeNo: 'T1', ...changes }),
  fields: {
    text: 'qrText',
    reference: 'orderNo',
    number: 'tradeNo',
    amount: 'paidAmount',
    at: 'payTime',
    status: 'status',
    expires: 'expireTime',
  },
  endStates: [
    ['CLOSED', 'CANCELLED'],
    ['EXPIRED', 'EXPIRED'],
  ],
  refusal: fpRefusal(1099),
  unprovenReplies: [
    fpRefusal(9999),
    fpRefusal(1007),
    fpRefusal(-1),
    { status: 403, body: { code: 1001, msg: '', data: null } },
  ],
  unknownCode: fpRefusal(1005),
  paidAlready: fpRefusal(1010),
};

const GARBAGE_BODIES = ['', '<html>', '[]', 'null', '7', '{}', '{"code":0}', `"${'x'.repeat(2_000_000)}"`];

for (const gatewayCase of [WW_CASE, FP_CASE]) {
  describe(gatewayCase.code, () => {
    const { fields } = gatewayCase;
    const setReply = (body: unknown, status = 200) => {
      nextReply = { status, body };
    };
    const titleOf = (title: string) => `${gatewayCase.code}: ${title}`;

    test(titleOf('a code that differs from the request is never shown [R-QR-08]'), async () => {
      setReply(gatewayCase.pendingReply());
      const validReply = await gatewayCase.gateway().create(QR_ORDER);
      assert.equal(validReply.outcome, 'created');
      for (const [title, changes] of [
        ['another biller', { [fields.text]: billPayload({ billerId: '010666666666601' }) }],
        ['another amount', { [fields.text]: billPayload({ amount: 100.01 }) }],
        ['another reference', { [fields.text]: billPayload({ ref1: 'SOMEONEELSE' }) }],
        ['no amount', { [fields.text]: BILL_WITHOUT_AMOUNT }],
        ['a transfer to a phone', { [fields.text]: PHONE_TRANSFER_QR }],
        ['a broken CRC', { [fields.text]: `${billPayload().slice(0, -4)}0000` }],
        ['markup', { [fields.text]: '<script>alert(1)</script>' }],
        ['a number', { [fields.text]: 7 }],
        ['another order', { [fields.reference]: 'SOMEONEELSE' }],
        ['no end', { [fields.expires]: null }],
        ['a state that there is not', { [fields.status]: 'SETTLED' }],
        ...gatewayCase.endStates.map(([endState]): [string, Record<string, unknown>] => [
          `over: ${endState}`,
          { [fields.status]: endState },
        ]),
      ] as [string, Record<string, unknown>][]) {
        setReply(gatewayCase.pendingReply(changes));
        assert.equal((await gatewayCase.gateway().create(QR_ORDER)).outcome, 'unknown', title);
        const inquiry = await gatewayCase.gateway().inquire(INQUIRED_CODE);
        assert.ok(inquiry.status !== 'PAID' && !('code' in inquiry && inquiry.code), title);
      }
    });

    test(titleOf("only a refusal in the gateway's own format proves that no code exists [R-QR-08]"), async () => {
      nextReply = gatewayCase.refusal;
      assert.equal((await gatewayCase.gateway().create(QR_ORDER)).outcome, 'refused');
      for (const falseReply of [
        ...gatewayCase.unprovenReplies,
        ...GARBAGE_BODIES.map((body) => ({ status: 200, body })),
      ]) {
        nextReply = falseReply;
        const replyText = JSON.stringify(falseReply).slice(0, 60);
        assert.equal((await gatewayCase.gateway().create(QR_ORDER)).outcome, 'unknown', replyText);
        assert.equal((await gatewayCase.gateway().inquire(INQUIRED_CODE)).status, 'UNKNOWN', replyText);
        assert.equal(await gatewayCase.gateway().cancel(INQUIRED_CODE), 'UNKNOWN', replyText);
      }
    });

    test(titleOf('a reported payment is credited, waits for an operator, or is ignored [R-QR-07]'), async () => {
      setReply(gatewayCase.paidReply());
      const validReply = await gatewayCase.gateway().inquire(INQUIRED_CODE);
      assert.ok(validReply.status === 'PAID');
      assert.deepEqual(
        [validReply.payment.amount, validReply.payment.currency, validReply.payment.transactionNumber],
        [10_000n, 'BAHT', 'T1'],
      );
      for (const [changes, expected] of [
        [{ currency: 'LAK' }, 'UNUSABLE'],
        [{ [fields.amount]: '0.00' }, 'UNUSABLE'],
        [{ [fields.amount]: '-100.00' }, 'UNUSABLE'],
        [{ [fields.amount]: '1e9' }, 'UNUSABLE'],
        [{ [fields.amount]: '100.001' }, 'UNUSABLE'],
        [{ [fields.amount]: '1,000.00' }, 'UNUSABLE'],
        [{ [fields.amount]: 100 }, 'UNKNOWN'],
        [{ [fields.number]: null }, 'ON_HOLD'],
        [{ [fields.number]: '' }, 'ON_HOLD'],
        [{ [fields.number]: 'T1\0' }, 'ON_HOLD'],
        [{ [fields.at]: 'yesterday' }, 'UNKNOWN'],
        [{ [fields.reference]: 'SOMEONEELSE' }, 'UNKNOWN'],
        [{ [fields.status]: 'SETTLED' }, 'UNKNOWN'],
      ] as const) {
        setReply(gatewayCase.paidReply(changes));
        assert.equal((await gatewayCase.gateway().inquire(INQUIRED_CODE)).status, expected, JSON.stringify(changes));
      }
    });

    test(
      titleOf('each end of a code has its own reply, and a payment takes precedence over a cancellation [R-QR-07]'),
      async () => {
        for (const [endState, expected] of gatewayCase.endStates) {
          setReply(gatewayCase.pendingReply({ [fields.status]: endState }));
          assert.equal((await gatewayCase.gateway().inquire(INQUIRED_CODE)).status, expected, endState);
        }
        nextReply = gatewayCase.unknownCode;
        assert.equal((await gatewayCase.gateway().inquire(INQUIRED_CODE)).status, 'NOT_FOUND');
        assert.equal(await gatewayCase.gateway().cancel(INQUIRED_CODE), 'NOT_FOUND');
        nextReply = gatewayCase.paidAlready;
        assert.equal(await gatewayCase.gateway().cancel(INQUIRED_CODE), 'ALREADY_PAID');
        setReply(gatewayCase.paidReply());
        assert.equal(await gatewayCase.gateway().cancel(INQUIRED_CODE), 'UNKNOWN');
      },
    );
  });
}
