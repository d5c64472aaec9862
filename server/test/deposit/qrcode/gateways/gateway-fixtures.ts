import { createHmac } from 'node:crypto';
import { parse, validate } from 'promptparse';
import type { TestOutside } from '../../../harness/outside-file.ts';

/** A callback in wire format. */
export type RawRequest = { path: string; headers: Record<string, string>; body: string };

/** Test values of one gateway. A new gateway adds one. */
export type GatewayFixture = {
  /** Bank code on the wire, and the name in addresses, faults and totals. */
  code: string;
  name: string;
  currency: 'BAHT' | 'LAK';
  /** Valid amounts; the first one is the default. */
  validAmounts: readonly [number, ...number[]];
  /** Just outside the operator's limits. */
  tooSmallAmount: number;
  tooLargeAmount: number;
  /** Other amount that a payer may pay; none where the amount identifies the payment. */
  otherAmounts: readonly string[];
  /** Names of the gateway's calls in the simulator; null for a missing call. */
  callNames: { create: string; inquire: string; cancel: string | null };
  /** Amount and own reference (if included) of a code, by a third-party parser. */
  parsePayload(payload: string, outside: TestOutside): { amount: number; reference: string | null } | null;
  /** The gateway's callback about a code. `claim` alters its content. */
  buildCallback(
    outside: TestOutside,
    reference: string,
    claim?: { amount?: string; number?: string; sentAt?: Date },
  ): RawRequest;
  /** Callbacks without a valid secret, and the refusals. */
  unauthorizedCallbacks(
    outside: TestOutside,
    reference: string,
  ): { title: string; call: RawRequest; refusal: 'KEY_MISSING' | 'KEY_INVALID' }[];
  /** Reply to an accepted callback. */
  acceptedReply: string;
};

/** Null also for a wrong CRC, which the parser checks. */
function readBill(payload: string, billerId: string | undefined): ReturnType<GatewayFixture['parsePayload']> {
  const bill = validate.billPayment(payload);
  if (bill === null || bill.billerId !== billerId || bill.amount === undefined) return null;
  return { amount: bill.amount, reference: bill.ref1 ?? null };
}

type Claim = Parameters<GatewayFixture['buildCallback']>[2];

const DAY_MS = 86_400_000;
const json = { 'content-type': 'application/json' };

/** Refusals of a callback URL whose secret is its `?key=`. */
export function unauthorizedKeyRequests(call: RawRequest): ReturnType<GatewayFixture['unauthorizedCallbacks']> {
  const [path = ''] = call.path.split('?');
  const withQuery = (query: string): RawRequest => ({ ...call, path: `${path}${query}` });
  return [
    { title: 'no key', call: withQuery(''), refusal: 'KEY_MISSING' },
    { title: 'an empty key', call: withQuery('?key='), refusal: 'KEY_MISSING' },
    { title: 'a guess', call: withQuery('?key=guess'), refusal: 'KEY_INVALID' },
    { title: 'a letter too many', call: { ...call, path: `${call.path}x` }, refusal: 'KEY_INVALID' },
    { title: 'two keys', call: withQuery('?key=a&key=b'), refusal: 'KEY_INVALID' },
  ];
}

const kbank: GatewayFixture = {
  code: 'KBANK',
  name: 'kbank',
  currency: 'BAHT',
  validAmounts: [123.45, 1, 20.15, 199_999.99],
  tooSmallAmount: 0.99,
  tooLargeAmount: 200_000.01,
  otherAmounts: ['250.75', '0.25'],
  callNames: { create: 'qr_request', inquire: 'inquire_payment', cancel: 'qr_cancel' },
  buildCallback: ({ kbank: { callbackKey, partnerId } }, reference, claim = {}) => ({
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
  unauthorizedCallbacks: (outside, reference) => unauthorizedKeyRequests(kbank.buildCallback(outside, reference)),
  parsePayload: (payload, outside) => readBill(payload, outside.kbank.billerId),
  acceptedReply: '{"statusCode":"00"}',
};

const fp: GatewayFixture = {
  code: 'FP',
  name: 'fp',
  currency: 'BAHT',
  validAmounts: [55.5, 10, 49_999.99],
  tooSmallAmount: 9.99,
  tooLargeAmount: 50_000.01,
  otherAmounts: ['54.00', '1250.01'],
  callNames: { create: 'create', inquire: 'query', cancel: 'close' },
  buildCallback: ({ fp: gatewayConfig }, reference, claim = {}) => ({
    path: `/api/callback/fp?key=${gatewayConfig?.callbackKey ?? ''}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      merchantNo: gatewayConfig?.merchantNo ?? '',
      orderNo: reference,
      status: 'PAID',
      amount: claim.amount ?? '55.50',
      tradeNo: claim.number ?? 'FPT1',
    }).toString(),
  }),
  unauthorizedCallbacks: (outside, reference) => unauthorizedKeyRequests(fp.buildCallback(outside, reference)),
  parsePayload: (payload, outside) => readBill(payload, outside.fp?.billerId),
  acceptedReply: 'success',
};

/** The signature as defined by WW's protocol. */
function signedRequest(body: string, sentAt: Date, secret: string): RawRequest {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signature = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${timestamp}.${body}`).digest('hex');
  return {
    path: '/api/callback/ww',
    headers: { ...json, 'ww-signature-timestamp': timestamp, 'ww-signature': signature },
    body,
  };
}

function wwCallbackBody(reference: string, claim: Claim = {}): string {
  const paymentBody = { transactionId: claim.number ?? 'WWT1', amount: claim.amount ?? '150.00', currency: 'THB' };
  const payment = {
    merchantReference: reference,
    status: 'successful',
    amount: '150.00',
    currency: 'THB',
    paid: paymentBody,
  };
  return JSON.stringify({ event: 'payment.successful', payment });
}

function withoutHeader(call: RawRequest, header: string): RawRequest {
  return { ...call, headers: Object.fromEntries(Object.entries(call.headers).filter(([name]) => name !== header)) };
}

const ww: GatewayFixture = {
  code: 'WW',
  name: 'ww',
  currency: 'BAHT',
  validAmounts: [150, 100, 99_999.99],
  tooSmallAmount: 99.99,
  tooLargeAmount: 100_000.01,
  otherAmounts: ['149.50', '0.01'],
  callNames: { create: 'create', inquire: 'inquire', cancel: 'cancel' },
  buildCallback: (outside, reference, claim = {}) =>
    signedRequest(wwCallbackBody(reference, claim), claim.sentAt ?? new Date(), outside.ww?.signingSecret ?? ''),
  unauthorizedCallbacks: (outside, reference) => {
    const secret = outside.ww?.signingSecret ?? '';
    const validCallback = ww.buildCallback(outside, reference);
    const timeAgo = (ms: number) => new Date(Date.now() - ms);
    const now = new Date();
    const { 'ww-signature': signature = '' } = validCallback.headers;
    const requestWithSignature = (text: string): RawRequest => ({
      ...validCallback,
      headers: { ...validCallback.headers, 'ww-signature': text },
    });
    return [
      { title: 'no signature', call: withoutHeader(validCallback, 'ww-signature'), refusal: 'KEY_MISSING' },
      { title: 'no time stamp', call: withoutHeader(validCallback, 'ww-signature-timestamp'), refusal: 'KEY_MISSING' },
      {
        title: 'an altered body',
        call: { ...validCallback, body: validCallback.body.replace('150.00', '999.00') },
        refusal: 'KEY_INVALID',
      },
      { title: 'another key', call: signedRequest(validCallback.body, now, 'Z3Vlc3M='), refusal: 'KEY_INVALID' },
      {
        title: 'a day later',
        call: signedRequest(validCallback.body, timeAgo(DAY_MS), secret),
        refusal: 'KEY_INVALID',
      },
      {
        title: 'just too late',
        call: signedRequest(validCallback.body, timeAgo(302_000), secret),
        refusal: 'KEY_INVALID',
      },
      {
        title: 'from the future',
        call: signedRequest(validCallback.body, timeAgo(-330_000), secret),
        refusal: 'KEY_INVALID',
      },
      {
        title: 'an old signature under a new time stamp',
        call: {
          ...signedRequest(validCallback.body, now, secret),
          headers: {
            ...validCallback.headers,
            'ww-signature': signedRequest(validCallback.body, timeAgo(DAY_MS), secret).headers['ww-signature'] ?? '',
          },
        },
        refusal: 'KEY_INVALID',
      },
      { title: 'half a signature', call: requestWithSignature(signature.slice(0, 32)), refusal: 'KEY_INVALID' },
      { title: 'no hex', call: requestWithSignature('z'.repeat(64)), refusal: 'KEY_INVALID' },
      { title: 'commas', call: requestWithSignature(',,,,'), refusal: 'KEY_INVALID' },
      {
        title: 'a true one after too many',
        call: requestWithSignature(`${'0'.repeat(64)},`.repeat(20) + signature),
        refusal: 'KEY_INVALID',
      },
    ];
  },
  parsePayload: (payload, outside) => readBill(payload, outside.ww?.billerId),
  acceptedReply: '{"received":true}',
};

const payonex: GatewayFixture = {
  code: 'PAYONEX',
  name: 'payonex',
  currency: 'BAHT',
  validAmounts: [150, 100, 99_999.5],
  tooSmallAmount: 99.99,
  tooLargeAmount: 100_000.01,
  // At PAYONEX another amount is another payment: see `payonex.slow.test.ts`.
  otherAmounts: [],
  callNames: { create: 'request', inquire: 'transaction', cancel: null },
  buildCallback: ({ payonex: gatewayConfig }, reference, claim = {}) => ({
    path: `/api/callback/payonex?key=${gatewayConfig?.callbackKey ?? ''}`,
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
  unauthorizedCallbacks: (outside, reference) => unauthorizedKeyRequests(payonex.buildCallback(outside, reference)),
  parsePayload: (payload) => {
    const code = parse(payload, true);
    if (code?.getTagValue('29', '00') !== 'A000000677010111' || code.getTagValue('53') !== '764') return null;
    return { amount: Number(code.getTagValue('54')), reference: null };
  },
  acceptedReply: '{"success":true}',
};

const bcel: GatewayFixture = {
  code: 'BCEL',
  name: 'bcel',
  currency: 'LAK',
  validAmounts: [25_000, 1_000, 49_999_999],
  tooSmallAmount: 999,
  tooLargeAmount: 50_000_001,
  otherAmounts: ['24000.00', '1250000'],
  callNames: { create: 'generate-qr', inquire: 'inquire', cancel: null },
  buildCallback: ({ bcel: gatewayConfig }, reference, claim = {}) => ({
    path: `/api/callback/bcel?key=${gatewayConfig?.callbackKey ?? ''}`,
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
  unauthorizedCallbacks: (outside, reference) => unauthorizedKeyRequests(bcel.buildCallback(outside, reference)),
  parsePayload: (payload, outside) => {
    const code = parse(payload, true);
    if (code?.getTagValue('38', '03') !== outside.bcel?.merchantId || code?.getTagValue('53') !== '418') return null;
    return { amount: Number(code.getTagValue('54')), reference: code.getTagValue('62', '01') ?? null };
  },
  acceptedReply: '{"message":"SUCCESS"}',
};

/** The gateways under test. */
export const GATEWAY_FIXTURES: readonly GatewayFixture[] = [kbank, ww, fp, payonex, bcel];
