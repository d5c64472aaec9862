import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { parseMoney } from '../../money.ts';
import type { WwSettings } from './settings.ts';
import { sameText } from '../../outside/secrets.ts';
import { type CodeStatus, statusOf } from '../codes.ts';
import type { Desk } from '../desk.ts';
import { paymentOf } from './payment.ts';

const MIN_SATANG = 10_000;
const MAX_SATANG = 50_000_000;

type Deps = { desk: Desk; server: Server; settings: WwSettings };
type Call = 'create' | 'inquire' | 'cancel';
type Asked = { reference: string; body: unknown };

const create = z.object({
  merchantReference: z.string().regex(/^[A-Za-z0-9-]{1,30}$/),
  amount: z.unknown(),
  currency: z.string(),
});

/** The refusals with HTTP status and message. */
const REFUSALS = {
  unauthorized: [401, 'The merchant id or the key is wrong'],
  bad_request: [400, 'The request can’t be read, or a field is missing or malformed'],
  amount_too_low: [422, 'The amount is below 100.00'],
  amount_too_high: [422, 'The amount is above 500,000.00'],
  currency_not_supported: [422, 'Only THB'],
  duplicate_reference: [409, 'This merchantReference is known already'],
  payment_not_found: [404, 'There is no such payment'],
  payment_successful: [409, 'The payment is successful already'],
  payment_expired: [409, 'The payment has expired'],
  payment_failed: [409, 'The payment has failed'],
  declined: [422, 'The payment can’t be created now'],
} as const;

const TOO_LATE: Partial<Record<CodeStatus, keyof typeof REFUSALS>> = {
  PAID: 'payment_successful',
  EXPIRED: 'payment_expired',
  FAILED: 'payment_failed',
};

/** WW's own protocol: create, inquire, cancel. */
export function wwRoutes(app: FastifyInstance, deps: Deps): void {
  const serve = (call: Call, request: FastifyRequest, act: (asked: Asked) => Answer | Promise<Answer>) => {
    const { body, params } = request as { body: unknown; params: { reference?: string } };
    const named = create.shape.merchantReference.safeParse(
      (body as Record<string, unknown> | null)?.['merchantReference'],
    );
    const reference = params.reference ?? named.data ?? '';
    return {
      target: 'ww',
      call,
      key: reference.slice(0, 40) || null,
      act: () => (isAllowed(request, deps.settings) ? act({ reference, body }) : refused('unauthorized')),
      decline: () => refused('declined'),
    };
  };
  const options = { errorHandler: unreadable(() => refused('bad_request')) };
  app.post('/ww/v1/payments', options, (request, reply) =>
    deps.server.serve(
      reply,
      serve('create', request, ({ body }) => createPayment(body, deps)),
    ),
  );
  app.get('/ww/v1/payments/:reference', options, (request, reply) =>
    deps.server.serve(
      reply,
      serve('inquire', request, ({ reference }) => inquire(reference, deps)),
    ),
  );
  app.post('/ww/v1/payments/:reference/cancel', options, (request, reply) =>
    deps.server.serve(
      reply,
      serve('cancel', request, ({ reference }) => cancel(reference, deps)),
    ),
  );
}

function refused(code: keyof typeof REFUSALS): Answer {
  const [status, message] = REFUSALS[code];
  return { status, body: { error: { code, message } } };
}

function isAllowed({ headers }: FastifyRequest, { merchantId, apiKey }: WwSettings): boolean {
  const expected = `Basic ${Buffer.from(`${merchantId}:${apiKey}`, 'utf8').toString('base64')}`;
  return sameText(headers.authorization ?? '', expected);
}

async function createPayment(body: unknown, { desk }: Deps): Promise<Answer> {
  const parsed = create.safeParse(body);
  if (!parsed.success) return refused('bad_request');
  const { merchantReference, currency } = parsed.data;
  const amount = parseMoney(parsed.data.amount);
  if (amount === undefined) return refused('bad_request');
  if (currency !== 'THB') return refused('currency_not_supported');
  if (amount < MIN_SATANG) return refused('amount_too_low');
  if (amount > MAX_SATANG) return refused('amount_too_high');
  const code = await desk.issue({ reference: merchantReference, amount });
  return code ? { status: 200, body: paymentOf(code) } : refused('duplicate_reference');
}

function inquire(reference: string, { desk }: Deps): Answer {
  const code = desk.codes.byReference(reference);
  return code ? { status: 200, body: paymentOf(code) } : refused('payment_not_found');
}

function cancel(reference: string, { desk }: Deps): Answer {
  const code = desk.codes.byReference(reference);
  if (!code) return refused('payment_not_found');
  const after = desk.codes.cancel(code);
  const tooLate = TOO_LATE[statusOf(after, Date.now())];
  return tooLate ? refused(tooLate) : { status: 200, body: paymentOf(after) };
}
