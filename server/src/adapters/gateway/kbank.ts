import { toDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { newReference } from '../../platform/ids.ts';
import type { Clock } from '../../platform/time.ts';
import { optionalText, outsideIdentity, outsideText, outsideTime } from '../outside-text.ts';
import { paymentNumber, readKeyedCallback, readReportedPayment, probeByInquiry } from './callback.ts';
import { callJson } from './http.ts';
import {
  apiUrl,
  callbackKey,
  callbackUrl,
  defineGateway,
  issued,
  keyedGateway,
  timeoutMs,
  type CancelOutcome,
  type CodeName,
  type CreateOutcome,
  type Gateway,
  type InquiredQr,
  type Inquiry,
  type QrOrder,
} from './port.ts';
import { isBillFor } from './thai-qr.ts';

/** Used fields of the bank's replies. A malformed field invalidates the whole reply. */
const commonFields = { statusCode: z.enum(['00', '10']), errorCode: outsideText(64).nullish() };

const decimalText = outsideText(20);

export const refusedReply = z.object({ ...commonFields, statusCode: z.literal('10') });

export const createReply = z.object({
  ...commonFields,
  statusCode: z.literal('00'),
  qrCode: outsideText(512),
  expireDt: outsideTime,
});

export const cancelReply = z.object({ ...commonFields, statusCode: z.literal('00') });

const knownFields = {
  ...commonFields,
  statusCode: z.literal('00'),
  reference1: outsideText(64),
};

export const inquiryReply = z.discriminatedUnion('txnStatus', [
  z.object({
    ...knownFields,
    txnStatus: z.literal('REQUESTED'),
    origPartnerTxnUid: outsideIdentity(64),
    qrCode: outsideText(512),
    expireDt: outsideTime,
  }),
  z.object({
    ...knownFields,
    txnStatus: z.literal('PAID'),
    paidAmount: decimalText,
    txnCurrencyCode: outsideText(8),
    paidDt: outsideTime,
    txnNo: paymentNumber,
    payerBankCode: optionalText(32),
    payerAccountNo: optionalText(64),
    payerName: optionalText(200),
  }),
  z.object({ ...knownFields, txnStatus: z.enum(['CANCELLED', 'EXPIRED', 'VOIDED']) }),
  z.object({ ...commonFields, statusCode: z.literal('00'), txnStatus: z.literal('NOT_FOUND') }),
]);

export type KbankInquiryReply = z.output<typeof inquiryReply>;

/** The only field read from a callback: the reference of its code. */
export const callbackClaim = z.object({ reference1: z.string().regex(/^[A-Z0-9]{1,20}$/) });

/** Section `kbank` of the outside file. */
export type KbankSettings = {
  url: string;
  partnerId: string;
  partnerSecret: string;
  merchantId: string;
  terminalId: string;
  billerId: string;
  /** Secret in the callback URL, because the bank does not sign callbacks. */
  callbackKey: string;
  timeoutMs: number;
};

const REQUEST_NUMBER_CHARACTERS = 15;
const BANGKOK_OFFSET_MS = 7 * 60 * 60 * 1000;
/** The bank's code for an unknown outcome. Every other refusal proves that the call had no effect. */
const UNKNOWN_OUTCOME_CODE = 'internal_error';

const newRequestNumber = (): string => newReference(REQUEST_NUMBER_CHARACTERS);

/**
 * The QR gateway of KBANK: JSON calls with a partner secret, Thai bill payment codes that expire after ten minutes,
 * unsigned callbacks. Our reference is also the number of the create request, so it identifies a code even after a lost
 * reply.
 */
export function kbankGateway(settings: KbankSettings, clock: Clock): Gateway {
  const callKbank = (path: string, requestNumber: string, fields: object) =>
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

  async function create(order: QrOrder): Promise<CreateOutcome> {
    const reply = await callKbank('/pos/qr_request', order.reference, {
      txnAmount: toDecimal(order.amount),
      txnCurrencyCode: 'THB',
      reference1: order.reference,
    });
    if (reply.outcome !== 'answered') {
      return { outcome: reply.outcome === 'unsent' ? 'refused' : 'unknown', reason: reply.reason };
    }
    const refusalCode = readRefusal(reply.body);
    // A duplicate is not a proven refusal: the first request with this number may have created the code.
    if (refusalCode === UNKNOWN_OUTCOME_CODE || refusalCode === 'duplicate_request')
      return { outcome: 'unknown', reason: refusalCode };
    if (refusalCode !== undefined) return { outcome: 'refused', reason: refusalCode };
    const parsedReply = createReply.safeParse(reply.body);
    if (!parsedReply.success) return { outcome: 'unknown', reason: 'malformed reply' };
    if (!isOurs(settings, order, parsedReply.data.qrCode))
      return { outcome: 'unknown', reason: 'code says something else' };
    return {
      outcome: 'created',
      gatewayReference: order.reference,
      payload: parsedReply.data.qrCode,
      payAmount: order.amount,
      expiresAt: parsedReply.data.expireDt,
    };
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const reply = await callKbank('/pos/inquire_payment/v2', newRequestNumber(), { reference1: code.reference });
    if (reply.outcome !== 'answered') return { status: 'UNKNOWN', reason: reply.reason };
    const parsedInquiry = inquiryReply.safeParse(reply.body);
    if (!parsedInquiry.success) return { status: 'UNKNOWN', reason: readRefusal(reply.body) ?? 'malformed reply' };
    return readInquiry(settings, code, parsedInquiry.data);
  }

  async function cancel(code: CodeName): Promise<CancelOutcome> {
    const origPartnerTxnUid = code.gatewayReference ?? code.reference;
    const reply = await callKbank('/pos/qr_cancel', newRequestNumber(), { origPartnerTxnUid });
    if (reply.outcome !== 'answered') return 'UNKNOWN';
    if (cancelReply.safeParse(reply.body).success) return 'CANCELLED';
    return CANCEL_REFUSALS[readRefusal(reply.body) ?? ''] ?? 'UNKNOWN';
  }

  return {
    code: 'KBANK',
    name: 'kbank',
    currency: 'BAHT',
    patienceMs: settings.timeoutMs,
    create,
    inquire,
    cancel,
    probe: () => probeByInquiry(inquire),
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
  const parsedRefusal = refusedReply.safeParse(body);
  return parsedRefusal.success ? (parsedRefusal.data.errorCode ?? UNKNOWN_OUTCOME_CODE) : undefined;
}

/** Whether a code pays us, for this order, exactly the requested amount. */
function isOurs(
  { billerId }: KbankSettings,
  { reference, amount }: Pick<InquiredQr, 'reference' | 'amount'>,
  payload: string,
): boolean {
  return isBillFor(payload, { billerId, reference, amount });
}

function readInquiry(settings: KbankSettings, code: InquiredQr, inquiry: KbankInquiryReply): Inquiry {
  if (inquiry.txnStatus === 'NOT_FOUND') return { status: 'NOT_FOUND' };
  if (inquiry.reference1 !== code.reference) return { status: 'UNKNOWN', reason: 'reply about another code' };
  switch (inquiry.txnStatus) {
    case 'REQUESTED': {
      const { qrCode, expireDt, origPartnerTxnUid } = inquiry;
      const issuedCode = {
        gatewayReference: origPartnerTxnUid,
        payload: qrCode,
        payAmount: code.amount,
        expiresAt: expireDt,
      };
      return { status: 'WAITING', code: isOurs(settings, code, qrCode) ? issuedCode : undefined };
    }
    case 'PAID':
      return readPayment(inquiry);
    case 'CANCELLED':
    case 'VOIDED':
      return { status: 'CANCELLED' };
    case 'EXPIRED':
      return { status: 'EXPIRED' };
  }
}

function readPayment(inquiry: Extract<KbankInquiryReply, { txnStatus: 'PAID' }>): Inquiry {
  const payer = {
    bankCode: inquiry.payerBankCode,
    accountNo: inquiry.payerAccountNo,
    name: inquiry.payerName,
  };
  const { txnNo, paidAmount, txnCurrencyCode, paidDt } = inquiry;
  return readReportedPayment(
    { transactionNumber: txnNo, amount: paidAmount, currency: txnCurrencyCode, paidAt: paidDt, payer },
    'BAHT',
  );
}

function bangkokTime(moment: Date): string {
  return new Date(moment.getTime() + BANGKOK_OFFSET_MS).toISOString().replace('Z', '+07:00');
}

/** The gateway KBANK, with the schema of its section `kbank` of the outside file. */
export const kbank = defineGateway(
  z
    .object({
      url: apiUrl,
      partnerId: issued('Partner number'),
      partnerSecret: issued('Partner secret'),
      merchantId: issued('Merchant number'),
      terminalId: issued('Terminal number', 'TERM01'),
      billerId: issued('Biller number in the QR: codes for another one are not shown', '010555555555501'),
      callbackUrl,
      callbackKey,
      timeoutMs,
    })
    .meta(keyedGateway('kbank', 'QR gateway of KBANK, in baht.'))
    .optional(),
  kbankGateway,
);
