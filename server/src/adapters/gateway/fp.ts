import { createHmac } from 'node:crypto';
import { toDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import type { Clock } from '../../platform/time.ts';
import { optionalText, outsideIdentity, outsideText, outsideTimeMs } from '../outside-text.ts';
import { paymentNumber, readKeyedCallback, readReportedPayment, probeByInquiry } from './callback.ts';
import { callForJson } from './http.ts';
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

/** Used fields of FP's replies. A malformed field invalidates the whole reply. */
const decimalText = outsideText(20);

const orderNumber = { orderNo: outsideText(64) };
const orderFields = {
  ...orderNumber,
  platformNo: outsideIdentity(64),
  qrText: outsideText(512),
  expireTime: outsideTimeMs,
};

const orderReply = z.discriminatedUnion('status', [
  z.object({ ...orderFields, status: z.enum(['WAIT', 'CLOSED', 'EXPIRED']) }),
  z.object({
    ...orderNumber,
    status: z.literal('PAID'),
    currency: outsideText(8),
    paidAmount: decimalText,
    payTime: outsideTimeMs,
    tradeNo: paymentNumber,
    payerBank: optionalText(32),
    payerAccount: optionalText(64),
    payerName: optionalText(200),
  }),
]);

export type FpOrder = z.output<typeof orderReply>;

export const doneReply = z.object({ code: z.literal(0), data: orderReply });

export const refusedReply = z.object({ code: z.int().min(1).max(9999) });

/** The only field read from a callback: the number of its order. */
export const callbackClaim = z.object({ orderNo: z.string().regex(/^[A-Z0-9]{1,20}$/) });

/**
 * Signs a form: HMAC-SHA256 over every non-empty field, sorted by name, as `name=value` joined by `&`. @returns the
 * fields with their signature, in wire format
 */
export function signForm(fields: Readonly<Record<string, string>>, key: string): string {
  const text = Object.entries(fields)
    .filter(([, value]) => value !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const sign = createHmac('sha256', key).update(text, 'utf8').digest('hex');
  return new URLSearchParams({ ...fields, sign }).toString();
}

/** Section `fp` of the outside file. */
export type FpSettings = {
  url: string;
  merchantNo: string;
  /** Key of our form signatures. */
  key: string;
  billerId: string;
  /** Secret in the callback URL, because FP does not sign callbacks. */
  callbackKey: string;
  timeoutMs: number;
};

type FpAnswer =
  | { outcome: 'done'; order: FpOrder }
  | { outcome: 'refused'; code: number }
  | { outcome: 'unsent' | 'unknown'; reason: string };

/** FP's code for an unknown outcome. Every other refusal proves that the call had no effect. */
const UNKNOWN_OUTCOME_CODE = 9999;
const NO_SUCH_ORDER = 1005;
/** The order number belongs to another amount, so the order is not ours. */
const OTHER_AMOUNT = 1007;
const CANCEL_REFUSALS: Readonly<Record<number, CancelOutcome>> = {
  [NO_SUCH_ORDER]: 'NOT_FOUND',
  1010: 'ALREADY_PAID',
  1011: 'EXPIRED',
};

/** The QR gateway FP: signed forms, idempotent by our order number, unsigned callbacks. */
export function fpGateway(settings: FpSettings, clock: Clock): Gateway {
  async function callFp(name: 'create' | 'query' | 'close', fields: Record<string, string>): Promise<FpAnswer> {
    const timestamp = String(Math.floor(clock.now().getTime() / 1_000));
    const reply = await callForJson({
      method: 'POST',
      url: `${settings.url}/order/${name}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: signForm({ merchantNo: settings.merchantNo, timestamp, ...fields }, settings.key),
      timeoutMs: settings.timeoutMs,
    });
    return reply.outcome === 'answered' ? readAnswer(reply.body, fields['orderNo'] ?? '') : reply;
  }

  async function create(qrOrder: QrOrder): Promise<CreateOutcome> {
    const { reference: orderNo, amount } = qrOrder;
    const reply = await callFp('create', { orderNo, amount: toDecimal(amount), currency: 'THB' });
    switch (reply.outcome) {
      case 'done': {
        // The order may already exist: FP returns its current state.
        const { order: fpOrder } = reply;
        if (fpOrder.status !== 'WAIT') return { outcome: 'unknown', reason: `order is ${fpOrder.status}` };
        const issuedCode = issuedCodeOf(settings, qrOrder, fpOrder);
        return issuedCode
          ? { outcome: 'created', ...issuedCode }
          : { outcome: 'unknown', reason: 'code says something else' };
      }
      case 'refused':
        return { outcome: reply.code === OTHER_AMOUNT ? 'unknown' : 'refused', reason: `code ${reply.code}` };
      case 'unsent':
        return { outcome: 'refused', reason: reply.reason };
      case 'unknown':
        return { outcome: 'unknown', reason: reply.reason };
    }
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const reply = await callFp('query', { orderNo: code.reference });
    if (reply.outcome === 'done') return readInquiry(settings, code, reply.order);
    if (reply.outcome !== 'refused') return { status: 'UNKNOWN', reason: reply.reason };
    return reply.code === NO_SUCH_ORDER ? { status: 'NOT_FOUND' } : { status: 'UNKNOWN', reason: `code ${reply.code}` };
  }

  async function cancel(code: CodeName): Promise<CancelOutcome> {
    const reply = await callFp('close', { orderNo: code.reference });
    if (reply.outcome === 'done') return reply.order.status === 'CLOSED' ? 'CANCELLED' : 'UNKNOWN';
    return reply.outcome === 'refused' ? (CANCEL_REFUSALS[reply.code] ?? 'UNKNOWN') : 'UNKNOWN';
  }

  return {
    code: 'FP',
    name: 'fp',
    currency: 'BAHT',
    patienceMs: settings.timeoutMs,
    create,
    inquire,
    cancel,
    probe: () => probeByInquiry(inquire),
    readCallback: (callback) =>
      readKeyedCallback(
        callback,
        settings.callbackKey,
        (form) => callbackClaim.safeParse(form).data?.orderNo,
        (text) => Object.fromEntries(new URLSearchParams(text)),
      ),
    callbackReply: 'success',
  };
}

function readAnswer(body: unknown, orderNo: string): FpAnswer {
  const parsedOrder = doneReply.safeParse(body);
  if (parsedOrder.success) {
    return parsedOrder.data.data.orderNo === orderNo
      ? { outcome: 'done', order: parsedOrder.data.data }
      : { outcome: 'unknown', reason: 'reply about another code' };
  }
  const parsedRefusal = refusedReply.safeParse(body);
  if (!parsedRefusal.success) return { outcome: 'unknown', reason: 'malformed reply' };
  const { code } = parsedRefusal.data;
  return code === UNKNOWN_OUTCOME_CODE ? { outcome: 'unknown', reason: `code ${code}` } : { outcome: 'refused', code };
}

/** The issued code of an order, if it pays us, for this order, exactly the requested amount. */
function issuedCodeOf(
  { billerId }: FpSettings,
  { reference, amount }: Pick<InquiredQr, 'reference' | 'amount'>,
  { platformNo, qrText, expireTime }: Exclude<FpOrder, { status: 'PAID' }>,
) {
  if (!isBillFor(qrText, { billerId, reference, amount })) return undefined;
  return { gatewayReference: platformNo, payload: qrText, payAmount: amount, expiresAt: expireTime };
}

function readInquiry(settings: FpSettings, code: InquiredQr, fpOrder: FpOrder): Inquiry {
  switch (fpOrder.status) {
    case 'WAIT':
      return { status: 'WAITING', code: issuedCodeOf(settings, code, fpOrder) };
    case 'PAID':
      return readReportedPayment(
        {
          transactionNumber: fpOrder.tradeNo,
          amount: fpOrder.paidAmount,
          currency: fpOrder.currency,
          paidAt: fpOrder.payTime,
          payer: { bankCode: fpOrder.payerBank, accountNo: fpOrder.payerAccount, name: fpOrder.payerName },
        },
        'BAHT',
      );
    case 'CLOSED':
      return { status: 'CANCELLED' };
    case 'EXPIRED':
      return { status: 'EXPIRED' };
  }
}

/** The gateway FP, with the schema of its section `fp` of the outside file. */
export const fp = defineGateway(
  z
    .object({
      url: apiUrl,
      merchantNo: issued('Merchant number'),
      key: issued('Key of the signatures of both sides'),
      billerId: issued('Biller number in the QR: codes for another one are not shown', '010555555555503'),
      callbackUrl,
      callbackKey,
      timeoutMs,
    })
    .meta(keyedGateway('fp', 'QR gateway FP, in baht.'))
    .optional(),
  fpGateway,
);
