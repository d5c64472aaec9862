import { z } from 'zod';
import { outsideIdentity, outsideText } from '../outside-text.ts';
import { paymentNumber, reportedPayer, readReportedPayment } from './callback.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type CallbackCall,
  type InquiredQr,
  type CallbackReading,
  type CancelOutcome,
  type CodeName,
  type QrOrder,
  type CreateOutcome,
  type Gateway,
  type Inquiry,
  timeoutMs,
  defineGateway,
} from './port.ts';
import { toDecimal } from '@krapao/contract/money';
import type { Clock } from '../../platform/time.ts';
import { callRest, type RestReply } from './http.ts';
import { parseJson } from '../../platform/json.ts';
import { isBillFor } from './thai-qr.ts';

/** The used fields of WW's answers. A malformed field invalidates the whole answer. */
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const decimal = outsideText(20);

const named = { merchantReference: outsideText(64) };
const asked = {
  ...named,
  id: outsideIdentity(64),
  qrPayload: outsideText(512),
  expiresAt: time,
};

export const payment = z.discriminatedUnion('status', [
  z.object({ ...asked, status: z.enum(['pending', 'failed', 'expired', 'cancelled']) }),
  z.object({
    ...named,
    status: z.literal('successful'),
    paid: z.object({
      transactionId: paymentNumber,
      amount: decimal,
      currency: outsideText(8),
      at: time,
      payer: reportedPayer,
    }),
  }),
]);

export type WwPayment = z.output<typeof payment>;

/** A proven refusal; in another format it comes from a proxy. */
export const refusal = z.object({ error: z.object({ code: outsideText(64) }) });

/** The only field read from a callback: which payment it is about. */
export const callbackClaim = z.object({
  payment: z.object({ merchantReference: z.string().regex(/^[A-Z0-9]{1,20}$/) }),
});

const TOLERANCE_SECONDS = 300;
const TIMESTAMP = /^\d{1,12}$/;
const SIGNATURE = /^[0-9a-f]{64}$/i;
/** More than a rotation of secrets needs; bounds the work per callback. */
const SIGNATURES_MAX = 8;

/**
 * Checks the signature of a callback: hex HMAC-SHA256 of `timestamp.rawbody`, or several, separated by commas, during a
 * rotation of secrets, sent within the last five minutes.
 * @param secret base64 of the key
 * @returns what is wrong with it, or undefined when it is valid
 */
export function checkSignature(
  { headers, body }: CallbackCall,
  secret: string,
  now: Date,
): 'KEY_MISSING' | 'KEY_INVALID' | undefined {
  const timestamp = headers['ww-signature-timestamp'];
  const signatures = headers['ww-signature'];
  if (!timestamp || !signatures) return 'KEY_MISSING';
  if (typeof timestamp !== 'string' || typeof signatures !== 'string' || !TIMESTAMP.test(timestamp)) {
    return 'KEY_INVALID';
  }
  const age = Math.abs(Math.floor(now.getTime() / 1_000) - Number(timestamp));
  const expected = createHmac('sha256', Buffer.from(secret, 'base64')).update(`${timestamp}.`).update(body).digest();
  const candidates = signatures.split(',', SIGNATURES_MAX).map((text) => text.trim());
  const fitting = candidates.filter(
    (text) => SIGNATURE.test(text) && timingSafeEqual(Buffer.from(text, 'hex'), expected),
  );
  return age <= TOLERANCE_SECONDS && fitting.length > 0 ? undefined : 'KEY_INVALID';
}

/** Settings of WW: section `ww` of the outside file. */
export type WwSettings = {
  url: string;
  merchantId: string;
  apiKey: string;
  /** Base64 of the key that its callbacks are signed with. */
  signingSecret: string;
  billerId: string;
  timeoutMs: number;
};

/** The QR gateway WW: our reference identifies a payment from the first call on, and its callbacks are signed. */
export function wwGateway(settings: WwSettings, clock: Clock): Gateway {
  const authorization = `Basic ${Buffer.from(`${settings.merchantId}:${settings.apiKey}`, 'utf8').toString('base64')}`;
  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    callRest({
      method,
      url: `${settings.url}/v1/payments${path}`,
      headers: { authorization },
      body,
      timeoutMs: settings.timeoutMs,
    });

  async function create(order: QrOrder): Promise<CreateOutcome> {
    const answer = await call('POST', '', {
      merchantReference: order.reference,
      amount: toDecimal(order.amount),
      currency: 'THB',
    });
    const refused = readRefusal(answer);
    // A duplicate is not a proven refusal: the first request with this reference may have created the code.
    if (refused !== undefined) {
      return { outcome: refused === 'duplicate_reference' ? 'unknown' : 'refused', reason: refused };
    }
    if (answer.outcome !== 'done')
      return { outcome: answer.outcome === 'unsent' ? 'refused' : 'unknown', reason: reasonOf(answer) };
    const made = payment.safeParse(answer.body);
    if (!made.success || made.data.merchantReference !== order.reference) {
      return { outcome: 'unknown', reason: 'malformed answer' };
    }
    if (made.data.status !== 'pending') return { outcome: 'unknown', reason: `made and ${made.data.status}` };
    const shown = shownOf(settings, order, made.data);
    return shown ? { outcome: 'created', ...shown } : { outcome: 'unknown', reason: 'code says something else' };
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const answer = await call('GET', `/${encodeURIComponent(code.reference)}`);
    const refused = readRefusal(answer);
    if (refused === 'payment_not_found') return { status: 'NOT_FOUND' };
    if (refused !== undefined) return { status: 'UNKNOWN', reason: refused };
    if (answer.outcome !== 'done') return { status: 'UNKNOWN', reason: reasonOf(answer) };
    const reported = payment.safeParse(answer.body);
    if (!reported.success) return { status: 'UNKNOWN', reason: 'malformed answer' };
    return readInquiry(settings, code, reported.data);
  }

  async function cancel(code: CodeName): Promise<CancelOutcome> {
    const answer = await call('POST', `/${encodeURIComponent(code.reference)}/cancel`, {});
    if (answer.outcome === 'done') {
      const reported = payment.safeParse(answer.body);
      return reported.success && reported.data.status === 'cancelled' ? 'CANCELLED' : 'UNKNOWN';
    }
    return CANCEL_REFUSALS[readRefusal(answer) ?? ''] ?? 'UNKNOWN';
  }

  function readCallback(callback: CallbackCall): CallbackReading {
    const wrong = checkSignature(callback, settings.signingSecret, clock.now());
    if (wrong) return { reading: wrong };
    const claim = callbackClaim.safeParse(parseJson(callback.body));
    return claim.success
      ? { reading: 'CLAIM', reference: claim.data.payment.merchantReference }
      : { reading: 'MALFORMED' };
  }

  return {
    code: 'WW',
    name: 'ww',
    currency: 'BAHT',
    patienceMs: settings.timeoutMs,
    create,
    inquire,
    cancel,
    readCallback,
    callbackReply: { received: true },
  };
}

const CANCEL_REFUSALS: Readonly<Record<string, CancelOutcome>> = {
  payment_successful: 'ALREADY_PAID',
  payment_expired: 'EXPIRED',
  payment_failed: 'EXPIRED',
  payment_not_found: 'NOT_FOUND',
};

/** The code of a refusal in WW's format; a refusal in another format comes from a proxy and proves nothing. */
function readRefusal(answer: RestReply): string | undefined {
  if (answer.outcome !== 'refused') return undefined;
  return refusal.safeParse(answer.body).data?.error.code;
}

function reasonOf(answer: RestReply): string {
  return 'reason' in answer ? answer.reason : 'malformed answer';
}

/** A code that may be shown: it pays us, for this order, exactly the requested amount. */
function shownOf(
  { billerId }: WwSettings,
  { reference, amount }: Pick<InquiredQr, 'reference' | 'amount'>,
  { id, qrPayload, expiresAt }: Exclude<WwPayment, { status: 'successful' }>,
) {
  if (!isBillFor(qrPayload, { billerId, reference, amount })) return undefined;
  return { gatewayReference: id, payload: qrPayload, payAmount: amount, expiresAt };
}

function readInquiry(settings: WwSettings, code: InquiredQr, reported: WwPayment): Inquiry {
  if (reported.merchantReference !== code.reference) return { status: 'UNKNOWN', reason: 'answer about another code' };
  switch (reported.status) {
    case 'pending':
      return { status: 'WAITING', code: shownOf(settings, code, reported) };
    case 'successful': {
      const { transactionId, amount, currency, at, payer } = reported.paid;
      return readReportedPayment(
        {
          transactionNumber: transactionId,
          amount,
          currency,
          paidAt: at,
          payer,
        },
        'BAHT',
      );
    }
    case 'cancelled':
      return { status: 'CANCELLED' };
    case 'failed':
    case 'expired':
      return { status: 'EXPIRED' };
  }
}

/** The gateway WW, and what is agreed with it: part `ww` of the outside file. */
export const ww = defineGateway(
  // Signs its callbacks: HMAC-SHA256 with the base64 secret over time stamp and raw body.
  z
    .object({
      url: z.url(),
      merchantId: z.string(),
      apiKey: z.string(),
      signingSecret: z.base64(),
      billerId: z.string(),
      callbackUrl: z.url(),
      timeoutMs,
    })
    .optional(),
  wwGateway,
);
