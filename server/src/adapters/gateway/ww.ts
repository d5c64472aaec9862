import { createHmac, timingSafeEqual } from 'node:crypto';
import { toDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { parseJson } from '../../platform/json.ts';
import type { Clock } from '../../platform/time.ts';
import { outsideIdentity, outsideText, outsideTime } from '../outside-text.ts';
import { paymentNumber, reportedPayer, readReportedPayment, probeByInquiry } from './callback.ts';
import { callRest, type RestReply } from './http.ts';
import {
  apiUrl,
  callbackUrl,
  defineGateway,
  issued,
  section,
  timeoutMs,
  type CallbackCall,
  type CallbackReading,
  type CancelOutcome,
  type CodeName,
  type CreateOutcome,
  type Gateway,
  type InquiredQr,
  type Inquiry,
  type QrOrder,
} from './port.ts';
import { isBillFor } from './thai-qr.ts';

/** Used fields of WW's replies. A malformed field invalidates the whole reply. */
const decimalText = outsideText(20);

const referenceField = { merchantReference: outsideText(64) };
const paymentFields = {
  ...referenceField,
  id: outsideIdentity(64),
  qrPayload: outsideText(512),
  expiresAt: outsideTime,
};

export const payment = z.discriminatedUnion('status', [
  z.object({ ...paymentFields, status: z.enum(['pending', 'failed', 'expired', 'cancelled']) }),
  z.object({
    ...referenceField,
    status: z.literal('successful'),
    paid: z.object({
      transactionId: paymentNumber,
      amount: decimalText,
      currency: outsideText(8),
      at: outsideTime,
      payer: reportedPayer,
    }),
  }),
]);

export type WwPayment = z.output<typeof payment>;

/** A proven refusal; a refusal in another format comes from a proxy. */
export const refusal = z.object({ error: z.object({ code: outsideText(64) }) });

/** The only field read from a callback: the reference of its payment. */
export const callbackClaim = z.object({
  payment: z.object({ merchantReference: z.string().regex(/^[A-Z0-9]{1,20}$/) }),
});

const TOLERANCE_SECONDS = 300;
const TIMESTAMP_FORMAT = /^\d{1,12}$/;
const SIGNATURE_FORMAT = /^[0-9a-f]{64}$/i;
/** More than a rotation of secrets needs; bounds the work per callback. */
const SIGNATURES_MAX = 8;

/**
 * Checks the signature of a callback, sent within the last five minutes: hex HMAC-SHA256 of `timestamp.rawbody`, or
 * several, separated by commas, during a rotation of secrets.
 * @param secret base64 of the key
 * @returns the error, or undefined for a valid signature
 */
export function checkSignature(
  { headers, body }: CallbackCall,
  secret: string,
  now: Date,
): 'KEY_MISSING' | 'KEY_INVALID' | undefined {
  const timestamp = headers['ww-signature-timestamp'];
  const signatureHeader = headers['ww-signature'];
  if (!timestamp || !signatureHeader) return 'KEY_MISSING';
  if (typeof timestamp !== 'string' || typeof signatureHeader !== 'string' || !TIMESTAMP_FORMAT.test(timestamp)) {
    return 'KEY_INVALID';
  }
  const ageSeconds = Math.abs(Math.floor(now.getTime() / 1_000) - Number(timestamp));
  const expectedSignature = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`${timestamp}.`)
    .update(body)
    .digest();
  const candidates = signatureHeader.split(',', SIGNATURES_MAX).map((text) => text.trim());
  const matchingSignatures = candidates.filter(
    (text) => SIGNATURE_FORMAT.test(text) && timingSafeEqual(Buffer.from(text, 'hex'), expectedSignature),
  );
  return ageSeconds <= TOLERANCE_SECONDS && matchingSignatures.length > 0 ? undefined : 'KEY_INVALID';
}

/** Section `ww` of the outside file. */
export type WwSettings = {
  url: string;
  merchantId: string;
  apiKey: string;
  /** Base64 of the key of callback signatures. */
  signingSecret: string;
  billerId: string;
  timeoutMs: number;
};

/** The QR gateway WW: our reference identifies a payment from the first call on, and callbacks are signed. */
export function wwGateway(settings: WwSettings, clock: Clock): Gateway {
  const authorization = `Basic ${Buffer.from(`${settings.merchantId}:${settings.apiKey}`, 'utf8').toString('base64')}`;
  const callWw = (method: 'GET' | 'POST', path: string, body?: object) =>
    callRest({
      method,
      url: `${settings.url}/v1/payments${path}`,
      headers: { authorization },
      body,
      timeoutMs: settings.timeoutMs,
    });

  async function create(order: QrOrder): Promise<CreateOutcome> {
    const reply = await callWw('POST', '', {
      merchantReference: order.reference,
      amount: toDecimal(order.amount),
      currency: 'THB',
    });
    const refusalCode = readRefusal(reply);
    // A duplicate is not a proven refusal: the first request with this reference may have created the code.
    if (refusalCode !== undefined) {
      return { outcome: refusalCode === 'duplicate_reference' ? 'unknown' : 'refused', reason: refusalCode };
    }
    if (reply.outcome !== 'done')
      return { outcome: reply.outcome === 'unsent' ? 'refused' : 'unknown', reason: reasonOf(reply) };
    const creation = payment.safeParse(reply.body);
    if (!creation.success || creation.data.merchantReference !== order.reference)
      return { outcome: 'unknown', reason: 'malformed reply' };
    if (creation.data.status !== 'pending') return { outcome: 'unknown', reason: `made and ${creation.data.status}` };
    const issuedCode = issuedCodeOf(settings, order, creation.data);
    return issuedCode
      ? { outcome: 'created', ...issuedCode }
      : { outcome: 'unknown', reason: 'code says something else' };
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const reply = await callWw('GET', `/${encodeURIComponent(code.reference)}`);
    const refusalCode = readRefusal(reply);
    if (refusalCode === 'payment_not_found') return { status: 'NOT_FOUND' };
    if (refusalCode !== undefined) return { status: 'UNKNOWN', reason: refusalCode };
    if (reply.outcome !== 'done') return { status: 'UNKNOWN', reason: reasonOf(reply) };
    const parsedPayment = payment.safeParse(reply.body);
    if (!parsedPayment.success) return { status: 'UNKNOWN', reason: 'malformed reply' };
    return readInquiry(settings, code, parsedPayment.data);
  }

  async function cancel(code: CodeName): Promise<CancelOutcome> {
    const reply = await callWw('POST', `/${encodeURIComponent(code.reference)}/cancel`, {});
    if (reply.outcome === 'done') {
      const parsedPayment = payment.safeParse(reply.body);
      return parsedPayment.success && parsedPayment.data.status === 'cancelled' ? 'CANCELLED' : 'UNKNOWN';
    }
    return CANCEL_REFUSALS[readRefusal(reply) ?? ''] ?? 'UNKNOWN';
  }

  function readCallback(callback: CallbackCall): CallbackReading {
    const signatureError = checkSignature(callback, settings.signingSecret, clock.now());
    if (signatureError) return { reading: signatureError };
    const parsedClaim = callbackClaim.safeParse(parseJson(callback.body));
    return parsedClaim.success
      ? { reading: 'CLAIM', reference: parsedClaim.data.payment.merchantReference }
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
    probe: () => probeByInquiry(inquire),
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

/** Code of a refusal in WW's format. A refusal in another format comes from a proxy and proves nothing. */
function readRefusal(reply: RestReply): string | undefined {
  if (reply.outcome !== 'refused') return undefined;
  return refusal.safeParse(reply.body).data?.error.code;
}

function reasonOf(reply: RestReply): string {
  return 'reason' in reply ? reply.reason : 'malformed reply';
}

/** The issued code of a payment, if it pays us, for this order, exactly the requested amount. */
function issuedCodeOf(
  { billerId }: WwSettings,
  { reference, amount }: Pick<InquiredQr, 'reference' | 'amount'>,
  { id, qrPayload, expiresAt }: Exclude<WwPayment, { status: 'successful' }>,
) {
  if (!isBillFor(qrPayload, { billerId, reference, amount })) return undefined;
  return { gatewayReference: id, payload: qrPayload, payAmount: amount, expiresAt };
}

function readInquiry(settings: WwSettings, code: InquiredQr, reported: WwPayment): Inquiry {
  if (reported.merchantReference !== code.reference) return { status: 'UNKNOWN', reason: 'reply about another code' };
  switch (reported.status) {
    case 'pending':
      return { status: 'WAITING', code: issuedCodeOf(settings, code, reported) };
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

/** The gateway WW, with the schema of its section `ww` of the outside file. */
export const ww = defineGateway(
  z
    .object({
      url: apiUrl,
      merchantId: issued('Merchant number'),
      apiKey: issued('Key of API calls'),
      signingSecret: z.base64().meta({ description: 'Key of callback signatures, in base64' }),
      billerId: issued('Biller number in the QR: codes for another one are not shown', '010555555555502'),
      callbackUrl,
      timeoutMs,
    })
    .meta(
      section('QR gateway WW, in baht.', [
        { address: '/api/callback/ww', proof: 'HMAC-SHA256 with `signingSecret`, at most five minutes old' },
      ]),
    )
    .optional(),
  wwGateway,
);
