import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { maskAccount, maskName } from '../../bank/mask.ts';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { formatMoney, parseMoney } from '../../money.ts';
import type { FpSettings } from './settings.ts';
import { sameText } from '../../outside/secrets.ts';
import { type Code, type CodeStatus, statusOf } from '../codes.ts';
import type { Desk } from '../desk.ts';
import { signatureOf } from './signing.ts';

const MIN_SATANG = 100;
const MAX_SATANG = 5_000_000;
const TOLERANCE_MS = 300_000;

type Deps = { desk: Desk; server: Server; settings: FpSettings };
type Form = z.output<typeof common>;

const common = z.looseObject({
  merchantNo: z.string(),
  orderNo: z.string().regex(/^[A-Z0-9]{1,32}$/),
  timestamp: z.string().regex(/^\d{10}$/),
  sign: z.string(),
});
// A repeated field becomes an array, which is invalid in their forms.
const form = z.record(z.string(), z.string());

const MESSAGES = {
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

const WORDS: Readonly<Record<CodeStatus, string>> = {
  REQUESTED: 'WAIT',
  PAID: 'PAID',
  CANCELLED: 'CLOSED',
  EXPIRED: 'EXPIRED',
  // FP has no status for an order that failed.
  FAILED: 'CLOSED',
};

/** FP's own protocol: create, query, close. */
export function fpRoutes(app: FastifyInstance, deps: Deps): void {
  for (const [call, act] of [
    ['create', create],
    ['query', query],
    ['close', close],
  ] as const) {
    app.post<{ Body: unknown }>(
      `/fp/order/${call}`,
      { errorHandler: unreadable(() => refused(1003)) },
      ({ body }, reply) => {
        const fields = form.safeParse(body).data ?? {};
        return deps.server.serve(reply, {
          target: 'fp',
          call,
          key: fields['orderNo']?.slice(0, 40) ?? null,
          act: () => {
            const read = readForm(fields, deps);
            return 'status' in read ? read : act(read.form, deps);
          },
          decline: () => refused(1099),
        });
      },
    );
  }
}

function refused(code: keyof typeof MESSAGES): Answer {
  return { status: 200, body: { code, msg: MESSAGES[code], data: null } };
}

function done(code: Code): Answer {
  return { status: 200, body: { code: 0, msg: 'success', data: orderOf(code) } };
}

function readForm(fields: Record<string, string>, { settings }: Deps): Answer | { form: Form } {
  const parsed = common.safeParse(fields);
  if (!parsed.success) return refused(1003);
  const { merchantNo, timestamp, sign } = parsed.data;
  if (merchantNo !== settings.merchantNo) return refused(1002);
  if (!sameText(sign, signatureOf(fields, settings.key))) return refused(1001);
  if (Math.abs(Date.now() - Number(timestamp) * 1000) > TOLERANCE_MS) return refused(1004);
  return { form: parsed.data };
}

async function create(order: Form, { desk }: Deps): Promise<Answer> {
  const amount = parseMoney(order['amount']);
  if (amount === undefined || order['currency'] !== 'THB') return refused(1003);
  if (amount < MIN_SATANG || amount > MAX_SATANG) return refused(1006);
  const reference = order.orderNo;
  const code = (await desk.issue({ reference, amount })) ?? desk.codes.byReference(reference);
  if (!code) throw new Error(`order ${reference} vanished`);
  return code.amount === amount ? done(code) : refused(1007);
}

function query(order: Form, { desk }: Deps): Answer {
  const code = desk.codes.byReference(order.orderNo);
  return code ? done(code) : refused(1005);
}

function close(order: Form, { desk }: Deps): Answer {
  const code = desk.codes.byReference(order.orderNo);
  if (!code) return refused(1005);
  const after = desk.codes.cancel(code);
  switch (statusOf(after, Date.now())) {
    case 'PAID':
      return refused(1010);
    case 'EXPIRED':
      return refused(1011);
    case 'REQUESTED':
    case 'CANCELLED':
    case 'FAILED':
      return done(after);
  }
}

function orderOf(code: Code): object {
  return {
    orderNo: code.reference,
    platformNo: code.number,
    status: WORDS[statusOf(code, Date.now())],
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
