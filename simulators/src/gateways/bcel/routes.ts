import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { maskAccount, maskName } from '../../bank/mask.ts';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { kipOf } from '../../lao-qr.ts';
import { parseMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { thaiTime } from '../../time.ts';
import { type Code, statusOf } from '../codes.ts';
import type { GatewayService } from '../gateway-service.ts';
import type { BcelSettings } from './settings.ts';

const MIN_HUNDREDTHS = 100_000;
const MAX_HUNDREDTHS = 5_000_000_000;
const API_PATH = '/bcel/v1/api/payment';

type BcelDeps = { gatewayService: GatewayService; server: Server; settings: BcelSettings };

const orderInput = z.object({
  amount: z.unknown(),
  description: z.string().regex(/^[\x20-\x7e]{1,25}$/),
  tag1: z.string().regex(/^[A-Z0-9]{1,25}$/),
});
const inquiryInput = z.object({ tag1: z.string() });

const HTTP_STATUS = {
  UNAUTHORIZED: 401,
  BAD_REQUEST: 400,
  AMOUNT_OUT_OF_RANGE: 422,
  DUPLICATE_TAG1: 409,
  TRANSACTION_NOT_FOUND: 404,
  DECLINED: 422,
} as const;

/** The gateway's protocol: creation of a code, and its status inquiry. */
export function bcelRoutes(app: FastifyInstance, deps: BcelDeps): void {
  const { server, settings } = deps;
  const errorHandler = unreadable(() => refusedReply('BAD_REQUEST', 'the body is no JSON'));
  const isKnown = ({ headers }: FastifyRequest) => sameText(String(headers['secretkey'] ?? ''), settings.secretKey);
  app.post(`${API_PATH}/generate-bcel-qr`, { errorHandler }, (request, reply) =>
    server.serve(reply, {
      target: 'bcel',
      call: 'generate-qr',
      key: tagOf(request.body),
      handle: () =>
        isKnown(request) ? generateQr(request.body, deps) : refusedReply('UNAUTHORIZED', 'wrong secretKey'),
      decline: () => refusedReply('DECLINED', 'the transaction cannot be processed'),
    }),
  );
  app.get(`${API_PATH}/transactions`, (request, reply) =>
    server.serve(reply, {
      target: 'bcel',
      call: 'inquire',
      key: tagOf(request.query),
      handle: () => (isKnown(request) ? inquire(request.query, deps) : refusedReply('UNAUTHORIZED', 'wrong secretKey')),
      decline: () => refusedReply('DECLINED', 'the transaction cannot be queried'),
    }),
  );
}

async function generateQr(body: unknown, { gatewayService }: BcelDeps): Promise<Answer> {
  const parsedOrder = orderInput.safeParse(body);
  if (!parsedOrder.success) return refusedReply('BAD_REQUEST', parsedOrder.error.issues[0]?.path.join('.') || 'body');
  const amount = parseMoney(parsedOrder.data.amount);
  if (amount === undefined || amount % 100 !== 0) return refusedReply('BAD_REQUEST', 'amount must be whole kip');
  if (amount < MIN_HUNDREDTHS || amount > MAX_HUNDREDTHS)
    return refusedReply('AMOUNT_OUT_OF_RANGE', '1,000 to 50,000,000');
  const code = await gatewayService.issue({ reference: parsedOrder.data.tag1, amount });
  if (!code) return refusedReply('DUPLICATE_TAG1', 'this tag1 is known');
  return {
    status: 200,
    body: {
      message: 'SUCCESSFULLY',
      transactionId: code.number,
      qrCode: code.payload,
      link: `onepay://qr/${code.payload}`,
      expiredAt: thaiTime(code.expiresAt),
    },
  };
}

const STATUS_OF_CODE = {
  REQUESTED: 'PENDING',
  PAID: 'PAYMENT_COMPLETED',
  EXPIRED: 'EXPIRED',
  // The protocol has no statuses for cancelled and failed codes.
  CANCELLED: 'EXPIRED',
  FAILED: 'EXPIRED',
} as const;

function inquire(query: unknown, { gatewayService }: BcelDeps): Answer {
  const parsedInquiry = inquiryInput.safeParse(query);
  if (!parsedInquiry.success) return refusedReply('BAD_REQUEST', 'tag1');
  const code = gatewayService.codes.byReference(parsedInquiry.data.tag1);
  return code ? { status: 200, body: paymentView(code) } : refusedReply('TRANSACTION_NOT_FOUND', 'no such tag1');
}

function paymentView(code: Code): object {
  return {
    message: 'SUCCESSFULLY',
    transactionId: code.number,
    tag1: code.reference,
    status: STATUS_OF_CODE[statusOf(code, Date.now())],
    amount: kipOf(code.amount),
    currency: 'LAK',
    qrCode: code.payload,
    expiredAt: thaiTime(code.expiresAt),
    txnAmount: code.paidAmount === null ? null : kipOf(code.paidAmount),
    refNo: code.txnNo,
    paidAt: code.paidAt === null ? null : thaiTime(code.paidAt),
    sourceBank: code.payerBank,
    sourceAccount: code.payerNumber === null ? null : maskAccount(code.payerNumber),
    sourceName: code.payerName === null ? null : maskName(code.payerName),
  };
}

function refusedReply(message: keyof typeof HTTP_STATUS, detail: string): Answer {
  return { status: HTTP_STATUS[message], body: { message, detail } };
}

/** The merchant's reference for the call log, as far as it is known before validation. */
function tagOf(input: unknown): string | null {
  const parsedInput = inquiryInput.safeParse(input);
  return parsedInput.success ? parsedInput.data.tag1.slice(0, 40) : null;
}
