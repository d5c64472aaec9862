import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { maskAccount, maskName } from '../../bank/mask.ts';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { kipOf } from '../../lao-qr.ts';
import { parseMoney } from '../../money.ts';
import type { BcelSettings } from './settings.ts';
import { sameText } from '../../outside/secrets.ts';
import { thaiTime } from '../../time.ts';
import { type Code, statusOf } from '../codes.ts';
import type { Desk } from '../desk.ts';

const MIN_HUNDREDTHS = 100_000;
const MAX_HUNDREDTHS = 5_000_000_000;
const PATH = '/bcel/v1/api/payment';

type Deps = { desk: Desk; server: Server; settings: BcelSettings };

const order = z.object({
  amount: z.unknown(),
  description: z.string().regex(/^[\x20-\x7e]{1,25}$/),
  tag1: z.string().regex(/^[A-Z0-9]{1,25}$/),
});
const question = z.object({ tag1: z.string() });

const HTTP = {
  UNAUTHORIZED: 401,
  BAD_REQUEST: 400,
  AMOUNT_OUT_OF_RANGE: 422,
  DUPLICATE_TAG1: 409,
  TRANSACTION_NOT_FOUND: 404,
  DECLINED: 422,
} as const;

/** The gateway's protocol: creating a code, and its status inquiry. */
export function bcelRoutes(app: FastifyInstance, deps: Deps): void {
  const { server, settings } = deps;
  const errorHandler = unreadable(() => refused('BAD_REQUEST', 'the body is no JSON'));
  const isKnown = ({ headers }: FastifyRequest) => sameText(String(headers['secretkey'] ?? ''), settings.secretKey);
  app.post(`${PATH}/generate-bcel-qr`, { errorHandler }, (request, reply) =>
    server.serve(reply, {
      target: 'bcel',
      call: 'generate-qr',
      key: tagOf(request.body),
      act: () => (isKnown(request) ? generate(request.body, deps) : refused('UNAUTHORIZED', 'wrong secretKey')),
      decline: () => refused('DECLINED', 'the transaction cannot be processed'),
    }),
  );
  app.get(`${PATH}/transactions`, (request, reply) =>
    server.serve(reply, {
      target: 'bcel',
      call: 'inquire',
      key: tagOf(request.query),
      act: () => (isKnown(request) ? inquire(request.query, deps) : refused('UNAUTHORIZED', 'wrong secretKey')),
      decline: () => refused('DECLINED', 'the transaction cannot be queried'),
    }),
  );
}

async function generate(body: unknown, { desk }: Deps): Promise<Answer> {
  const parsed = order.safeParse(body);
  if (!parsed.success) return refused('BAD_REQUEST', parsed.error.issues[0]?.path.join('.') || 'body');
  const amount = parseMoney(parsed.data.amount);
  if (amount === undefined || amount % 100 !== 0) return refused('BAD_REQUEST', 'amount must be whole kip');
  if (amount < MIN_HUNDREDTHS || amount > MAX_HUNDREDTHS) return refused('AMOUNT_OUT_OF_RANGE', '1,000 to 50,000,000');
  const code = await desk.issue({ reference: parsed.data.tag1, amount });
  if (!code) return refused('DUPLICATE_TAG1', 'this tag1 is known');
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

const STATUS = {
  REQUESTED: 'PENDING',
  PAID: 'PAYMENT_COMPLETED',
  EXPIRED: 'EXPIRED',
  // Its protocol has no codes for these two.
  CANCELLED: 'EXPIRED',
  FAILED: 'EXPIRED',
} as const;

function inquire(query: unknown, { desk }: Deps): Answer {
  const parsed = question.safeParse(query);
  if (!parsed.success) return refused('BAD_REQUEST', 'tag1');
  const code = desk.codes.byReference(parsed.data.tag1);
  return code ? { status: 200, body: shown(code) } : refused('TRANSACTION_NOT_FOUND', 'no such tag1');
}

function shown(code: Code): object {
  return {
    message: 'SUCCESSFULLY',
    transactionId: code.number,
    tag1: code.reference,
    status: STATUS[statusOf(code, Date.now())],
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

function refused(message: keyof typeof HTTP, detail: string): Answer {
  return { status: HTTP[message], body: { message, detail } };
}

/** The merchant's reference for the call log, as far as it is known before validation. */
function tagOf(input: unknown): string | null {
  const parsed = question.safeParse(input);
  return parsed.success ? parsed.data.tag1.slice(0, 40) : null;
}
