import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lookupInfo } from '@krapao/contract/endpoints/lookup';
import { LedgerBusy, LedgerUnavailable } from '../../../src/ledger/errors.ts';
import { route } from '../../../src/platform/http/route.ts';
import { createHttpServer } from '../../../src/platform/http/server.ts';

type HttpServer = Awaited<ReturnType<typeof createHttpServer>>;

let app: HttpServer;
let address: string;
let thrownError: Error;

before(async () => {
  app = await createHttpServer({ logLevel: 'silent', trustedProxies: 'loopback', requestsPerMinute: 1_000 });
  route(app, lookupInfo, async () => {
    throw thrownError;
  });
  address = await app.listen({ port: 0, host: '127.0.0.1' });
});
after(() => app.close());

test('a ledger that is full or without its database answers 503 and when to come back, and is no defect', async () => {
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
