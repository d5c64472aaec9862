import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { errorStatus, isErrorCode } from '@krapao/contract/errors';
import { startSystem, type System } from '../../harness/system.ts';

type Access = (typeof endpoints)[keyof typeof endpoints]['access'];
/** All calls of one access; a loop over none of them would show nothing. */
function callsFor(access: Access) {
  const calls = Object.entries(endpoints).filter(([, endpoint]) => endpoint.access === access);
  assert.ok(calls.length > 0, access);
  return calls;
}
/** All public calls that take a body. */
function publicBodies() {
  const calls = callsFor('public').flatMap(([name, endpoint]) =>
    'body' in endpoint ? [{ name, fields: Object.keys(endpoint.body.shape) }] : [],
  );
  assert.ok(calls.length > 0);
  return calls;
}

const STACK = /\bat .*\(?(?:\/|file:|node:)|node_modules|\.ts:\d+/;

let system: System;

before(async () => {
  system = await startSystem({ simulators: false });
});
after(() => system.stop());

/** A failed call in the one form that failures have, and with nothing of the inside in it. */
function assertFailure(reply: { status: number; body: unknown; headers: Headers }, status: number, what: string): void {
  const body = reply.body as { message: string };
  assert.equal(reply.status, status, `${what}: ${JSON.stringify(body)}`);
  assert.ok(isErrorCode(body.message), `${what}: ${body.message}`);
  assert.ok(Object.keys(body).every((key) => ['message', 'detail', 'requestId'].includes(key)));
  assert.doesNotMatch(JSON.stringify(body), STACK, what);
  assert.equal(reply.headers.get('cache-control'), 'no-store', what);
}

describe('calls that are not as declared', () => {
  test('malformed JSON is 400 with the code of the call [R-NET-05]', async () => {
    for (const body of ['{', '{"username":', 'null garbage', '{"a":1}}', '\u0000', '"']) {
      assertFailure(
        await system.api('POST /api/login', { body, headers: { 'content-type': 'application/json' } }),
        400,
        body,
      );
    }
  });

  test('wrong types are refused by every public call that takes a body [R-NET-05]', async () => {
    for (const { name, fields } of publicBodies()) {
      for (const value of [[], {}, 12.5, true, null]) {
        const body = Object.fromEntries(fields.map((field) => [field, value]));
        assertFailure(await system.api(name, { body }), 400, `${name} ${JSON.stringify(value)}`);
      }
      for (const body of ['[]', '"text"', '7', 'null'])
        assertFailure(await system.api(name, { body }), 400, `${name} ${body}`);
    }
  });

  test('missing fields and over-long ones are refused by every public call [R-NET-05]', async () => {
    for (const { name, fields } of publicBodies()) {
      const missing = await system.api(name, { body: {} });
      assert.ok(missing.status >= 400 && missing.status < 500, `${name}: ${missing.status}`);
      assert.ok(isErrorCode(missing.body.message), `${name}: ${missing.body.message}`);
      const long = Object.fromEntries(fields.map((field) => [field, 'x'.repeat(5_000)]));
      assertFailure(await system.api(name, { body: long }), 400, `${name} over-long`);
    }
  });

  test('a body past 64 kB is 413, with and without Content-Length [R-NET-05]', async () => {
    const body = JSON.stringify({ username: 'x'.repeat(70_000) });
    assertFailure(await system.api('POST /api/login', { body }), 413, 'told');
    const chunked = await fetch(`${system.url}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    });
    assertFailure({ status: chunked.status, headers: chunked.headers, body: await chunked.json() }, 413, 'not told');
  });

  test('other content types are 415 [R-NET-05]', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
    ]) {
      assertFailure(await system.api('POST /api/login', { body: '{}', headers: { 'content-type': type } }), 415, type);
    }
  });

  test('a prototype in the body is refused and touches nothing [R-NET-05]', async () => {
    for (const body of ['{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"isAdmin":true}}}']) {
      assertFailure(await system.api('POST /api/login', { body }), 400, body);
    }
    assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
  });

  test('deep nesting is refused and does not hurt [R-NET-05]', async () => {
    const deep = `{"username":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    assertFailure(await system.api('POST /api/login', { body: deep }), 400, 'deep');
    assert.equal((await system.api('GET /health/live')).status, 200);
  });
});

describe('undeclared calls', () => {
  test('unknown paths are 404, known paths with another method 405 [R-NET-05]', async () => {
    for (const [path, status] of [
      ['/api/nothing', 404],
      ['/api/', 404],
      ['/api/login/more', 404],
      ['/api/lookup/%E0%A4%A', 400],
      [`/api/qrcode/${'x'.repeat(3_000)}`, 414],
    ] as const) {
      assertFailure(await system.api(`GET ${path}`), status, path);
    }
    const reply = await system.api('DELETE /api/login');
    assertFailure(reply, 405, 'DELETE /api/login');
    assert.equal(reply.headers.get('allow'), 'POST');
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const path = endpoint.path.replaceAll(/\{\w+\}/g, 'x');
      assertFailure(await system.api(`PATCH ${path}`), 405, name);
    }
  });

  test('HEAD does not run a GET that changes something', async () => {
    const changing = Object.values(endpoints).filter((endpoint) => 'changesState' in endpoint);
    assert.ok(changing.length > 0);
    for (const endpoint of changing) {
      const reply = await fetch(system.url + endpoint.path.replaceAll(/\{\w+\}/g, 'x'), { method: 'HEAD' });
      assert.equal(reply.status, 405, endpoint.path);
    }
  });

  test('every member call refuses a stranger with UNAUTHORIZED before it reads what they sent', async () => {
    for (const [name, endpoint] of callsFor('member')) {
      const path = endpoint.path.replaceAll(/\{\w+\}/g, 'x');
      const body = endpoint.method === 'GET' ? {} : { body: '{' };
      const reply = await system.api(`${endpoint.method} ${path}`, body);
      if ('tellsResult' in endpoint) {
        // Its failures say in the shape of its results too that there is none.
        const { success, error, result, ...failure } = reply.body;
        assert.deepEqual({ success, error, result }, { success: false, error: 'UNAUTHORIZED', result: null }, name);
        reply.body = failure;
      }
      assertFailure(reply, errorStatus.UNAUTHORIZED, name);
      assert.equal(reply.body.message, 'UNAUTHORIZED', name);
    }
  });

  test('every customer call that needs an Authorization header refuses a stranger before it reads what they sent', async () => {
    const calls = callsFor('customer').filter(([, endpoint]) => !('acceptsAnonymous' in endpoint));
    assert.ok(calls.length > 0);
    for (const [name] of calls) {
      const reply = await system.api(name, { body: '{' });
      assertFailure(reply, errorStatus.KEY_MISSING, name);
      assert.equal(reply.body.message, 'KEY_MISSING', name);
    }
  });

  test('what is no HTTP at all gets an answer in the same form [R-NET-05]', async () => {
    const socket = connect(Number(new URL(system.url).port), '127.0.0.1');
    socket.setEncoding('utf8').write('GET /api/lookup/info HTTP/9.9\r\nBroken\r\n\r\n');
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk));
    await once(socket, 'close');
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.match(text, /\{"message":"NO_DATA","detail":"MALFORMED_REQUEST"\}$/);
  });

  test('a flood from one address is refused with Retry-After, others are served', async () => {
    const guarded = await startSystem({ simulators: false, requestsPerMinute: 20 });
    const from = (address: string) => guarded.api('GET /api/lookup/info', { headers: { 'x-forwarded-for': address } });
    for (let hit = 0; hit < 20; hit += 1) assert.equal((await from('203.0.113.1')).status, 200);
    const refused = await from('203.0.113.1');
    assertFailure(refused, 429, 'flood');
    assert.equal(refused.body.message, 'REQUEST_LIMIT');
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await from('203.0.113.2')).status, 200);
    assert.equal((await guarded.api('GET /health/live')).status, 200);
    await guarded.stop();
  });
});
