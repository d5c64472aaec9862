import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { assertRefused } from '../../harness/assert-refused.ts';
import { registerMember } from '../../harness/members.ts';
import { startSystem, type System } from '../../harness/system.ts';

describe('calls caused by opening a page', () => {
  let system: System;
  let webDirectory: string;
  before(async () => {
    webDirectory = mkdtempSync(join(tmpdir(), 'krapao-web-'));
    mkdirSync(join(webDirectory, 'assets'));
    writeFileSync(join(webDirectory, 'index.html'), '<!doctype html><title>Krapao</title>');
    system = await startSystem({ webDirectory });
  });
  after(async () => {
    await system.stop();
    rmSync(webDirectory, { recursive: true });
  });

  /** Like a navigating browser: only a raw connection sends these headers unchanged. */
  async function sendNavigation(path: string, headers: Record<string, string>): Promise<string> {
    const socket = connect(Number(new URL(system.url).port), '127.0.0.1').setEncoding('utf8');
    const requestLines = Object.entries({ host: 'x', connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(`GET ${path} HTTP/1.1\r\n${requestLines.join('\r\n')}\r\n\r\n`);
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk));
    await once(socket, 'close');
    return text;
  }

  test('opening a page changes nothing, even with token and X-Requested-With header', async () => {
    const { token } = await registerMember(system);
    const path = '/api/wallet/refresh/slot';
    for (const fetchMode of ['navigate', 'no-cors']) {
      const headers = {
        authorization: `Bearer ${token}`,
        'x-requested-with': 'XMLHttpRequest',
        'sec-fetch-mode': fetchMode,
      };
      assert.match(
        await sendNavigation(path, headers),
        /^HTTP\/1\.1 403 [^]*"KEY_INVALID","detail":"NAVIGATION"/,
        fetchMode,
      );
    }
    const callWithHeaders = (headers: Record<string, string>) => system.api(`GET ${path}`, { token, headers });
    assertRefused(await callWithHeaders({ 'sec-purpose': 'prefetch;prerender' }), 'KEY_INVALID', 'PREFETCH');
    assertRefused(await callWithHeaders({ 'sec-fetch-site': 'cross-site' }), 'KEY_INVALID', 'CROSS_SITE');
    assert.equal((await callWithHeaders({})).status, 200);
  });

  test('an impossible path is 404 with every method', async () => {
    const longPaths = [`/api/wallet/activate/${'x'.repeat(300)}`, `/api/${'x'.repeat(14_000)}`, '/api//wallet'];
    for (const path of longPaths) {
      const reply = await system.api(`GET ${path}`);
      assertRefused(reply, 'NO_DATA', 'UNKNOWN_PATH');
      assert.equal(reply.headers.get('allow'), null);
    }
  });

  test('a page is served uncompressed to clients without compression, such as health checks and link previews', async () => {
    for (const path of ['/', '/?inv=1', '/user/', '/assets/']) {
      for (const headers of [{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'gzip, br' }])
        assert.match(await sendNavigation(path, headers), /^HTTP\/1\.1 200 [^]*text\/html[^]*<title>Krapao</, path);
    }
    assert.match(await sendNavigation('/.env', {}), /^HTTP\/1\.1 404 [^]*"NO_DATA"/);
    assert.match(await sendNavigation('/assets/none.js', {}), /^HTTP\/1\.1 404 [^]*"NO_DATA"/);
  });
});
