import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Faults } from '../control/faults.ts';
import type { Answer, Server } from '../control/serve.ts';
import { readInput } from '../input.ts';
import type { Outside } from '../outside/outside-file.ts';
import { sameText } from '../outside/secrets.ts';
import { Refusal } from '../refusal.ts';
import { type Gifts, withoutData } from './gifts.ts';
import type { Wallets } from './wallets.ts';

type WalletApiDeps = { server: Server; faults: Faults; outside: Outside; wallets: Wallets; gifts: Gifts };
type VoucherRoute = { Params: { hash: string }; Querystring: { mobile?: string } };

const BOT_SHIELD_PAGE =
  '<!DOCTYPE html><html><head><title>Attention Required!</title></head><body><h1>Sorry, you have been blocked</h1></body></html>';
const page = z.object({
  after: z
    .string()
    .regex(/^(\d{16})?$/)
    .default(''),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});

/** The wallet app's API for the operator: the history, and the gift service, which needs no authentication. */
export function walletApiRoutes(app: FastifyInstance, deps: WalletApiDeps): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, parsed) => parsed(null, text));

    scope.get('/wallet-app-api/transactions', (request, reply) =>
      deps.server.serve(reply, {
        target: 'wallet-app',
        call: 'transactions',
        key: null,
        handle: () => ({ status: 200, body: readHistory(request, deps) }),
        decline: () => ({ status: 403, body: { error: 'declined', message: 'The app refused this call' } }),
      }),
    );
    scope.get<VoucherRoute>('/wallet-app-api/campaign/vouchers/:hash/verify', (request, reply) => {
      const { hash } = request.params;
      return serveGift('verify', () => deps.gifts.verify(hash, String(request.query.mobile ?? '')))(reply);
    });
    scope.post<VoucherRoute>('/wallet-app-api/campaign/vouchers/:hash/redeem', (request, reply) => {
      const { hash } = request.params;
      const mobile = mobileOf(request, hash);
      return serveGift('redeem', () =>
        mobile === undefined ? withoutData('INTERNAL_ERROR') : deps.gifts.redeem(hash, mobile),
      )(reply);
    });
    done();
  });

  // Answers a gift call. A link is as good as cash, so the call log omits the hash.
  function serveGift(call: 'verify' | 'redeem', handle: () => Answer) {
    return (reply: Parameters<Server['serve']>[0]) =>
      deps.server.serve(reply, {
        target: 'wallet-app',
        call,
        key: null,
        handle: () => {
          if (deps.faults.takeForEvent('wallet-app', 'blocked', call)) return { status: 403, body: BOT_SHIELD_PAGE };
          const failureFault = deps.faults.takeForEvent('wallet-app', 'internal-error', call);
          if (!failureFault) return handle();
          if (failureFault.applied === true) handle();
          return withoutData('INTERNAL_ERROR');
        },
        decline: () => withoutData('VOUCHER_OUT_OF_STOCK'),
      });
  }
}

function readHistory(request: FastifyRequest, { outside, wallets }: WalletApiDeps): object {
  if (!sameText(request.headers.authorization ?? '', `Bearer ${outside.walletApp.apiKey}`)) {
    throw new Refusal(401, 'unauthorized', 'The key is missing or wrong');
  }
  const { after, limit } = readPage(request.query);
  if (!wallets.isKnown(Number(after))) throw new Refusal(400, 'bad_cursor', 'This cursor is not ours');
  const { transactions, more } = wallets.history(Number(after), limit);
  return { transactions, nextCursor: transactions.at(-1)?.cursor ?? after, more };
}

function readPage(query: unknown): z.output<typeof page> {
  try {
    return readInput(page, query);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(400, error.message.startsWith('after') ? 'bad_cursor' : 'bad_request', error.message);
  }
}

function mobileOf(request: FastifyRequest, hash: string): string | undefined {
  try {
    const body = JSON.parse(String(request.body)) as { mobile?: unknown; voucher_hash?: unknown } | null;
    return body?.voucher_hash === hash && typeof body.mobile === 'string' ? body.mobile : undefined;
  } catch {
    return undefined;
  }
}
