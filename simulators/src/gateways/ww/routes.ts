import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { parseMoney } from '../../money.ts';
import { sameText } from '../../outside/secrets.ts';
import { type CodeStatus, statusOf } from '../codes.ts';
import type { GatewayService } from '../gateway-service.ts';
import { paymentOf } from './payment.ts';
import type { WwSettings } from './settings.ts';

const MIN_SATANG = 10_000;
const MAX_SATANG = 50_000_000;

type WwDeps = { gatewayService: GatewayService; server: Server; settings: WwSettings };
type CallName = 'create' | 'inquire' | 'cancel';
type CallRequest = { reference: string; body: unknown };

const createInput = z.object({
  merchantReference: z.string().regex(/^[A-Za-z0-9-]{1,30}$/),
  amount: z.unknown(),
  currency: z.string(),
});

/** HTTP status and message of each refusal. */
const REFUSALS_BY_CODE = {
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

const TOO_LATE: Partial<Record<CodeStatus, keyof typeof REFUSALS_BY_CODE>> = {
  PAID: 'payment_successful',
  EXPIRED: 'payment_expired',
  FAILED: 'payment_failed',
};

/** WW's protocol: create, inquire, cancel. */
export function wwRoutes(app: FastifyInstance, deps: WwDeps): void {
  const serveCall = (
    call: CallName,
    request: FastifyRequest,
    handle: (callRequest: CallRequest) => Answer | Promise<Answer>,
  ) => {
    const { body, params } = request as { body: unknown; params: { reference?: string } };
    const parsedReference = createInput.shape.merchantReference.safeParse(
      (body as Record<string, unknown> | null)?.['merchantReference'],
    );
    const reference = params.reference ?? parsedReference.data ?? '';
    return {
      target: 'ww',
      call,
      key: reference.slice(0, 40) || null,
      handle: () => (isAllowed(request, deps.settings) ? handle({ reference, body }) : refusedReply('unauthorized')),
      decline: () => refusedReply('declined'),
    };
  };
  const options = { errorHandler: unreadable(() => refusedReply('bad_request')) };
  app.post('/ww/v1/payments', options, (request, reply) =>
    deps.server.serve(
      reply,
      serveCall('create', request, ({ body }) => createPayment(body, deps)),
    ),
  );
  app.get('/ww/v1/payments/:reference', options, (request, reply) =>
    deps.server.serve(
      reply,
      serveCall('inquire', request, ({ reference }) => inquire(reference, deps)),
    ),
  );
  app.post('/ww/v1/payments/:reference/cancel', options, (request, reply) =>
    deps.server.serve(
      reply,
      serveCall('cancel', request, ({ reference }) => cancel(reference, deps)),
    ),
  );
}

function refusedReply(code: keyof typeof REFUSALS_BY_CODE): Answer {
  const [status, message] = REFUSALS_BY_CODE[code];
  return { status, body: { error: { code, message } } };
}

function isAllowed({ headers }: FastifyRequest, { merchantId, apiKey }: WwSettings): boolean {
  const expectedHeader = `Basic ${Buffer.from(`${merchantId}:${apiKey}`, 'utf8').toString('base64')}`;
  return sameText(headers.authorization ?? '', expectedHeader);
}

async function createPayment(body: unknown, { gatewayService }: WwDeps): Promise<Answer> {
  const parsedInput = createInput.safeParse(body);
  if (!parsedInput.success) return refusedReply('bad_request');
  const { merchantReference, currency } = parsedInput.data;
  const amount = parseMoney(parsedInput.data.amount);
  if (amount === undefined) return refusedReply('bad_request');
  if (currency !== 'THB') return refusedReply('currency_not_supported');
  if (amount < MIN_SATANG) return refusedReply('amount_too_low');
  if (amount > MAX_SATANG) return refusedReply('amount_too_high');
  const code = await gatewayService.issue({ reference: merchantReference, amount });
  return code ? { status: 200, body: paymentOf(code) } : refusedReply('duplicate_reference');
}

function inquire(reference: string, { gatewayService }: WwDeps): Answer {
  const code = gatewayService.codes.byReference(reference);
  return code ? { status: 200, body: paymentOf(code) } : refusedReply('payment_not_found');
}

function cancel(reference: string, { gatewayService }: WwDeps): Answer {
  const code = gatewayService.codes.byReference(reference);
  if (!code) return refusedReply('payment_not_found');
  const cancelledCode = gatewayService.codes.cancel(code);
  const tooLate = TOO_LATE[statusOf(cancelledCode, Date.now())];
  return tooLate ? refusedReply(tooLate) : { status: 200, body: paymentOf(cancelledCode) };
}
