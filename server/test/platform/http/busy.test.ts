import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getSiteInfo } from '@krapao/contract/endpoints/operator-data';
import { getWallet } from '@krapao/contract/endpoints/wallet';
import { LedgerBusy, LedgerUnavailable } from '../../../src/ledger/errors.ts';
import { route } from '../../../src/platform/http/route.ts';
import { createHttpServer } from '../../../src/platform/http/server.ts';

type HttpServer = Awaited<ReturnType<typeof createHttpServer>>;

let app: HttpServer;
let address: string;
let thrownError: Error;

before(async () => {
  app = await createHttpServer({ logLevel: 'silent', trustedProxies: 'loopback', requestsPerMinute: 1_000 });
  route(app, getSiteInfo, async () => {
    throw thrownError;
  });
  address = await app.listen({ port: 0, host: '127.0.0.1' });
});
after(() => app.close());

test('a ledger with a full queue or without its database gives 503 with Retry-After, not an internal error', async () => {
  for (const [thrown, seconds] of [
    [new LedgerBusy('full'), '1'],
    [new LedgerUnavailable('away'), '5'],
  ] as const) {
    thrownError = thrown;
    const reply = await fetch(`${address}/api/lookup/info`);
    assert.equal(reply.status, 503);
    assert.equal(reply.headers.get('retry-after'), seconds);
    assert.deepEqual(await reply.json(), { message: 'REQUEST_LIMIT', detail: 'BUSY' });
  }
});

test('calls whose session cannot be read count for their network, and for their member once it can', async () => {
  const guarded = await createHttpServer({ logLevel: 'silent', trustedProxies: 'loopback', requestsPerMinute: 3 });
  guarded.isIssuedToken = () => true;
  route(guarded, getSiteInfo, async () => {
    throw new LedgerUnavailable('away');
  });
  route(guarded, getWallet, async () => {
    throw new LedgerUnavailable('away');
  });
  try {
    const url = await guarded.listen({ port: 0, host: '127.0.0.1' });
    const statusOf = async (path: string, token: string): Promise<number> =>
      (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
    guarded.authenticate = () => Promise.reject(new LedgerUnavailable('away'));
    const during: number[] = [];
    for (const path of ['/api/wallet', '/api/lookup/info', '/api/wallet', '/api/wallet', '/api/lookup/info']) {
      during.push(await statusOf(path, 'first'));
    }
    assert.deepEqual(during, [503, 503, 503, 429, 429]);
    guarded.authenticate = async () => ({ id: 'member' }) as never;
    assert.deepEqual([await statusOf('/api/lookup/info', 'first'), await statusOf('/api/wallet', 'first')], [503, 503]);
  } finally {
    await guarded.close();
  }
});
