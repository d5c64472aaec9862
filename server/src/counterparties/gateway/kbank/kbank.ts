import { toDecimal } from '@krapao/contract/money';
import type { Clock } from '../../../platform/clock.ts';
import { newReference } from '../../../platform/ids.ts';
import { callJson } from '../call-json.ts';
import { readKeyedCallback } from '../keyed-callback.ts';
import type { AskedCode, CancelOutcome, CodeName, CodeOrder, CreateOutcome, Gateway, Inquiry } from '../port.ts';
import { isBillFor } from '../thai-bill.ts';
import { readReportedPayment } from '../reported-payment.ts';
import {
  callbackClaim,
  cancelAnswer,
  createAnswer,
  inquiryAnswer,
  type KbankInquiryAnswer,
  refusedAnswer,
} from './answers.ts';

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

  async function create(order: CodeOrder): Promise<CreateOutcome> {
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
    const made = createAnswer.safeParse(answer.body);
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

  async function inquire(code: AskedCode): Promise<Inquiry> {
    const answer = await call('/pos/inquire_payment/v2', fresh(), { reference1: code.reference });
    if (answer.outcome !== 'answered') return { status: 'UNKNOWN', reason: answer.reason };
    const parsed = inquiryAnswer.safeParse(answer.body);
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
    if (cancelAnswer.safeParse(answer.body).success) return 'CANCELLED';
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
  const refused = refusedAnswer.safeParse(body);
  return refused.success ? (refused.data.errorCode ?? UNPROVEN) : undefined;
}

/** Whether a code pays us, for this order, exactly the requested amount. */
function isOurs(
  { billerId }: KbankSettings,
  { reference, amount }: Pick<AskedCode, 'reference' | 'amount'>,
  payload: string,
): boolean {
  return isBillFor(payload, { billerId, reference, amount });
}

function readInquiry(settings: KbankSettings, code: AskedCode, answer: KbankInquiryAnswer): Inquiry {
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

function readPayment(answer: Extract<KbankInquiryAnswer, { txnStatus: 'PAID' }>): Inquiry {
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
