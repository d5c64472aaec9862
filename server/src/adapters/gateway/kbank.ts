import { z } from 'zod';
import { optionalText, outsideIdentity, outsideText } from '../outside-text.ts';
import { paymentNumber, readKeyedCallback, readReportedPayment } from './callback.ts';
import { toDecimal } from '@krapao/contract/money';
import type { Clock } from '../../platform/time.ts';
import { newReference } from '../../platform/ids.ts';
import { callJson } from './http.ts';
import {
  type InquiredQr,
  type CancelOutcome,
  type CodeName,
  type QrOrder,
  type CreateOutcome,
  type Gateway,
  type Inquiry,
  callbackKey,
  timeoutMs,
  defineGateway,
} from './port.ts';
import { isBillFor } from './thai-qr.ts';

/** The used fields of the bank's answers. A malformed field invalidates the whole answer. */
const common = { statusCode: z.enum(['00', '10']), errorCode: outsideText(64).nullish() };

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const decimal = outsideText(20);

export const refusedReply = z.object({ ...common, statusCode: z.literal('10') });

export const createReply = z.object({
  ...common,
  statusCode: z.literal('00'),
  qrCode: outsideText(512),
  expireDt: time,
});

export const cancelReply = z.object({ ...common, statusCode: z.literal('00') });

const known = {
  ...common,
  statusCode: z.literal('00'),
  reference1: outsideText(64),
};

export const inquiryReply = z.discriminatedUnion('txnStatus', [
  z.object({
    ...known,
    txnStatus: z.literal('REQUESTED'),
    origPartnerTxnUid: outsideIdentity(64),
    qrCode: outsideText(512),
    expireDt: time,
  }),
  z.object({
    ...known,
    txnStatus: z.literal('PAID'),
    paidAmount: decimal,
    txnCurrencyCode: outsideText(8),
    paidDt: time,
    txnNo: paymentNumber,
    payerBankCode: optionalText(32),
    payerAccountNo: optionalText(64),
    payerName: optionalText(200),
  }),
  z.object({ ...known, txnStatus: z.enum(['CANCELLED', 'EXPIRED', 'VOIDED']) }),
  z.object({ ...common, statusCode: z.literal('00'), txnStatus: z.literal('NOT_FOUND') }),
]);

export type KbankInquiryReply = z.output<typeof inquiryReply>;

/** The only field read from a callback: which code it is about. */
export const callbackClaim = z.object({ reference1: z.string().regex(/^[A-Z0-9]{1,20}$/) });

/** Settings of the bank: section `kbank` of the outside file. */
export type KbankSettings = {
  url: string;
  partnerId: string;
  partnerSecret: string;
  merchantId: string;
  terminalId: string;
  billerId: string;
  /** Secret part of the callback address, because the bank does not sign callbacks. */
  callbackKey: string;
  timeoutMs: number;
};

const REQUEST_NUMBER_CHARACTERS = 15;
const BANGKOK_OFFSET_MS = 7 * 60 * 60 * 1000;
/** The bank's code for an unknown outcome; every other refusal proves that nothing was done. */
const UNPROVEN = 'internal_error';

/**
 * The QR gateway of KBANK: JSON calls with a partner secret, Thai bill payment codes that expire after ten minutes,
 * unsigned callbacks. Our reference is also the number of the create request, so that it identifies a code even when
 * the answer to its creation was lost.
 */
export function kbankGateway(settings: KbankSettings, clock: Clock): Gateway {
  const call = (path: string, requestNumber: string, fields: object) =>
    callJson(
      `${settings.url}${path}`,
      {
        partnerTxnUid: requestNumber,
        partnerId: settings.partnerId,
        partnerSecret: settings.partnerSecret,
        merchantId: settings.merchantId,
        terminalId: settings.terminalId,
        requestDt: bangkokTime(clock.now()),
        qrType: '3',
        ...fields,
      },
      settings.timeoutMs,
    );
  const fresh = () => newReference(REQUEST_NUMBER_CHARACTERS);

  async function create(order: QrOrder): Promise<CreateOutcome> {
    const answer = await call('/pos/qr_request', order.reference, {
      txnAmount: toDecimal(order.amount),
      txnCurrencyCode: 'THB',
      reference1: order.reference,
    });
    if (answer.outcome !== 'answered') {
      return { outcome: answer.outcome === 'unsent' ? 'refused' : 'unknown', reason: answer.reason };
    }
    const refusal = readRefusal(answer.body);
    // A duplicate is not a proven refusal: the first request with this number may have created the code.
    if (refusal === UNPROVEN || refusal === 'duplicate_request') return { outcome: 'unknown', reason: refusal };
    if (refusal !== undefined) return { outcome: 'refused', reason: refusal };
    const made = createReply.safeParse(answer.body);
    if (!made.success) return { outcome: 'unknown', reason: 'malformed answer' };
    if (!isOurs(settings, order, made.data.qrCode)) return { outcome: 'unknown', reason: 'code says something else' };
    return {
      outcome: 'created',
      gatewayReference: order.reference,
      payload: made.data.qrCode,
      payAmount: order.amount,
      expiresAt: made.data.expireDt,
    };
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const answer = await call('/pos/inquire_payment/v2', fresh(), { reference1: code.reference });
    if (answer.outcome !== 'answered') return { status: 'UNKNOWN', reason: answer.reason };
    const parsed = inquiryReply.safeParse(answer.body);
    if (!parsed.success) {
      return { status: 'UNKNOWN', reason: readRefusal(answer.body) ?? 'malformed answer' };
    }
    return readInquiry(settings, code, parsed.data);
  }

  async function cancel(code: CodeName): Promise<CancelOutcome> {
    const answer = await call('/pos/qr_cancel', fresh(), {
      origPartnerTxnUid: code.gatewayReference ?? code.reference,
    });
    if (answer.outcome !== 'answered') return 'UNKNOWN';
    if (cancelReply.safeParse(answer.body).success) return 'CANCELLED';
    return CANCEL_REFUSALS[readRefusal(answer.body) ?? ''] ?? 'UNKNOWN';
  }

  return {
    code: 'KBANK',
    name: 'kbank',
    currency: 'BAHT',
    patienceMs: settings.timeoutMs,
    create,
    inquire,
    cancel,
    readCallback: (received) =>
      readKeyedCallback(received, settings.callbackKey, (body) => callbackClaim.safeParse(body).data?.reference1),
    callbackReply: { statusCode: '00' },
  };
}

const CANCEL_REFUSALS: Readonly<Record<string, CancelOutcome>> = {
  qr_paid: 'ALREADY_PAID',
  qr_expired: 'EXPIRED',
  invalid_origPartnerTxnUid: 'NOT_FOUND',
};

function readRefusal(body: unknown): string | undefined {
  const refused = refusedReply.safeParse(body);
  return refused.success ? (refused.data.errorCode ?? UNPROVEN) : undefined;
}

/** Whether a code pays us, for this order, exactly the requested amount. */
function isOurs(
  { billerId }: KbankSettings,
  { reference, amount }: Pick<InquiredQr, 'reference' | 'amount'>,
  payload: string,
): boolean {
  return isBillFor(payload, { billerId, reference, amount });
}

function readInquiry(settings: KbankSettings, code: InquiredQr, answer: KbankInquiryReply): Inquiry {
  if (answer.txnStatus === 'NOT_FOUND') return { status: 'NOT_FOUND' };
  if (answer.reference1 !== code.reference) return { status: 'UNKNOWN', reason: 'answer about another code' };
  switch (answer.txnStatus) {
    case 'REQUESTED': {
      const { qrCode, expireDt, origPartnerTxnUid } = answer;
      const shown = {
        gatewayReference: origPartnerTxnUid,
        payload: qrCode,
        payAmount: code.amount,
        expiresAt: expireDt,
      };
      return { status: 'WAITING', code: isOurs(settings, code, qrCode) ? shown : undefined };
    }
    case 'PAID':
      return readPayment(answer);
    case 'CANCELLED':
    case 'VOIDED':
      return { status: 'CANCELLED' };
    case 'EXPIRED':
      return { status: 'EXPIRED' };
  }
}

function readPayment(answer: Extract<KbankInquiryReply, { txnStatus: 'PAID' }>): Inquiry {
  const payer = {
    bankCode: answer.payerBankCode,
    accountNo: answer.payerAccountNo,
    name: answer.payerName,
  };
  const { txnNo, paidAmount, txnCurrencyCode, paidDt } = answer;
  return readReportedPayment(
    { transactionNumber: txnNo, amount: paidAmount, currency: txnCurrencyCode, paidAt: paidDt, payer },
    'BAHT',
  );
}

function bangkokTime(moment: Date): string {
  return new Date(moment.getTime() + BANGKOK_OFFSET_MS).toISOString().replace('Z', '+07:00');
}

/** The gateway KBANK, and what is agreed with it: part `kbank` of the outside file. */
export const kbank = defineGateway(
  z.object({
    url: z.url(),
    partnerId: z.string(),
    partnerSecret: z.string(),
    merchantId: z.string(),
    terminalId: z.string(),
    billerId: z.string(),
    callbackUrl: z.url(),
    callbackKey,
    timeoutMs,
    callbackRetryMs: z.int().positive(),
  }),
  kbankGateway,
);
