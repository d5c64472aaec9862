import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Accounts } from '../bank/accounts.ts';
import type { Faults } from '../control/faults.ts';
import type { Answer, Server } from '../control/serve.ts';
import { readInput } from '../input.ts';
import type { Outside } from '../outside/outside-file.ts';
import { Refusal } from '../refusal.ts';
import { isoCurrency } from './currency.ts';
import { cursorText, type Lines } from './feed-lines.ts';
import { bankDown, lookUpSlip } from './look-up.ts';
import type { Payouts } from './payouts.ts';
import { mustBeSigned } from './signature.ts';

type BankApiDeps = {
  server: Server;
  outside: Outside;
  accounts: Accounts;
  faults: Faults;
  lines: Lines;
  payouts: Payouts;
};
type AccountRoute = { Params: { bank: string; number: string }; Querystring: Record<string, string> };
type PayoutRoute = { Params: { reference: string } };

const page = z.object({
  after: z.string().max(32).default(''),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});
const lookUp = z.object({ sendingBank: z.string().max(10), transRef: z.string().max(64) });

/** The bank's API for the operator. Signatures of calls cover the exact bytes of the body. */
export function bankApiRoutes(app: FastifyInstance, deps: BankApiDeps): void {
  app.register((scope, _options, done) => {
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, parsed) =>
      parsed(null, text),
    );
    scope.get<AccountRoute>('/bank-api/feed/:bank/:number', (request, reply) =>
      serveCall('feed', `${request.params.bank} ${request.params.number}`, request, () =>
        okReply(readFeed(request, deps)),
      )(reply),
    );
    scope.post('/bank-api/slip-lookup', (request, reply) =>
      serveCall('slip-lookup', keyOf(request, 'transRef'), request, () =>
        okReply(
          lookUpSlip(
            parseOrRefuse(() => readInput(lookUp, bodyOf(request))),
            deps,
          ),
        ),
      )(reply),
    );
    scope.post('/bank-api/payouts', (request, reply) =>
      serveCall('payouts', keyOf(request, 'reference'), request, () => ({
        status: 202,
        body: deps.payouts.accept(bodyOf(request)),
      }))(reply),
    );
    scope.get<PayoutRoute>('/bank-api/payouts/:reference', (request, reply) =>
      serveCall('payout-status', request.params.reference, request, () =>
        okReply(deps.payouts.status(request.params.reference)),
      )(reply),
    );
    done();
  });

  function serveCall(
    call: keyof typeof DECLINED_BODIES,
    key: string | null,
    request: FastifyRequest,
    handle: () => Answer,
  ) {
    return (reply: Parameters<Server['serve']>[0]) =>
      deps.server.serve(reply, {
        target: 'bank',
        call,
        key,
        handle: () => {
          mustBeSigned(request, deps.outside);
          return handle();
        },
        decline: DECLINED_BODIES[call],
      });
  }
}

const declinedReply = (status: number): Answer => ({
  status,
  body: { error: 'declined', message: 'The bank refused this call' },
});
const DECLINED_BODIES = {
  feed: () => declinedReply(403),
  'slip-lookup': () => okReply(bankDown()),
  payouts: () => declinedReply(422),
  'payout-status': () => declinedReply(403),
};

function okReply(body: object): Answer {
  return { status: 200, body };
}

function readFeed(request: FastifyRequest<AccountRoute>, { accounts, lines }: BankApiDeps): object {
  const account = accounts.find(request.params.bank, request.params.number);
  if (account?.owner !== 'operator') throw new Refusal(404, 'unknown_account', 'This is no account of yours');
  const { after, limit } = parseOrRefuse(() => readInput(page, request.query));
  const cursor = after === '' ? 0 : /^\d{16}$/.test(after) ? Number(after) : Number.NaN;
  if (Number.isNaN(cursor) || !lines.isKnown(cursor)) throw new Refusal(400, 'bad_cursor', 'This cursor is not ours');
  const feedPage = lines.after(account, cursor, limit);
  const { bankCode, accountNo, currency } = account;
  return {
    account: { bankCode, accountNo, currency: isoCurrency(currency) },
    lines: feedPage.lines,
    nextCursor: feedPage.lines.at(-1)?.cursor ?? (after === '' ? '' : cursorText(cursor)),
    more: feedPage.more,
  };
}

function bodyOf(request: FastifyRequest): unknown {
  try {
    return JSON.parse(typeof request.body === 'string' ? request.body : '');
  } catch {
    throw new Refusal(400, 'bad_request', 'The body is not JSON');
  }
}

/** Subject of a call for the call log, as far as it is known before validation. */
function keyOf(request: FastifyRequest, name: string): string | null {
  try {
    const value = (JSON.parse(String(request.body)) as Record<string, unknown> | null)?.[name];
    return typeof value === 'string' ? value.slice(0, 64) : null;
  } catch {
    return null;
  }
}

/** Parses input, or throws the bank's error code for malformed input. */
function parseOrRefuse<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(error.status, 'bad_request', error.message) : error;
  }
}
