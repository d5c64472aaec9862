import { z } from 'zod';
import { optionalText, outsideText } from '../outside-text.ts';
import { paymentNumber, cancelByInquiry, readKeyedCallback, isPaymentNumber } from './callback.ts';
import { parseAmount, toWire } from '@krapao/contract/money';
import { callRest, type RestReply } from './http.ts';
import { BCEL_BANK, readLaoQr } from './lao-qr.ts';
import {
  type InquiredQr,
  type QrOrder,
  type CreateOutcome,
  type Gateway,
  type Inquiry,
  callbackKey,
  timeoutMs,
  defineGateway,
} from './port.ts';

/** The used fields of the gateway's answers. A malformed field invalidates the whole answer. */
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const createReply = z.object({
  transactionId: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  qrCode: outsideText(512),
  expiredAt: time,
});

export const refusal = z.object({ message: outsideText(64) });

const known = { ...createReply.shape, tag1: outsideText(64) };

export const inquiryReply = z.discriminatedUnion('status', [
  z.object({ ...known, status: z.enum(['PENDING', 'EXPIRED']) }),
  z.object({
    tag1: outsideText(64),
    status: z.literal('PAYMENT_COMPLETED'),
    /** Received kip. */
    txnAmount: z.number(),
    currency: outsideText(8),
    refNo: paymentNumber,
    paidAt: time,
    sourceBank: optionalText(32),
    sourceAccount: optionalText(64),
    sourceName: optionalText(200),
  }),
]);

export type BcelInquiryReply = z.output<typeof inquiryReply>;

/** The only field read from a callback: which code it is about. */
export const callbackClaim = z.object({ tag1: z.string().regex(/^[A-Z0-9]{1,20}$/) });

/** Settings of BCEL OnePay: section `bcel` of the outside file. */
export type BcelSettings = {
  url: string;
  /** Our merchant at BCEL, which the codes pay. */
  merchantId: string;
  secretKey: string;
  /** Secret part of the callback address, because callbacks are not signed. */
  callbackKey: string;
  timeoutMs: number;
};

const PATH = '/v1/api/payment';
const KIP_HUNDREDTHS = 100n;
/** This refusal doesn't prove that there is no code: an earlier call may have made it. */
const DUPLICATE = 'DUPLICATE_TAG1';

/**
 * BCEL OnePay behind a payment gateway: Lao QR codes in whole kip, named by our reference. Nothing can be cancelled, and
 * callbacks are not signed.
 */
export function bcelGateway(settings: BcelSettings): Gateway {
  const call = (method: 'GET' | 'POST', path: string, body?: object): Promise<RestReply> =>
    callRest({
      method,
      url: `${settings.url}${PATH}${path}`,
      headers: { secretKey: settings.secretKey },
      body,
      timeoutMs: settings.timeoutMs,
    });

  async function create(order: QrOrder): Promise<CreateOutcome> {
    const answer = await call('POST', '/generate-bcel-qr', {
      amount: toWire(order.amount),
      // The bank refuses other characters.
      description: `DEPOSIT ${order.reference}`,
      tag1: order.reference,
    });
    if (answer.outcome !== 'done') {
      const refused = refusalOf(answer);
      const isProven = answer.outcome === 'unsent' || (refused !== undefined && refused !== DUPLICATE);
      return { outcome: isProven ? 'refused' : 'unknown', reason: reasonOf(answer) };
    }
    const made = createReply.safeParse(answer.body);
    if (!made.success) return { outcome: 'unknown', reason: 'malformed answer' };
    const { transactionId, qrCode, expiredAt } = made.data;
    if (!isOurs(settings, order, qrCode)) return { outcome: 'unknown', reason: 'code says something else' };
    return {
      outcome: 'created',
      gatewayReference: transactionId,
      payload: qrCode,
      payAmount: order.amount,
      expiresAt: expiredAt,
    };
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const answer = await call('GET', `/transactions?tag1=${encodeURIComponent(code.reference)}`);
    if (answer.outcome !== 'done') {
      const reason = reasonOf(answer);
      return reason === 'TRANSACTION_NOT_FOUND' ? { status: 'NOT_FOUND' } : { status: 'UNKNOWN', reason };
    }
    const parsed = inquiryReply.safeParse(answer.body);
    return parsed.success
      ? readInquiry(settings, code, parsed.data)
      : { status: 'UNKNOWN', reason: 'malformed answer' };
  }

  return {
    code: 'BCEL',
    name: 'bcel',
    currency: 'LAK',
    patienceMs: settings.timeoutMs,
    create,
    inquire,
    cancel: async (code) => cancelByInquiry(await inquire(code)),
    readCallback: (received) =>
      readKeyedCallback(received, settings.callbackKey, (body) => callbackClaim.safeParse(body).data?.tag1),
    callbackReply: { message: 'SUCCESS' },
  };
}

/** The code of a refusal in the gateway's format; a refusal in another format comes from a proxy and proves nothing. */
function refusalOf(answer: RestReply): string | undefined {
  return answer.outcome === 'refused' ? refusal.safeParse(answer.body).data?.message : undefined;
}

function reasonOf(answer: Exclude<RestReply, { outcome: 'done' }>): string {
  if (answer.outcome !== 'refused') return answer.reason;
  return refusalOf(answer) ?? `HTTP ${answer.status}`;
}

/** Whether a code pays us, for this order, exactly the requested amount, and can be paid in no other way. */
function isOurs(settings: BcelSettings, asked: Pick<InquiredQr, 'reference' | 'amount'>, payload: string): boolean {
  const code = readLaoQr(payload);
  if (code?.scheme !== 'LAO_QR' || code.bank !== BCEL_BANK || code.receiver !== settings.merchantId) return false;
  if (code.bill !== undefined && code.bill !== asked.reference) return false;
  return code.amount === asked.amount && code.isSingleUse && !code.hasRival;
}

function readInquiry(settings: BcelSettings, code: InquiredQr, answer: BcelInquiryReply): Inquiry {
  if (answer.tag1 !== code.reference) return { status: 'UNKNOWN', reason: 'answer about another code' };
  switch (answer.status) {
    case 'PENDING': {
      const { transactionId, qrCode, expiredAt } = answer;
      const shown = {
        gatewayReference: transactionId,
        payload: qrCode,
        payAmount: code.amount,
        expiresAt: expiredAt,
      };
      return { status: 'WAITING', code: isOurs(settings, code, qrCode) ? shown : undefined };
    }
    case 'EXPIRED':
      return { status: 'EXPIRED' };
    case 'PAYMENT_COMPLETED':
      return readPayment(answer);
  }
}

function readPayment(answer: Extract<BcelInquiryReply, { status: 'PAYMENT_COMPLETED' }>): Inquiry {
  const evidence = `${answer.refNo} ${answer.txnAmount} ${answer.currency}`;
  if (!isPaymentNumber(answer.refNo)) return { status: 'ON_HOLD', reason: 'TRANSACTION_NUMBER', evidence };
  if (answer.currency !== 'LAK') return { status: 'UNUSABLE', reason: 'CURRENCY', evidence };
  const amount = parseAmount(answer.txnAmount);
  if (amount === undefined || amount % KIP_HUNDREDTHS !== 0n) return { status: 'UNUSABLE', reason: 'AMOUNT', evidence };
  return {
    status: 'PAID',
    payment: {
      transactionNumber: answer.refNo,
      amount,
      currency: 'LAK',
      paidAt: answer.paidAt,
      payer: {
        bankCode: answer.sourceBank,
        accountNo: answer.sourceAccount,
        name: answer.sourceName,
      },
    },
  };
}

/** The gateway BCEL OnePay, and what is agreed with it: part `bcel` of the outside file. */
export const bcel = defineGateway(
  z
    .object({
      url: z.url(),
      merchantId: z.string(),
      secretKey: z.string(),
      callbackUrl: z.url(),
      callbackKey,
      timeoutMs,
    })
    .optional(),
  bcelGateway,
);
