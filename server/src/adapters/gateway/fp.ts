import { z } from 'zod';
import { optionalText, outsideIdentity, outsideText } from '../outside-text.ts';
import { paymentNumber, readKeyedCallback, readReportedPayment } from './callback.ts';
import { createHmac } from 'node:crypto';
import { toDecimal } from '@krapao/contract/money';
import type { Clock } from '../../platform/time.ts';
import { callForJson } from './http.ts';
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

/** The used fields of FP's answers. A malformed field invalidates the whole answer. */
const time = z
  .int()
  .positive()
  .transform((ms) => new Date(ms));
const decimal = outsideText(20);

const named = { orderNo: outsideText(64) };
const asked = {
  ...named,
  platformNo: outsideIdentity(64),
  qrText: outsideText(512),
  expireTime: time,
};

const order = z.discriminatedUnion('status', [
  z.object({ ...asked, status: z.enum(['WAIT', 'CLOSED', 'EXPIRED']) }),
  z.object({
    ...named,
    status: z.literal('PAID'),
    currency: outsideText(8),
    paidAmount: decimal,
    payTime: time,
    tradeNo: paymentNumber,
    payerBank: optionalText(32),
    payerAccount: optionalText(64),
    payerName: optionalText(200),
  }),
]);

export type FpOrder = z.output<typeof order>;

export const doneReply = z.object({ code: z.literal(0), data: order });

export const refusedReply = z.object({ code: z.int().min(1).max(9999) });

/** The only field read from a callback: which order it is about. */
export const callbackClaim = z.object({ orderNo: z.string().regex(/^[A-Z0-9]{1,20}$/) });

/**
 * Signs a form: HMAC-SHA256 over every field that is not empty, sorted by name, as `name=value` joined by `&`. @returns
 * the fields with their signature, in wire format
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

/** Settings of FP: section `fp` of the outside file. */
export type FpSettings = {
  url: string;
  merchantNo: string;
  /** Signs our forms. */
  key: string;
  billerId: string;
  /** Secret part of the callback address, because FP does not sign callbacks. */
  callbackKey: string;
  timeoutMs: number;
};

type FpAnswer =
  | { outcome: 'done'; order: FpOrder }
  | { outcome: 'refused'; code: number }
  | { outcome: 'unsent' | 'unknown'; reason: string };

/** FP's code for an unknown outcome; every other refusal proves that nothing was done. */
const UNPROVEN = 9999;
const NO_SUCH_ORDER = 1005;
/** The number belongs to an order of another amount, which is not ours. */
const OTHER_AMOUNT = 1007;
const CANCEL_REFUSALS: Readonly<Record<number, CancelOutcome>> = {
  [NO_SUCH_ORDER]: 'NOT_FOUND',
  1010: 'ALREADY_PAID',
  1011: 'EXPIRED',
};

/** The QR gateway FP: signed forms, idempotent by our order number, unsigned callbacks. */
export function fpGateway(settings: FpSettings, clock: Clock): Gateway {
  async function call(name: 'create' | 'query' | 'close', fields: Record<string, string>): Promise<FpAnswer> {
    const timestamp = String(Math.floor(clock.now().getTime() / 1_000));
    const answer = await callForJson({
      method: 'POST',
      url: `${settings.url}/order/${name}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: signForm({ merchantNo: settings.merchantNo, timestamp, ...fields }, settings.key),
      timeoutMs: settings.timeoutMs,
    });
    return answer.outcome === 'answered' ? readAnswer(answer.body, fields['orderNo'] ?? '') : answer;
  }

  async function create(asked: QrOrder): Promise<CreateOutcome> {
    const { reference: orderNo, amount } = asked;
    const answer = await call('create', { orderNo, amount: toDecimal(amount), currency: 'THB' });
    switch (answer.outcome) {
      case 'done': {
        // The order may already exist: FP returns its current state.
        const { order } = answer;
        if (order.status !== 'WAIT') return { outcome: 'unknown', reason: `order is ${order.status}` };
        const shown = shownOf(settings, asked, order);
        return shown ? { outcome: 'created', ...shown } : { outcome: 'unknown', reason: 'code says something else' };
      }
      case 'refused':
        return { outcome: answer.code === OTHER_AMOUNT ? 'unknown' : 'refused', reason: `code ${answer.code}` };
      case 'unsent':
        return { outcome: 'refused', reason: answer.reason };
      case 'unknown':
        return { outcome: 'unknown', reason: answer.reason };
    }
  }

  async function inquire(code: InquiredQr): Promise<Inquiry> {
    const answer = await call('query', { orderNo: code.reference });
    if (answer.outcome === 'done') return readInquiry(settings, code, answer.order);
    if (answer.outcome !== 'refused') return { status: 'UNKNOWN', reason: answer.reason };
    return answer.code === NO_SUCH_ORDER
      ? { status: 'NOT_FOUND' }
      : { status: 'UNKNOWN', reason: `code ${answer.code}` };
  }

  async function cancel(code: CodeName): Promise<CancelOutcome> {
    const answer = await call('close', { orderNo: code.reference });
    if (answer.outcome === 'done') return answer.order.status === 'CLOSED' ? 'CANCELLED' : 'UNKNOWN';
    return answer.outcome === 'refused' ? (CANCEL_REFUSALS[answer.code] ?? 'UNKNOWN') : 'UNKNOWN';
  }

  return {
    code: 'FP',
    name: 'fp',
    currency: 'BAHT',
    patienceMs: settings.timeoutMs,
    create,
    inquire,
    cancel,
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
  const done = doneReply.safeParse(body);
  if (done.success) {
    return done.data.data.orderNo === orderNo
      ? { outcome: 'done', order: done.data.data }
      : { outcome: 'unknown', reason: 'answer about another code' };
  }
  const refused = refusedReply.safeParse(body);
  if (!refused.success) return { outcome: 'unknown', reason: 'malformed answer' };
  const { code } = refused.data;
  return code === UNPROVEN ? { outcome: 'unknown', reason: `code ${code}` } : { outcome: 'refused', code };
}

/** A code that may be shown: it pays us, for this order, exactly the requested amount. */
function shownOf(
  { billerId }: FpSettings,
  { reference, amount }: Pick<InquiredQr, 'reference' | 'amount'>,
  { platformNo, qrText, expireTime }: Exclude<FpOrder, { status: 'PAID' }>,
) {
  if (!isBillFor(qrText, { billerId, reference, amount })) return undefined;
  return { gatewayReference: platformNo, payload: qrText, payAmount: amount, expiresAt: expireTime };
}

function readInquiry(settings: FpSettings, code: InquiredQr, order: FpOrder): Inquiry {
  switch (order.status) {
    case 'WAIT':
      return { status: 'WAITING', code: shownOf(settings, code, order) };
    case 'PAID':
      return readReportedPayment(
        {
          transactionNumber: order.tradeNo,
          amount: order.paidAmount,
          currency: order.currency,
          paidAt: order.payTime,
          payer: { bankCode: order.payerBank, accountNo: order.payerAccount, name: order.payerName },
        },
        'BAHT',
      );
    case 'CLOSED':
      return { status: 'CANCELLED' };
    case 'EXPIRED':
      return { status: 'EXPIRED' };
  }
}

/** The gateway FP, and what is agreed with it: part `fp` of the outside file. */
export const fp = defineGateway(
  z
    .object({
      url: z.url(),
      merchantNo: z.string(),
      key: z.string(),
      billerId: z.string(),
      callbackUrl: z.url(),
      callbackKey,
      timeoutMs,
    })
    .optional(),
  fpGateway,
);
