import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { generate } from 'promptparse';
import { systemClock } from '../../../../src/platform/time.ts';
import { fpGateway } from '../../../../src/adapters/gateway/fp.ts';
import type { Gateway } from '../../../../src/adapters/gateway/port.ts';
import { wwGateway } from '../../../../src/adapters/gateway/ww.ts';

/** The next reply to any call. */
let answer: { status: number; body: unknown } = { status: 500, body: '' };
let url: string;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
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

const BILLER = '010555555555507';
const REFERENCE = 'ABCDEFGH2345678';
const ORDER = { reference: REFERENCE, amount: minor(10_000n), payer: () => Promise.resolve(undefined) };
const CODE = { reference: REFERENCE, gatewayReference: 'G1', amount: minor(10_000n) };
const bill = (changes: { billerId?: string; ref1?: string; amount?: number } = {}) =>
  generate.billPayment({ billerId: BILLER, ref1: REFERENCE, amount: 100, ...changes });
const NO_AMOUNT = generate.billPayment({ billerId: BILLER, ref1: REFERENCE });
const TO_A_PHONE = generate.anyId({ type: 'MSISDN', target: '0812345678', amount: 100 });
const inTenMinutes = () => Date.now() + 600_000;

/** One gateway's replies; `changes` spoil one field of a correct one. */
type Liar = {
  code: string;
  gateway: () => Gateway;
  waiting: (changes?: Record<string, unknown>) => unknown;
  paid: (changes?: Record<string, unknown>) => unknown;
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
  ended: readonly [string, string][];
  /** A refusal, an inconclusive error, and the reply for an unknown code. */
  refusal: { status: number; body: unknown };
  unproven: readonly { status: number; body: unknown }[];
  unknownCode: { status: number; body: unknown };
  paidAlready: { status: number; body: unknown };
};

const wwPayment = (changes: Record<string, unknown> = {}) => ({
  id: 'ww_1',
  merchantReference: REFERENCE,
  status: 'pending',
  qrPayload: bill(),
  expiresAt: new Date(inTenMinutes()).toISOString(),
  paid: null,
  ...changes,
});
const wwRefusal = (status: number, code: string) => ({ status, body: { error: { code, message: 'no' } } });
const WW: Liar = {
  code: 'WW',
  gateway: () =>
    wwGateway(
      { url, merchantId: 'M', apiKey: 'K', signingSecret: 'a2V5', billerId: BILLER, timeoutMs: 20_000 },
      systemClock,
    ),
  waiting: wwPayment,
  paid: ({ status = 'successful', merchantReference = REFERENCE, ...changes } = {}) =>
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
  ended: [
    ['cancelled', 'CANCELLED'],
    ['expired', 'EXPIRED'],
    ['failed', 'EXPIRED'],
  ],
  refusal: wwRefusal(422, 'declined'),
  unproven: [
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
    qrText: bill(),
    expireTime: inTenMinutes(),
    paidAmount: null,
    payTime: null,
    tradeNo: null,
    ...changes,
  },
});
const fpRefusal = (code: number) => ({ status: 200, body: { code, msg: 'no', data: null } });
const FP: Liar = {
  code: 'FP',
  gateway: () =>
    fpGateway(
      { url, merchantNo: 'M', key: 'K', billerId: BILLER, callbackKey: 'a-key-of-sixteen', timeoutMs: 20_000 },
      systemClock,
    ),
  waiting: fpOrder,
  paid: (changes = {}) =>
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
  ended: [
    ['CLOSED', 'CANCELLED'],
    ['EXPIRED', 'EXPIRED'],
  ],
  refusal: fpRefusal(1099),
  unproven: [
    fpRefusal(9999),
    fpRefusal(1007),
    fpRefusal(-1),
    { status: 403, body: { code: 1001, msg: '', data: null } },
  ],
  unknownCode: fpRefusal(1005),
  paidAlready: fpRefusal(1010),
};

const GARBAGE = ['', '<html>', '[]', 'null', '7', '{}', '{"code":0}', `"${'x'.repeat(2_000_000)}"`];

for (const liar of [WW, FP]) {
  describe(liar.code, () => {
    const { fields } = liar;
    const say = (body: unknown, status = 200) => {
      answer = { status, body };
    };
    const titled = (title: string) => `${liar.code}: ${title}`;

    test(titled('a code that says anything else than what was asked is never shown [R-QR-08]'), async () => {
      say(liar.waiting());
      const good = await liar.gateway().create(ORDER);
      assert.equal(good.outcome, 'created');
      for (const [what, changes] of [
        ['another biller', { [fields.text]: bill({ billerId: '010666666666601' }) }],
        ['another amount', { [fields.text]: bill({ amount: 100.01 }) }],
        ['another reference', { [fields.text]: bill({ ref1: 'SOMEONEELSE' }) }],
        ['no amount', { [fields.text]: NO_AMOUNT }],
        ['a transfer to a phone', { [fields.text]: TO_A_PHONE }],
        ['a broken CRC', { [fields.text]: `${bill().slice(0, -4)}0000` }],
        ['markup', { [fields.text]: '<script>alert(1)</script>' }],
        ['a number', { [fields.text]: 7 }],
        ['another order', { [fields.reference]: 'SOMEONEELSE' }],
        ['no end', { [fields.expires]: null }],
        ['a state that there is not', { [fields.status]: 'SETTLED' }],
        ...liar.ended.map(([word]): [string, Record<string, unknown>] => [`over: ${word}`, { [fields.status]: word }]),
      ] as [string, Record<string, unknown>][]) {
        say(liar.waiting(changes));
        assert.equal((await liar.gateway().create(ORDER)).outcome, 'unknown', what);
        const inquiry = await liar.gateway().inquire(CODE);
        assert.ok(inquiry.status !== 'PAID' && !('code' in inquiry && inquiry.code), what);
      }
    });

    test(titled('only a refusal in its own words proves that there is no code [R-QR-08]'), async () => {
      answer = liar.refusal;
      assert.equal((await liar.gateway().create(ORDER)).outcome, 'refused');
      for (const lie of [...liar.unproven, ...GARBAGE.map((body) => ({ status: 200, body }))]) {
        answer = lie;
        const said = JSON.stringify(lie).slice(0, 60);
        assert.equal((await liar.gateway().create(ORDER)).outcome, 'unknown', said);
        assert.equal((await liar.gateway().inquire(CODE)).status, 'UNKNOWN', said);
        assert.equal(await liar.gateway().cancel(CODE), 'UNKNOWN', said);
      }
    });

    test(titled('what it says of a payment is money, a case for an operator, or nothing [R-QR-07]'), async () => {
      say(liar.paid());
      const good = await liar.gateway().inquire(CODE);
      assert.ok(good.status === 'PAID');
      assert.deepEqual(
        [good.payment.amount, good.payment.currency, good.payment.transactionNumber],
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
        say(liar.paid(changes));
        assert.equal((await liar.gateway().inquire(CODE)).status, expected, JSON.stringify(changes));
      }
    });

    test(titled('the end of a code has its own answer, and money beats a cancel [R-QR-07]'), async () => {
      for (const [word, expected] of liar.ended) {
        say(liar.waiting({ [fields.status]: word }));
        assert.equal((await liar.gateway().inquire(CODE)).status, expected, word);
      }
      answer = liar.unknownCode;
      assert.equal((await liar.gateway().inquire(CODE)).status, 'NOT_FOUND');
      assert.equal(await liar.gateway().cancel(CODE), 'NOT_FOUND');
      answer = liar.paidAlready;
      assert.equal(await liar.gateway().cancel(CODE), 'ALREADY_PAID');
      say(liar.paid());
      assert.equal(await liar.gateway().cancel(CODE), 'UNKNOWN');
    });
  });
}
