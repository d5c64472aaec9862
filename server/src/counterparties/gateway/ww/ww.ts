import { toDecimal } from '@krapao/contract/money';
import type { Clock } from '../../../platform/clock.ts';
import { callRest, type RestAnswer } from '../call-rest.ts';
import { parseJson } from '../../../platform/parse-json.ts';
import type {
  AskedCode,
  CallbackCall,
  CallbackReading,
  CancelOutcome,
  CodeName,
  CodeOrder,
  CreateOutcome,
  Gateway,
  Inquiry,
} from '../port.ts';
import { isBillFor } from '../thai-bill.ts';
import { readReportedPayment } from '../reported-payment.ts';
import { callbackClaim, payment, refusal, type WwPayment } from './answers.ts';
import { checkSignature } from './signed-callback.ts';

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

  async function create(order: CodeOrder): Promise<CreateOutcome> {
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

  async function inquire(code: AskedCode): Promise<Inquiry> {
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
function readRefusal(answer: RestAnswer): string | undefined {
  if (answer.outcome !== 'refused') return undefined;
  return refusal.safeParse(answer.body).data?.error.code;
}

function reasonOf(answer: RestAnswer): string {
  return 'reason' in answer ? answer.reason : 'malformed answer';
}

/** A code that may be shown: it pays us, for this order, exactly the requested amount. */
function shownOf(
  { billerId }: WwSettings,
  { reference, amount }: Pick<AskedCode, 'reference' | 'amount'>,
  { id, qrPayload, expiresAt }: Exclude<WwPayment, { status: 'successful' }>,
) {
  if (!isBillFor(qrPayload, { billerId, reference, amount })) return undefined;
  return { gatewayReference: id, payload: qrPayload, payAmount: amount, expiresAt };
}

function readInquiry(settings: WwSettings, code: AskedCode, reported: WwPayment): Inquiry {
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
