import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type Answer, type Server, unreadable } from '../../control/serve.ts';
import { readInput } from '../../input.ts';
import { parseMoney } from '../../money.ts';
import type { PayonexSettings } from './settings.ts';
import { Refusal } from '../../refusal.ts';
import { sameText, sha256 } from '../../outside/secrets.ts';
import type { Store } from '../../store.ts';
import type { Desk } from '../desk.ts';
import type { CollectingAccount } from './collecting-account.ts';
import { shownHeld, shownTransaction } from './transaction.ts';

const TOKEN_SECONDS = 86_400;
const MIN_SATANG = 10_000;
const MAX_SATANG = 10_000_000;
const BANKS = new Set(
  'BBL KBANK KTB TMB SCB CITI SCBT CIMB UOB BAY GSB HSBC GHB BAAC BOC ISBT TISCO KKP ICBC TCRB LHB SME'.split(' '),
);

type Deps = {
  desk: Desk;
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
const note = z.string().max(200).nullish();
const request = z.object({
  customerUuid: z.string(),
  amount: z.unknown(),
  referenceId: reference,
  note,
  remark: note,
});

const HTTP = {
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
export function payonexRoutes(app: FastifyInstance, deps: Deps): void {
  const { desk, server, collecting } = deps;
  const errorHandler = unreadable(() => refused('BAD_REQUEST', 'the body is no JSON'));
  const answer = (call: string, key: unknown, act: () => Answer | Promise<Answer>) => ({
    target: 'payonex',
    call,
    key: typeof key === 'string' ? key.slice(0, 40) : null,
    act,
    decline: () => refused('DECLINED', 'the transaction cannot be processed'),
  });
  const withToken = (asked: FastifyRequest, act: () => Answer | Promise<Answer>) => () =>
    isAlive(asked, deps.store) ? act() : refused('TOKEN_INVALID', 'no token, or a dead one');

  app.post('/payonex/authenticate', { errorHandler }, ({ body }, reply) =>
    server.serve(
      reply,
      answer('authenticate', null, () => authenticate(body, deps)),
    ),
  );
  app.post('/payonex/v2/customers', { errorHandler }, (asked, reply) => {
    const act = withToken(asked, () => register(asked.body, deps));
    return server.serve(reply, answer('customers', fieldOf(asked.body, 'accountNo'), act));
  });
  app.post('/payonex/transactions/deposit/request', { errorHandler }, (asked, reply) => {
    const act = withToken(asked, () => issue(asked.body, deps));
    return server.serve(reply, answer('request', fieldOf(asked.body, 'referenceId'), act));
  });
  app.get('/payonex/transactions/unmatched', (asked, reply) => {
    const act = withToken(asked, () => ({
      status: 200,
      body: { success: true, data: collecting.unmatched().map(shownHeld) },
    }));
    return server.serve(reply, answer('unmatched', null, act));
  });
  app.get<{ Params: { uuid: string } }>('/payonex/transactions/:uuid', (asked, reply) => {
    const { uuid } = asked.params;
    const act = withToken(asked, () => tell(desk.codes.byNumber(uuid), deps));
    return server.serve(reply, answer('transaction', uuid, act));
  });
  app.get('/payonex/transactions', (asked, reply) => {
    const referenceId = fieldOf(asked.query, 'referenceId');
    const act = withToken(asked, () =>
      typeof referenceId === 'string'
        ? tell(desk.codes.byReference(referenceId), deps)
        : refused('BAD_REQUEST', 'referenceId'),
    );
    return server.serve(reply, answer('transaction', referenceId, act));
  });

  app.post('/control/payonex/revoke-tokens', (_request, reply) => {
    deps.store.run('delete from payonex_token');
    return reply.code(204).send();
  });
  app.post('/control/payonex/release', ({ body }) => {
    const { referenceId } = readInput(z.object({ referenceId: reference }), body);
    const code = desk.codes.byReference(referenceId);
    const held = code && collecting.heldFor(code);
    if (!code || !held) throw new Refusal(404, 'unknown_qr', 'There is no such transaction on hold');
    const released = deps.store.atomically(() => collecting.release(desk.codes, code, held));
    desk.tell(released);
    return shownTransaction(released, deps);
  });
  app.post('/control/payonex/refund', ({ body }) => {
    const { referenceId } = readInput(z.object({ referenceId: reference }), body);
    const code = desk.codes.byReference(referenceId);
    if (!code) throw new Refusal(404, 'unknown_qr', 'There is no such transaction');
    return shownTransaction(desk.refund(code), deps);
  });
}

function authenticate(body: unknown, { settings, store }: Deps): Answer {
  const parsed = keys.safeParse(body);
  if (!parsed.success) return refused('BAD_REQUEST', 'accessKey and secretKey');
  const { accessKey, secretKey } = parsed.data;
  if (accessKey !== settings.accessKey || !sameText(secretKey, settings.secretKey)) {
    return refused('KEYS_INVALID', 'wrong keys');
  }
  const token = randomBytes(24).toString('base64url');
  const now = Date.now();
  store.run('delete from payonex_token where expires_at < ?', now);
  store.run('insert into payonex_token (hash, expires_at) values (?, ?)', sha256(token), now + TOKEN_SECONDS * 1000);
  return done({ token, expiresIn: TOKEN_SECONDS });
}

function isAlive({ headers }: FastifyRequest, store: Store): boolean {
  const token = /^Bearer (\S{1,200})$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const sql = 'select 1 as alive from payonex_token where hash = ? and expires_at > ?';
  return store.one(sql, sha256(token), Date.now()) !== undefined;
}

function register(body: unknown, { store }: Deps): Answer {
  const parsed = customer.safeParse(body);
  if (!parsed.success) return refused('BAD_REQUEST', parsed.error.issues[0]?.path.join('.') || 'body');
  const { name, bankCode, accountNo } = parsed.data;
  if (!BANKS.has(bankCode)) return refused('BANK_NOT_SUPPORTED', `no bank ${bankCode}`);
  store.run(
    `insert into payonex_customer (uuid, bank, number, name) values (?, ?, ?, ?)
     on conflict (bank, number) do update set name = excluded.name`,
    randomUUID(),
    bankCode,
    accountNo,
    name,
  );
  const sql = 'select uuid as customerUuid from payonex_customer where bank = ? and number = ?';
  return done({ ...store.one<{ customerUuid: string }>(sql, bankCode, accountNo), name, bankCode, accountNo });
}

async function issue(body: unknown, deps: Deps): Promise<Answer> {
  const { desk, store, collecting } = deps;
  const parsed = request.safeParse(body);
  if (!parsed.success) return refused('BAD_REQUEST', parsed.error.issues[0]?.path.join('.') || 'body');
  const { customerUuid, referenceId } = parsed.data;
  const asked = parseMoney(parsed.data.amount);
  if (asked === undefined) return refused('BAD_REQUEST', 'amount');
  if (asked < MIN_SATANG || asked > MAX_SATANG) return refused('AMOUNT_OUT_OF_RANGE', '100.00 to 100,000.00');
  if (!store.one('select 1 as known from payonex_customer where uuid = ?', customerUuid)) {
    return refused('CUSTOMER_NOT_FOUND', 'no such customer');
  }
  if (desk.codes.byReference(referenceId)) return refused('DUPLICATE_REFERENCE', 'this referenceId is known');
  const amount = collecting.freeAmount(asked);
  if (amount === undefined) return refused('NO_FREE_AMOUNT', 'too many wait for this amount');
  // Runs synchronously, before another order can take the amount; the gateway sends no callback before its data is
  // stored.
  const code = await desk.issue({
    reference: referenceId,
    amount,
    onIssued: ({ id }) =>
      store.run('insert into payonex_transaction (code_id, customer, asked) values (?, ?, ?)', id, customerUuid, asked),
  });
  return code ? tell(desk.codes.byReference(referenceId), deps) : refused('DUPLICATE_REFERENCE', 'referenceId');
}

function tell(code: Parameters<typeof shownTransaction>[0] | undefined, deps: Deps): Answer {
  return code ? done(shownTransaction(code, deps)) : refused('TRANSACTION_NOT_FOUND', 'no such transaction');
}

const done = (data: object): Answer => ({ status: 200, body: { success: true, data } });

function refused(code: keyof typeof HTTP, message: string): Answer {
  return { status: HTTP[code], body: { success: false, code, message } };
}

function fieldOf(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[name] : undefined;
}
