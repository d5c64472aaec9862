import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { readInput } from '../../input.ts';
import { parseMoney } from '../../money.ts';
import { sameText, sha256 } from '../../outside/secrets.ts';
import { Refusal } from '../../refusal.ts';
import type { Store } from '../../store.ts';
import type { GatewayService } from '../gateway-service.ts';
import type { CollectingAccount } from './collecting-account.ts';
import type { PayonexSettings } from './settings.ts';
import { heldPaymentView, transactionView } from './transaction.ts';

const TOKEN_SECONDS = 86_400;
const MIN_SATANG = 10_000;
const MAX_SATANG = 10_000_000;
const BANK_WORDS = new Set(
  'BBL KBANK KTB TMB SCB CITI SCBT CIMB UOB BAY GSB HSBC GHB BAAC BOC ISBT TISCO KKP ICBC TCRB LHB SME'.split(' '),
);

type PayonexDeps = {
  gatewayService: GatewayService;
  server: Server;
  settings: PayonexSettings;
  store: Store;
  collecting: CollectingAccount;
};

const keys = z.object({ accessKey: z.string(), secretKey: z.string() });
const customer = z.object({
  name: z.string().trim().min(1).max(100),
  bankCode: z.string().regex(/^[A-Z0-9]{2,10}$/),
  accountNo: z.string().regex(/^\d{6,20}$/),
});
const reference = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/);
const noteField = z.string().max(200).nullish();
const request = z.object({
  customerUuid: z.string(),
  amount: z.unknown(),
  referenceId: reference,
  note: noteField,
  remark: noteField,
});

const HTTP_STATUS = {
  KEYS_INVALID: 401,
  TOKEN_INVALID: 401,
  BAD_REQUEST: 400,
  BANK_NOT_SUPPORTED: 422,
  CUSTOMER_NOT_FOUND: 404,
  DUPLICATE_REFERENCE: 409,
  AMOUNT_OUT_OF_RANGE: 422,
  NO_FREE_AMOUNT: 422,
  TRANSACTION_NOT_FOUND: 404,
  DECLINED: 422,
} as const;

/** The gateway's protocol: tokens, customers, transactions. */
export function payonexRoutes(app: FastifyInstance, deps: PayonexDeps): void {
  const { gatewayService, server, collecting } = deps;
  const errorHandler = unreadable(() => refusedReply('BAD_REQUEST', 'the body is no JSON'));
  const servedCall = (call: string, key: unknown, handle: () => Answer | Promise<Answer>) => ({
    target: 'payonex',
    call,
    key: typeof key === 'string' ? key.slice(0, 40) : null,
    handle,
    decline: () => refusedReply('DECLINED', 'the transaction cannot be processed'),
  });
  const withToken = (request: FastifyRequest, handle: () => Answer | Promise<Answer>) => () =>
    isAlive(request, deps.store) ? handle() : refusedReply('TOKEN_INVALID', 'no token, or a dead one');

  app.post('/payonex/authenticate', { errorHandler }, ({ body }, reply) =>
    server.serve(
      reply,
      servedCall('authenticate', null, () => authenticate(body, deps)),
    ),
  );
  app.post('/payonex/v2/customers', { errorHandler }, (request, reply) => {
    const handle = withToken(request, () => register(request.body, deps));
    return server.serve(reply, servedCall('customers', fieldOf(request.body, 'accountNo'), handle));
  });
  app.post('/payonex/transactions/deposit/request', { errorHandler }, (request, reply) => {
    const handle = withToken(request, () => issue(request.body, deps));
    return server.serve(reply, servedCall('request', fieldOf(request.body, 'referenceId'), handle));
  });
  app.get('/payonex/transactions/unmatched', (request, reply) => {
    const handle = withToken(request, () => ({
      status: 200,
      body: { success: true, data: collecting.unmatched().map(heldPaymentView) },
    }));
    return server.serve(reply, servedCall('unmatched', null, handle));
  });
  app.get<{ Params: { uuid: string } }>('/payonex/transactions/:uuid', (request, reply) => {
    const { uuid } = request.params;
    const handle = withToken(request, () => transactionReply(gatewayService.codes.byNumber(uuid), deps));
    return server.serve(reply, servedCall('transaction', uuid, handle));
  });
  app.get('/payonex/transactions', (request, reply) => {
    const referenceId = fieldOf(request.query, 'referenceId');
    const handle = withToken(request, () =>
      typeof referenceId === 'string'
        ? transactionReply(gatewayService.codes.byReference(referenceId), deps)
        : refusedReply('BAD_REQUEST', 'referenceId'),
    );
    return server.serve(reply, servedCall('transaction', referenceId, handle));
  });

  app.post('/control/payonex/revoke-tokens', (_request, reply) => {
    deps.store.run('delete from payonex_token');
    return reply.code(204).send();
  });
  app.post('/control/payonex/release', ({ body }) => {
    const { referenceId } = readInput(z.object({ referenceId: reference }), body);
    const code = gatewayService.codes.byReference(referenceId);
    const heldPayment = code && collecting.heldFor(code);
    if (!code || !heldPayment) throw new Refusal(404, 'unknown_qr', 'There is no such transaction on hold');
    const releasedCode = deps.store.atomically(() => collecting.release(gatewayService.codes, code, heldPayment));
    gatewayService.notify(releasedCode);
    return transactionView(releasedCode, deps);
  });
  app.post('/control/payonex/refund', ({ body }) => {
    const { referenceId } = readInput(z.object({ referenceId: reference }), body);
    const code = gatewayService.codes.byReference(referenceId);
    if (!code) throw new Refusal(404, 'unknown_qr', 'There is no such transaction');
    return transactionView(gatewayService.refund(code), deps);
  });
}

function authenticate(body: unknown, { settings, store }: PayonexDeps): Answer {
  const parsedKeys = keys.safeParse(body);
  if (!parsedKeys.success) return refusedReply('BAD_REQUEST', 'accessKey and secretKey');
  const { accessKey, secretKey } = parsedKeys.data;
  if (accessKey !== settings.accessKey || !sameText(secretKey, settings.secretKey)) {
    return refusedReply('KEYS_INVALID', 'wrong keys');
  }
  const token = randomBytes(24).toString('base64url');
  const now = Date.now();
  store.run('delete from payonex_token where expires_at < ?', now);
  store.run('insert into payonex_token (hash, expires_at) values (?, ?)', sha256(token), now + TOKEN_SECONDS * 1000);
  return doneReply({ token, expiresIn: TOKEN_SECONDS });
}

function isAlive({ headers }: FastifyRequest, store: Store): boolean {
  const token = /^Bearer (\S{1,200})$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const sql = 'select 1 as alive from payonex_token where hash = ? and expires_at > ?';
  return store.one(sql, sha256(token), Date.now()) !== undefined;
}

function register(body: unknown, { store }: PayonexDeps): Answer {
  const parsedCustomer = customer.safeParse(body);
  if (!parsedCustomer.success)
    return refusedReply('BAD_REQUEST', parsedCustomer.error.issues[0]?.path.join('.') || 'body');
  const { name, bankCode, accountNo } = parsedCustomer.data;
  if (!BANK_WORDS.has(bankCode)) return refusedReply('BANK_NOT_SUPPORTED', `no bank ${bankCode}`);
  store.run(
    `insert into payonex_customer (uuid, bank, number, name) values (?, ?, ?, ?)
     on conflict (bank, number) do update set name = excluded.name`,
    randomUUID(),
    bankCode,
    accountNo,
    name,
  );
  const sql = 'select uuid as customerUuid from payonex_customer where bank = ? and number = ?';
  return doneReply({ ...store.one<{ customerUuid: string }>(sql, bankCode, accountNo), name, bankCode, accountNo });
}

async function issue(body: unknown, deps: PayonexDeps): Promise<Answer> {
  const { gatewayService, store, collecting } = deps;
  const parsedRequest = request.safeParse(body);
  if (!parsedRequest.success)
    return refusedReply('BAD_REQUEST', parsedRequest.error.issues[0]?.path.join('.') || 'body');
  const { customerUuid, referenceId } = parsedRequest.data;
  const requestedAmount = parseMoney(parsedRequest.data.amount);
  if (requestedAmount === undefined) return refusedReply('BAD_REQUEST', 'amount');
  if (requestedAmount < MIN_SATANG || requestedAmount > MAX_SATANG)
    return refusedReply('AMOUNT_OUT_OF_RANGE', '100.00 to 100,000.00');
  if (!store.one('select 1 as known from payonex_customer where uuid = ?', customerUuid)) {
    return refusedReply('CUSTOMER_NOT_FOUND', 'no such customer');
  }
  if (gatewayService.codes.byReference(referenceId))
    return refusedReply('DUPLICATE_REFERENCE', 'this referenceId is known');
  const amount = collecting.freeAmount(requestedAmount);
  if (amount === undefined) return refusedReply('NO_FREE_AMOUNT', 'too many wait for this amount');
  // Runs synchronously, before another order can take the amount. Callbacks need the stored order.
  const code = await gatewayService.issue({
    reference: referenceId,
    amount,
    onIssued: ({ id }) =>
      store.run(
        'insert into payonex_transaction (code_id, customer, asked) values (?, ?, ?)',
        id,
        customerUuid,
        requestedAmount,
      ),
  });
  return code
    ? transactionReply(gatewayService.codes.byReference(referenceId), deps)
    : refusedReply('DUPLICATE_REFERENCE', 'referenceId');
}

function transactionReply(code: Parameters<typeof transactionView>[0] | undefined, deps: PayonexDeps): Answer {
  return code ? doneReply(transactionView(code, deps)) : refusedReply('TRANSACTION_NOT_FOUND', 'no such transaction');
}

const doneReply = (data: object): Answer => ({ status: 200, body: { success: true, data } });

function refusedReply(code: keyof typeof HTTP_STATUS, message: string): Answer {
  return { status: HTTP_STATUS[code], body: { success: false, code, message } };
}

function fieldOf(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined;
}
