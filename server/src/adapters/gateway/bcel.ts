import { parseAmount, toWire } from '@krapao/contract/money';
import { z } from 'zod';
import { optionalText, outsideText, outsideTime } from '../outside-text.ts';
import { paymentNumber, cancelByInquiry, readKeyedCallback, isPaymentNumber, probeByInquiry } from './callback.ts';
import { callRest, type RestReply } from './http.ts';
import { BCEL_BANK, readLaoQr } from './lao-qr.ts';
import {
  apiUrl,
  callbackKey,
  callbackUrl,
  defineGateway,
  issued,
  keyedGateway,
  timeoutMs,
  type CreateOutcome,
  type Gateway,
  type InquiredQr,
  type Inquiry,
  type QrOrder,
} from './port.ts';

/** Used fields of the gateway's replies. A malformed field invalidates the whole reply. */

export const createReply = z.object({
  transactionId: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  qrCode: outsideText(512),
  expiredAt: outsideTime,
});

export const refusal = z.object({ message: outsideText(64) });

const knownFields = { ...createReply.shape, tag1: outsideText(64) };

export const inquiryReply = z.discriminatedUnion('status', [
  z.object({ ...knownFields, status: z.enum(['PENDING', 'EXPIRED']) }),
  z.object({
    tag1: outsideText(64),
    status: z.literal('PAYMENT_COMPLETED'),
    /** Amount received, in kip. */
    txnAmount: z.number(),
    currency: outsideText(8),
    refNo: paymentNumber,
    paidAt: outsideTime,
    sourceBank: optionalText(32),
    sourceAccount: optionalText(64),
    sourceName: optionalText(200),
  }),
]);

export type BcelInquiryReply = z.output<typeof inquiryReply>;

/** The only field read from a callback: the reference of its code. */
export const callbackClaim = z.object({ tag1: z.string().regex(/^[A-Z0-9]{1,20}$/) });

/** Section `bcel` of the outside file: BCEL OnePay. */
export type BcelSettings = {
  url: string;
  /** Our merchant id at BCEL, which the codes pay. */
  merchantId: string;
  secretKey: string;
  /** Secret in the callback URL, because callbacks are not signed. */
  callbackKey: string;
  timeoutMs: number;
};

const PATH = '/v1/api/payment';
const KIP_HUNDREDTHS = 100n;
/** This refusal proves nothing: an earlier call may have created the code. */
const DUPLICATE_CODE = 'DUPLICATE_TAG1';

/**
 * BCEL OnePay behind a payment gateway: Lao QR codes in whole kip, named by our reference. No cancellation, and
 * callbacks are not signed.
 */
export function bcelGateway(settings: BcelSettings): Gateway {
  const callBcel = (method: 'GET' | 'POST', path: string, body?: object): Promise<RestReply> =>
    callRest({
      method,
      url: `${settings.url}${PATH}${path}`,
      headers: { secretKey: settings.secretKey },
      body,
      timeoutMs: settings.timeoutMs,
    });

  async function create(order: QrOrder): Promise<CreateOutcome> {
    const reply = await callBcel('POST', '/generate-bcel-qr', {
      amount: toWire(order.amount),
      // The bank refuses other characters.
      description: `DEPOSIT ${order.reference}`,
      tag1: order.reference,
    });
    if (reply.outcome !== 'done') {
      const refusalCode = refusalOf(reply);
      const isProven = reply.outcome === 'unsent' || (refusalCode !== undefined && refusalCode !== DUPLICATE_CODE);
      return { outcome: isProven ? 'refused' : 'unknown', reason: reasonOf(reply) };
    }
    const creation = createReply.safeParse(reply.body);
    if (!creation.success) return { outcome: 'unknown', reason: 'malformed reply' };
    const { transactionId, qrCode, expiredAt } = creation.data;
    if (!paysOrder(settings, order, qrCode)) return { outcome: 'unknown', reason: 'code says something else' };
    return {
      outcome: 'created',
      gatewayReference: transactionId,
      payload: qrCode,
      payAmount: order.amount,
      expiresAt: expiredAt,
    };
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const reply = await callBcel('GET', `/transactions?tag1=${encodeURIComponent(code.reference)}`);
    if (reply.outcome !== 'done') {
      const reason = reasonOf(reply);
      return reason === 'TRANSACTION_NOT_FOUND' ? { status: 'NOT_FOUND' } : { status: 'UNKNOWN', reason };
    }
    const parsedInquiry = inquiryReply.safeParse(reply.body);
    return parsedInquiry.success
      ? readInquiry(settings, code, parsedInquiry.data)
      : { status: 'UNKNOWN', reason: 'malformed reply' };
  }

  return {
    code: 'BCEL',
    name: 'bcel',
    currency: 'LAK',
    patienceMs: settings.timeoutMs,
    create,
    inquire,
    cancel: async (code) => cancelByInquiry(await inquire(code)),
    probe: () => probeByInquiry(inquire),
    readCallback: (received) =>
      readKeyedCallback(received, settings.callbackKey, (body) => callbackClaim.safeParse(body).data?.tag1),
    callbackReply: { message: 'SUCCESS' },
  };
}

/** Code of a refusal in the gateway's format. A refusal in another format comes from a proxy and proves nothing. */
function refusalOf(reply: RestReply): string | undefined {
  return reply.outcome === 'refused' ? refusal.safeParse(reply.body).data?.message : undefined;
}

function reasonOf(reply: Exclude<RestReply, { outcome: 'done' }>): string {
  if (reply.outcome !== 'refused') return reply.reason;
  return refusalOf(reply) ?? `HTTP ${reply.status}`;
}

/** Whether a code pays us, for this order, exactly the requested amount, by no other method. */
function paysOrder(
  settings: BcelSettings,
  ordered: Pick<InquiredQr, 'reference' | 'amount'>,
  payload: string,
): boolean {
  const code = readLaoQr(payload);
  if (code?.scheme !== 'LAO_QR' || code.bank !== BCEL_BANK || code.receiver !== settings.merchantId) return false;
  if (code.bill !== undefined && code.bill !== ordered.reference) return false;
  return code.amount === ordered.amount && code.isSingleUse && !code.hasRival;
}

function readInquiry(settings: BcelSettings, code: InquiredQr, inquiry: BcelInquiryReply): Inquiry {
  if (inquiry.tag1 !== code.reference) return { status: 'UNKNOWN', reason: 'reply about another code' };
  switch (inquiry.status) {
    case 'PENDING': {
      const { transactionId, qrCode, expiredAt } = inquiry;
      const issuedCode = {
        gatewayReference: transactionId,
        payload: qrCode,
        payAmount: code.amount,
        expiresAt: expiredAt,
      };
      return { status: 'WAITING', code: paysOrder(settings, code, qrCode) ? issuedCode : undefined };
    }
    case 'EXPIRED':
      return { status: 'EXPIRED' };
    case 'PAYMENT_COMPLETED':
      return readPayment(inquiry);
  }
}

function readPayment(inquiry: Extract<BcelInquiryReply, { status: 'PAYMENT_COMPLETED' }>): Inquiry {
  const evidence = `${inquiry.refNo} ${inquiry.txnAmount} ${inquiry.currency}`;
  if (!isPaymentNumber(inquiry.refNo)) return { status: 'ON_HOLD', reason: 'TRANSACTION_NUMBER', evidence };
  if (inquiry.currency !== 'LAK') return { status: 'UNUSABLE', reason: 'CURRENCY', evidence };
  const amount = parseAmount(inquiry.txnAmount);
  if (amount === undefined || amount % KIP_HUNDREDTHS !== 0n) return { status: 'UNUSABLE', reason: 'AMOUNT', evidence };
  return {
    status: 'PAID',
    payment: {
      transactionNumber: inquiry.refNo,
      amount,
      currency: 'LAK',
      paidAt: inquiry.paidAt,
      payer: {
        bankCode: inquiry.sourceBank,
        accountNo: inquiry.sourceAccount,
        name: inquiry.sourceName,
      },
    },
  };
}

/** The gateway BCEL OnePay, with the schema of its section `bcel` of the outside file. */
export const bcel = defineGateway(
  z
    .object({
      url: apiUrl,
      merchantId: issued('Merchant number', 'mch0123456789abc'),
      secretKey: issued('Key of API calls'),
      callbackUrl,
      callbackKey,
      timeoutMs,
    })
    .meta(keyedGateway('bcel', 'QR gateway of BCEL, in kip.'))
    .optional(),
  bcelGateway,
);
