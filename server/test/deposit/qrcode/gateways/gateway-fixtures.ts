import { createHmac } from 'node:crypto';
import { parse, validate } from 'promptparse';
import type { Outside } from '../../../../src/outside-config.ts';

/** A callback in wire format. */
export type RawCall = { path: string; headers: Record<string, string>; body: string };

/** One gateway's values in the tests of deposits. A new gateway adds one. */
export type GatewayFixture = {
  /** The wire's `bankCode`, and the name in addresses, faults and totals. */
  code: string;
  name: string;
  currency: 'BAHT' | 'LAK';
  /** Valid amounts; the first one is the default. */
  amounts: readonly [number, ...number[]];
  /** Just outside the operator's limits. */
  tooLittle: number;
  tooMuch: number;
  /** Other amount that a payer may pay; none where the amount identifies the payment. */
  otherAmounts: readonly string[];
  /** Names of the gateway's calls; null where it has none. */
  calls: { create: string; inquire: string; cancel: string | null };
  /** Amount and own reference (if included) of a code, by a third-party parser. */
  read(payload: string, outside: Outside): { amount: number; reference: string | null } | null;
  /** The gateway's callback about a code. `claim` alters its content. */
  callback(outside: Outside, reference: string, claim?: { amount?: string; number?: string; sentAt?: Date }): RawCall;
  /** Callbacks without a secret or with an outdated one, and their refusals. */
  strangers(
    outside: Outside,
    reference: string,
  ): { what: string; call: RawCall; refusal: 'KEY_MISSING' | 'KEY_INVALID' }[];
  /** Reply to an accepted callback. */
  taken: string;
};

/** Null also for a wrong CRC, which the parser checks. */
function readBill(payload: string, billerId: string | undefined): ReturnType<GatewayFixture['read']> {
  const bill = validate.billPayment(payload);
  if (bill === null || bill.billerId !== billerId || bill.amount === undefined) return null;
  return { amount: bill.amount, reference: bill.ref1 ?? null };
}

type Claim = Parameters<GatewayFixture['callback']>[2];

const DAY_MS = 86_400_000;
const json = { 'content-type': 'application/json' };

/** Refusals of a callback URL whose secret is its `?key=`. */
export function keyedStrangers(call: RawCall): ReturnType<GatewayFixture['strangers']> {
  const [path = ''] = call.path.split('?');
  const at = (query: string): RawCall => ({ ...call, path: `${path}${query}` });
  return [
    { what: 'no key', call: at(''), refusal: 'KEY_MISSING' },
    { what: 'an empty key', call: at('?key='), refusal: 'KEY_MISSING' },
    { what: 'a guess', call: at('?key=guess'), refusal: 'KEY_INVALID' },
    { what: 'a letter too many', call: { ...call, path: `${call.path}x` }, refusal: 'KEY_INVALID' },
    { what: 'two keys', call: at('?key=a&key=b'), refusal: 'KEY_INVALID' },
  ];
}

const kbank: GatewayFixture = {
  code: 'KBANK',
  name: 'kbank',
  currency: 'BAHT',
  amounts: [123.45, 1, 20.15, 199_999.99],
  tooLittle: 0.99,
  tooMuch: 200_000.01,
  otherAmounts: ['250.75', '0.25'],
  calls: { create: 'qr_request', inquire: 'inquire_payment', cancel: 'qr_cancel' },
  callback: ({ kbank: { callbackKey, partnerId } }, reference, claim = {}) => ({
    path: `/api/callback/kbank?key=${callbackKey}`,
    headers: json,
    body: JSON.stringify({
      partnerTxnUid: reference,
      partnerId,
      statusCode: '00',
      txnAmount: claim.amount ?? '123.45',
      txnCurrencyCode: 'THB',
      txnNo: claim.number ?? '20261121000000999999',
      reference1: reference,
    }),
  }),
  strangers: (outside, reference) => keyedStrangers(kbank.callback(outside, reference)),
  read: (payload, outside) => readBill(payload, outside.kbank.billerId),
  taken: '{"statusCode":"00"}',
};

const fp: GatewayFixture = {
  code: 'FP',
  name: 'fp',
  currency: 'BAHT',
  amounts: [55.5, 10, 49_999.99],
  tooLittle: 9.99,
  tooMuch: 50_000.01,
  otherAmounts: ['54.00', '1250.01'],
  calls: { create: 'create', inquire: 'query', cancel: 'close' },
  callback: ({ fp: agreed }, reference, claim = {}) => ({
    path: `/api/callback/fp?key=${agreed?.callbackKey ?? ''}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      merchantNo: agreed?.merchantNo ?? '',
      orderNo: reference,
      status: 'PAID',
      amount: claim.amount ?? '55.50',
      tradeNo: claim.number ?? 'FPT1',
    }).toString(),
  }),
  strangers: (outside, reference) => keyedStrangers(fp.callback(outside, reference)),
  read: (payload, outside) => readBill(payload, outside.fp?.billerId),
  taken: 'success',
};

/** The signature as defined by WW's protocol. */
function signed(body: string, sentAt: Date, secret: string): RawCall {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${timestamp}.${body}`).digest('hex');
  return {
    path: '/api/callback/ww',
    headers: { ...json, 'ww-signature-timestamp': timestamp, 'ww-signature': signature },
    body,
  };
}

function bodyOfWw(reference: string, claim: Claim = {}): string {
  const paid = { transactionId: claim.number ?? 'WWT1', amount: claim.amount ?? '150.00', currency: 'THB' };
  const payment = { merchantReference: reference, status: 'successful', amount: '150.00', currency: 'THB', paid };
  return JSON.stringify({ event: 'payment.successful', payment });
}

function without(call: RawCall, header: string): RawCall {
  return { ...call, headers: Object.fromEntries(Object.entries(call.headers).filter(([name]) => name !== header)) };
}

const ww: GatewayFixture = {
  code: 'WW',
  name: 'ww',
  currency: 'BAHT',
  amounts: [150, 100, 99_999.99],
  tooLittle: 99.99,
  tooMuch: 100_000.01,
  otherAmounts: ['149.50', '0.01'],
  calls: { create: 'create', inquire: 'inquire', cancel: 'cancel' },
  callback: (outside, reference, claim = {}) =>
    signed(bodyOfWw(reference, claim), claim.sentAt ?? new Date(), outside.ww?.signingSecret ?? ''),
  strangers: (outside, reference) => {
    const secret = outside.ww?.signingSecret ?? '';
    const good = ww.callback(outside, reference);
    const ago = (ms: number) => new Date(Date.now() - ms);
    const now = new Date();
    const { 'ww-signature': signature = '' } = good.headers;
    const withSignature = (text: string): RawCall => ({ ...good, headers: { ...good.headers, 'ww-signature': text } });
    return [
      { what: 'no signature', call: without(good, 'ww-signature'), refusal: 'KEY_MISSING' },
      { what: 'no time stamp', call: without(good, 'ww-signature-timestamp'), refusal: 'KEY_MISSING' },
      {
        what: 'an altered body',
        call: { ...good, body: good.body.replace('150.00', '999.00') },
        refusal: 'KEY_INVALID',
      },
      { what: 'another key', call: signed(good.body, now, 'Z3Vlc3M='), refusal: 'KEY_INVALID' },
      { what: 'a day later', call: signed(good.body, ago(DAY_MS), secret), refusal: 'KEY_INVALID' },
      { what: 'just too late', call: signed(good.body, ago(302_000), secret), refusal: 'KEY_INVALID' },
      { what: 'from the future', call: signed(good.body, ago(-330_000), secret), refusal: 'KEY_INVALID' },
      {
        what: 'an old signature under a new time stamp',
        call: {
          ...signed(good.body, now, secret),
          headers: {
            ...good.headers,
            'ww-signature': signed(good.body, ago(DAY_MS), secret).headers['ww-signature'] ?? '',
          },
        },
        refusal: 'KEY_INVALID',
      },
      { what: 'half a signature', call: withSignature(signature.slice(0, 32)), refusal: 'KEY_INVALID' },
      { what: 'no hex', call: withSignature('z'.repeat(64)), refusal: 'KEY_INVALID' },
      { what: 'commas', call: withSignature(',,,,'), refusal: 'KEY_INVALID' },
      {
        what: 'a true one after too many',
        call: withSignature(`${'0'.repeat(64)},`.repeat(20) + signature),
        refusal: 'KEY_INVALID',
      },
    ];
  },
  read: (payload, outside) => readBill(payload, outside.ww?.billerId),
  taken: '{"received":true}',
};

const payonex: GatewayFixture = {
  code: 'PAYONEX',
  name: 'payonex',
  currency: 'BAHT',
  amounts: [150, 100, 99_999.5],
  tooLittle: 99.99,
  tooMuch: 100_000.01,
  // There another amount is another payment: see `payonex.test.ts`.
  otherAmounts: [],
  calls: { create: 'request', inquire: 'transaction', cancel: null },
  callback: ({ payonex: agreed }, reference, claim = {}) => ({
    path: `/api/callback/payonex?key=${agreed?.callbackKey ?? ''}`,
    headers: json,
    body: JSON.stringify({
      success: true,
      data: {
        uuid: claim.number ?? '6f0c1a52-0d3e-4c0b-9d0a-3b1d4f5e6a70',
        referenceId: reference,
        amount: Number(claim.amount ?? '150.37'),
        fee: 2.26,
        settleAmount: 148.11,
        type: 'DEPOSIT',
        status: 'SUCCESS',
      },
    }),
  }),
  strangers: (outside, reference) => keyedStrangers(payonex.callback(outside, reference)),
  read: (payload) => {
    const code = parse(payload, true);
    if (code?.getTagValue('29', '00') !== 'A000000677010111' || code.getTagValue('53') !== '764') return null;
    return { amount: Number(code.getTagValue('54')), reference: null };
  },
  taken: '{"success":true}',
};

const bcel: GatewayFixture = {
  code: 'BCEL',
  name: 'bcel',
  currency: 'LAK',
  amounts: [25_000, 1_000, 49_999_999],
  tooLittle: 999,
  tooMuch: 50_000_001,
  otherAmounts: ['24000.00', '1250000'],
  calls: { create: 'generate-qr', inquire: 'inquire', cancel: null },
  callback: ({ bcel: agreed }, reference, claim = {}) => ({
    path: `/api/callback/bcel?key=${agreed?.callbackKey ?? ''}`,
    headers: json,
    body: JSON.stringify({
      message: 'SUCCESS',
      status: 'PAYMENT_COMPLETED',
      transactionId: 'bcel-000000000001',
      tag1: reference,
      txnAmount: Number(claim.amount ?? '25000'),
      refNo: claim.number ?? 'FT261121000001',
      sourceName: 'SOMSAK V',
    }),
  }),
  strangers: (outside, reference) => keyedStrangers(bcel.callback(outside, reference)),
  read: (payload, outside) => {
    const code = parse(payload, true);
    if (code?.getTagValue('38', '03') !== outside.bcel?.merchantId || code?.getTagValue('53') !== '418') return null;
    return { amount: Number(code.getTagValue('54')), reference: code.getTagValue('62', '01') ?? null };
  },
  taken: '{"message":"SUCCESS"}',
};

/** The gateways under test. */
export const GATEWAY_FIXTURES: readonly GatewayFixture[] = [kbank, ww, fp, payonex, bcel];
