import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { errorStatus, isErrorCode } from '@krapao/contract/errors';
import { startSystem, type System } from '../../harness/system.ts';

type AccessLevel = (typeof endpoints)[keyof typeof endpoints]['access'];
/** All calls of one access level; never an empty list. */
function callsWithAccess(accessLevel: AccessLevel) {
  const matchingCalls = Object.entries(endpoints).filter(([, endpoint]) => endpoint.access === accessLevel);
  assert.ok(matchingCalls.length > 0, accessLevel);
  return matchingCalls;
}
/** All public calls with a body. */
function publicCallsWithBody() {
  const publicCalls = callsWithAccess('public').flatMap(([name, endpoint]) =>
    'body' in endpoint ? [{ name, fields: Object.keys(endpoint.body.shape) }] : [],
  );
  assert.ok(publicCalls.length > 0);
  return publicCalls;
}

const STACK_TRACE = /\bat .*\(?(?:\/|file:|node:)|node_modules|\.ts:\d+/;

let system: System;

before(async () => {
  system = await startSystem({ simulators: false });
});
after(() => system.stop());

/** Asserts a failure in the common form, without internals. */
function assertFailure(
  reply: { status: number; body: unknown; headers: Headers },
  status: number,
  description: string,
): void {
  const body = reply.body as { message: string };
  assert.equal(reply.status, status, `${description}: ${JSON.stringify(body)}`);
  assert.ok(isErrorCode(body.message), `${description}: ${body.message}`);
  assert.ok(Object.keys(body).every((key) => ['message', 'detail', 'requestId'].includes(key)));
  assert.doesNotMatch(JSON.stringify(body), STACK_TRACE, description);
  assert.equal(reply.headers.get('cache-control'), 'no-store', description);
}

describe('calls that are not as declared', () => {
  test("malformed JSON is 400 with the call's own code [R-NET-05]", async () => {
    for (const body of ['{', '{"username":', 'null garbage', '{"a":1}}', '\u0000', '"']) {
      assertFailure(
        await system.api('POST /api/login', { body, headers: { 'content-type': 'application/json' } }),
        400,
        body,
      );
    }
  });

  test('wrong types are refused by every public call that takes a body [R-NET-05]', async () => {
    for (const { name, fields } of publicCallsWithBody()) {
      for (const value of [[], {}, 12.5, true, null]) {
        const body = Object.fromEntries(fields.map((field) => [field, value]));
        assertFailure(await system.api(name, { body }), 400, `${name} ${JSON.stringify(value)}`);
      }
      for (const body of ['[]', '"text"', '7', 'null'])
        assertFailure(await system.api(name, { body }), 400, `${name} ${body}`);
    }
  });

  test('missing fields and over-long ones are refused by every public call [R-NET-05]', async () => {
    for (const { name, fields } of publicCallsWithBody()) {
      const missingBodyReply = await system.api(name, { body: {} });
      assert.ok(missingBodyReply.status >= 400 && missingBodyReply.status < 500, `${name}: ${missingBodyReply.status}`);
      assert.ok(isErrorCode(missingBodyReply.body.message), `${name}: ${missingBodyReply.body.message}`);
      const longFields = Object.fromEntries(fields.map((field) => [field, 'x'.repeat(5_000)]));
      assertFailure(await system.api(name, { body: longFields }), 400, `${name} over-long`);
    }
  });

  test('a body over 64 kB is 413, with and without Content-Length [R-NET-05]', async () => {
    const body = JSON.stringify({ username: 'x'.repeat(70_000) });
    assertFailure(await system.api('POST /api/login', { body }), 413, 'told');
    const chunkedReply = await fetch(`${system.url}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    });
    assertFailure(
      { status: chunkedReply.status, headers: chunkedReply.headers, body: await chunkedReply.json() },
      413,
      'not told',
    );
  });

  test('a content type other than JSON is 415 [R-NET-05]', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
    ]) {
      assertFailure(await system.api('POST /api/login', { body: '{}', headers: { 'content-type': type } }), 415, type);
    }
  });

  test('a prototype in the body is refused without effect [R-NET-05]', async () => {
    for (const body of ['{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"isAdmin":true}}}']) {
      assertFailure(await system.api('POST /api/login', { body }), 400, body);
    }
    assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
  });

  test('a deeply nested body is refused without harm [R-NET-05]', async () => {
    const deeplyNestedJson = `{"username":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    assertFailure(await system.api('POST /api/login', { body: deeplyNestedJson }), 400, 'deep');
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

  test('HEAD of a health check, an operator page or a public call has the status and headers of GET', async () => {
    const publicPaths = callsWithAccess('public').flatMap(([, { method, path }]) =>
      method === 'GET' ? [path.replaceAll(/\{\w+\}/g, '00000000')] : [],
    );
    const paths = ['/health/live', '/health/ready', '/openapi.json', '/metrics', '/status', ...publicPaths];
    for (const path of paths) {
      const [getReply, headReply] = await Promise.all([
        fetch(system.url + path),
        fetch(system.url + path, { method: 'HEAD' }),
      ]);
      assert.equal(headReply.status, getReply.status, path);
      for (const name of ['content-type', 'cache-control'])
        assert.equal(headReply.headers.get(name), getReply.headers.get(name), `${path} ${name}`);
      assert.equal(await headReply.text(), '', path);
    }
    const refused = await fetch(`${system.url}/health/live`, { method: 'POST' });
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD']);
  });

  test('HEAD does not run a GET that changes state', async () => {
    const changingEndpoints = Object.values(endpoints).filter((endpoint) => 'changesState' in endpoint);
    assert.ok(changingEndpoints.length > 0);
    for (const endpoint of changingEndpoints) {
      const reply = await fetch(system.url + endpoint.path.replaceAll(/\{\w+\}/g, 'x'), { method: 'HEAD' });
      assert.equal(reply.status, 405, endpoint.path);
    }
  });

  test('every member call refuses a stranger with UNAUTHORIZED before it reads the body', async () => {
    for (const [name, endpoint] of callsWithAccess('member')) {
      const path = endpoint.path.replaceAll(/\{\w+\}/g, 'x');
      const body = endpoint.method === 'GET' ? {} : { body: '{' };
      const reply = await system.api(`${endpoint.method} ${path}`, body);
      if ('tellsResult' in endpoint) {
        // Failures also have the fields of the call's results, without a result.
        const { success, error, result, ...failure } = reply.body;
        assert.deepEqual({ success, error, result }, { success: false, error: 'UNAUTHORIZED', result: null }, name);
        reply.body = failure;
      }
      assertFailure(reply, errorStatus.UNAUTHORIZED, name);
      assert.equal(reply.body.message, 'UNAUTHORIZED', name);
    }
  });

  test('every customer call that needs an Authorization header refuses a stranger before it reads the body', async () => {
    const customerCalls = callsWithAccess('customer').filter(([, endpoint]) => !('acceptsAnonymous' in endpoint));
    assert.ok(customerCalls.length > 0);
    for (const [name] of customerCalls) {
      const reply = await system.api(name, { body: '{' });
      assertFailure(reply, errorStatus.KEY_MISSING, name);
      assert.equal(reply.body.message, 'KEY_MISSING', name);
    }
  });

  test('a request that is not HTTP gets a reply in the error format [R-NET-05]', async () => {
    const socket = connect(Number(new URL(system.url).port), '127.0.0.1');
    socket.setEncoding('utf8').write('GET /api/lookup/info HTTP/9.9\r\nBroken\r\n\r\n');
    let text = '';
    socket.on('data', (chunk: string) => (text += chunk));
    await once(socket, 'close');
    assert.match(text, /^HTTP\/1\.1 400 /);
    assert.match(text, /\{"message":"NO_DATA","detail":"MALFORMED_REQUEST"\}$/);
  });

  test('a flood from one address is refused with Retry-After, and others are served', async () => {
    const limitedSystem = await startSystem({ simulators: false, requestsPerMinute: 20 });
    const requestFrom = (address: string) =>
      limitedSystem.api('GET /api/lookup/info', { headers: { 'x-forwarded-for': address } });
    for (let attempt = 0; attempt < 20; attempt += 1) assert.equal((await requestFrom('203.0.113.1')).status, 200);
    const refusedReply = await requestFrom('203.0.113.1');
    assertFailure(refusedReply, 429, 'flood');
    assert.equal(refusedReply.body.message, 'REQUEST_LIMIT');
    assert.ok(Number(refusedReply.headers.get('retry-after')) > 0);
    assert.equal((await requestFrom('203.0.113.2')).status, 200);
    assert.equal((await limitedSystem.api('GET /health/live')).status, 200);
    await limitedSystem.stop();
  });
});
