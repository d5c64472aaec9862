import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { maskAccount, maskName } from '../../bank/mask.ts';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { formatMoney, parseMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { type Code, type CodeStatus, statusOf } from '../codes.ts';
import type { GatewayService } from '../gateway-service.ts';
import type { FpSettings } from './settings.ts';
import { signatureOf } from './signing.ts';

const MIN_SATANG = 100;
const MAX_SATANG = 5_000_000;
const TOLERANCE_MS = 300_000;

type FpDeps = { gatewayService: GatewayService; server: Server; settings: FpSettings };
type SignedForm = z.output<typeof commonFields>;

const commonFields = z.looseObject({
  merchantNo: z.string(),
  orderNo: z.string().regex(/^[A-Z0-9]{1,32}$/),
  timestamp: z.string().regex(/^\d{10}$/),
  sign: z.string(),
});
// A repeated field becomes an array, which the form refuses.
const form = z.record(z.string(), z.string());

const REFUSAL_MESSAGES = {
  1001: 'sign error',
  1002: 'merchant not exist',
  1003: 'param error',
  1004: 'timestamp expired',
  1005: 'order not exist',
  1006: 'amount out of range',
  1007: 'order exist with other amount',
  1010: 'order paid',
  1011: 'order expired',
  1099: 'channel busy, order not created',
} as const;

const STATUS_WORDS: Readonly<Record<CodeStatus, string>> = {
  REQUESTED: 'WAIT',
  PAID: 'PAID',
  CANCELLED: 'CLOSED',
  EXPIRED: 'EXPIRED',
  // FP has no status for a failed order.
  FAILED: 'CLOSED',
};

/** FP's protocol: create, query, close. */
export function fpRoutes(app: FastifyInstance, deps: FpDeps): void {
  for (const [call, handle] of [
    ['create', create],
    ['query', query],
    ['close', close],
  ] as const) {
    app.post<{ Body: unknown }>(
      `/fp/order/${call}`,
      { errorHandler: unreadable(() => refusedReply(1003)) },
      ({ body }, reply) => {
        const fields = form.safeParse(body).data ?? {};
        return deps.server.serve(reply, {
          target: 'fp',
          call,
          key: fields['orderNo']?.slice(0, 40) ?? null,
          handle: () => {
            const read = readForm(fields, deps);
            return 'status' in read ? read : handle(read.form, deps);
          },
          decline: () => refusedReply(1099),
        });
      },
    );
  }
}

function refusedReply(code: keyof typeof REFUSAL_MESSAGES): Answer {
  return { status: 200, body: { code, msg: REFUSAL_MESSAGES[code], data: null } };
}

function doneReply(code: Code): Answer {
  return { status: 200, body: { code: 0, msg: 'success', data: orderOf(code) } };
}

function readForm(fields: Record<string, string>, { settings }: FpDeps): Answer | { form: SignedForm } {
  const parsedForm = commonFields.safeParse(fields);
  if (!parsedForm.success) return refusedReply(1003);
  const { merchantNo, timestamp, sign } = parsedForm.data;
  if (merchantNo !== settings.merchantNo) return refusedReply(1002);
  if (!sameText(sign, signatureOf(fields, settings.key))) return refusedReply(1001);
  if (Math.abs(Date.now() - Number(timestamp) * 1000) > TOLERANCE_MS) return refusedReply(1004);
  return { form: parsedForm.data };
}

async function create(order: SignedForm, { gatewayService }: FpDeps): Promise<Answer> {
  const amount = parseMoney(order['amount']);
  if (amount === undefined || order['currency'] !== 'THB') return refusedReply(1003);
  if (amount < MIN_SATANG || amount > MAX_SATANG) return refusedReply(1006);
  const reference = order.orderNo;
  const code = (await gatewayService.issue({ reference, amount })) ?? gatewayService.codes.byReference(reference);
  if (!code) throw new Error(`order ${reference} vanished`);
  return code.amount === amount ? doneReply(code) : refusedReply(1007);
}

function query(order: SignedForm, { gatewayService }: FpDeps): Answer {
  const code = gatewayService.codes.byReference(order.orderNo);
  return code ? doneReply(code) : refusedReply(1005);
}

function close(order: SignedForm, { gatewayService }: FpDeps): Answer {
  const code = gatewayService.codes.byReference(order.orderNo);
  if (!code) return refusedReply(1005);
  const cancelledCode = gatewayService.codes.cancel(code);
  switch (statusOf(cancelledCode, Date.now())) {
    case 'PAID':
      return refusedReply(1010);
    case 'EXPIRED':
      return refusedReply(1011);
    case 'REQUESTED':
    case 'CANCELLED':
    case 'FAILED':
      return doneReply(cancelledCode);
  }
}

function orderOf(code: Code): object {
  return {
    orderNo: code.reference,
    platformNo: code.number,
    status: STATUS_WORDS[statusOf(code, Date.now())],
    amount: formatMoney(code.amount),
    currency: 'THB',
    qrText: code.payload,
    expireTime: code.expiresAt,
    paidAmount: code.paidAmount === null ? null : formatMoney(code.paidAmount),
    payTime: code.paidAt,
    tradeNo: code.txnNo,
    payerBank: code.payerBank,
    payerAccount: code.payerNumber === null ? null : maskAccount(code.payerNumber),
    payerName: code.payerName === null ? null : maskName(code.payerName),
  };
}
