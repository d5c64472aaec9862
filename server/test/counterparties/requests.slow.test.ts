import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Endpoint } from '@krapao/contract/endpoint';
import { endpoints } from '@krapao/contract/endpoints';
import { isErrorCode } from '@krapao/contract/errors';
import { io } from 'socket.io-client';
import { startForGateways } from '../deposit/qrcode/gateways/at-gateway.ts';
import { GATEWAY_FIXTURES } from '../deposit/qrcode/gateways/gateway-fixtures.ts';
import { FUZZ_SEED, hostileText, sampleValues } from '../harness/hostile-text.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { openRawConnection } from '../harness/raw-connection.ts';
import type { System } from '../harness/system.ts';

let system: System;
let member: TestMember;
before(async () => {
  system = await startForGateways();
  member = await registerMember(system, { currency: 'BAHT' });
});
after(() => system.stop());

type SentRequest = { headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> };

async function postRequest(
  path: string,
  { headers = {}, body = new Uint8Array() }: SentRequest,
): Promise<{ status: number; text: string }> {
  const reply = await fetch(system.url + path, { method: 'POST', headers, body });
  return { status: reply.status, text: await reply.text() };
}

test(`FUZZ_SEED=${FUZZ_SEED}: unstorable text is refused by every endpoint without an internal error`, async () => {
  const texts = ['\0', '\ud800', '0812345678\0', 'AB\0', '\u202e', ...sampleValues(hostileText, 5)];
  for (const endpoint of Object.values(endpoints) as Endpoint[]) {
    // Logging out ends the session.
    if (endpoint.path.includes('logout')) continue;
    const fields = Object.keys(endpoint.body?.shape ?? {});
    for (const text of texts) {
      const params = Object.fromEntries(
        Object.keys(endpoint.params?.shape ?? {}).map((name) => [name, text.toWellFormed()]),
      );
      const reply = await system.api(`${endpoint.method} ${endpoint.path}`, {
        token: member.token,
        params,
        ...(fields.length > 0 ? { body: Object.fromEntries(fields.map((name) => [name, text])) } : {}),
        ...(endpoint.idempotent ? { idempotencyKey: `key-${FUZZ_SEED}` } : {}),
      });
      const replySummary = `${endpoint.method} ${endpoint.path} ${JSON.stringify(text)}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 100)}`;
      assert.ok(reply.status < 500, replySummary);
      if (reply.status >= 400) assert.ok(isErrorCode(reply.body.message as string), replySummary);
    }
  }
  assert.deepEqual(system.defects, []);
});

const joinBytes = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  );
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** สมชาย in TIS-620: no UTF-8. */
const THAI_BYTES = [0xca, 0xc1, 0xaa, 0xd2, 0xc2];

const signature = (body: Uint8Array, isUpperCase = false): Record<string, string> => {
  const seconds = Math.floor(Date.now() / 1000);
  const hmac = createHmac('sha256', system.outside.bank.callbackSecret).update(`${seconds}.`).update(body);
  const hex = hmac.digest('hex');
  return {
    'content-type': 'application/json',
    'x-bank-signature': `t=${seconds},v1=${isUpperCase ? hex.toUpperCase() : hex}`,
  };
};

test('a bank callback is accepted with a byte order mark, in another encoding, and with an upper-case signature', async () => {
  const account = '"account":{"bankCode":"SCB","accountNo":"4680001234"}';
  for (const body of [
    joinBytes(BYTE_ORDER_MARK, `{"event":"line",${account}}`),
    joinBytes('{"name":"', THAI_BYTES, `",${account}}`),
    joinBytes(`{"name":"\\u0000\\ud800",${account}}`),
  ]) {
    for (const asUpper of [false, true]) {
      const reply = await postRequest('/api/callback/bank-feed', { headers: signature(body, asUpper), body });
      assert.equal(reply.status, 200, reply.text);
    }
  }
});

test('a signed payout callback with an impossible reference is refused as malformed', async () => {
  for (const reference of ['\0', 'W1\0', '\ud800', 'W 1', 'W'.repeat(50), '']) {
    const body = joinBytes(JSON.stringify({ event: 'payout', reference }));
    const reply = await postRequest('/api/callback/bank-payout', { headers: signature(body), body });
    assert.equal(reply.status, 400, reply.text);
    assert.match(reply.text, /MALFORMED/);
  }
  assert.deepEqual(system.defects, []);
});

for (const fixture of GATEWAY_FIXTURES) {
  test(`${fixture.code}: a callback is accepted with a byte order mark, in another encoding, and with an upper-case signature`, async () => {
    const validCallback = fixture.buildCallback(system.outside, 'NOBODYKNOWSTHISONE');
    const isForm = validCallback.headers['content-type']?.includes('form') === true;
    const bodies = isForm
      ? [
          joinBytes(BYTE_ORDER_MARK, `first=1&${validCallback.body}`),
          joinBytes(validCallback.body, '&payerName=', THAI_BYTES),
          joinBytes(validCallback.body, '&payerName=%00'),
        ]
      : [
          joinBytes(BYTE_ORDER_MARK, validCallback.body),
          joinBytes('{"payerName":"', THAI_BYTES, `",${validCallback.body.slice(1)}`),
          joinBytes(`{"payerName":"\\u0000\\ud800",${validCallback.body.slice(1)}`),
        ];
    for (const body of bodies) {
      const headers = { ...validCallback.headers };
      if (fixture.code === 'WW') {
        const seconds = headers['ww-signature-timestamp'] ?? '';
        const hmac = createHmac('sha256', Buffer.from(system.outside.ww?.signingSecret ?? '', 'base64'));
        headers['ww-signature'] = hmac.update(`${seconds}.`).update(body).digest('hex').toUpperCase();
      }
      const reply = await postRequest(validCallback.path, { headers, body });
      assert.deepEqual([reply.status, reply.text], [200, fixture.acceptedReply]);
    }
  });
}

/** Percent-encoded texts: NUL, half a surrogate pair, invalid UTF-8, a broken escape, a long text. */
const ENCODED_TEXTS = ['%00', 'A%00B', '%ED%A0%80', '%FF%FE', '%', '%zz', '%E2%80%AE', 'x'.repeat(20_000)];

test('unstorable text in a path, query or header is refused with a clear error, not an internal one', async () => {
  const targets = (Object.values(endpoints) as Endpoint[])
    .filter(({ path }) => !path.includes('logout'))
    .flatMap(({ method, path }) =>
      ENCODED_TEXTS.flatMap((text) => [
        ...(path.includes('{') ? [`${method} ${path.replaceAll(/\{\w+\}/g, text)}`] : []),
        `${method} ${path.replaceAll(/\{\w+\}/g, 'x')}?page=${text}&key=${text}&${text}=1`,
      ]),
    );
  const callbacks = GATEWAY_FIXTURES.flatMap((fixture) =>
    ENCODED_TEXTS.map(
      (text) => `POST ${fixture.buildCallback(system.outside, 'X').path.replace(/\?.*/, '')}?key=${text}`,
    ),
  );
  for (const target of [...targets, ...callbacks]) {
    const reply = await sendRawRequest(`${target} HTTP/1.1`, 'authorization: Bearer x', 'content-length: 0');
    assert.match(reply, /^HTTP\/1\.1 [234]\d\d /, `${target.slice(0, 100)}: ${reply.slice(0, 100)}`);
  }
  const names = [
    'authorization',
    'cookie',
    'idempotency-key',
    'accept-language',
    'x-request-id',
    'traceparent',
    'host',
  ];
  for (const name of [...names, 'x-bank-signature', 'x-forwarded-for', 'origin', 'user-agent', 'content-type']) {
    for (const value of [
      '\u0001',
      '\0',
      '\u00ff\u00fe',
      'Bearer \u0000',
      'Guest \u00ed\u00a0\u0080.x',
      'y'.repeat(100_000),
    ]) {
      const headerLines = name === 'host' ? [] : ['host: localhost'];
      const reply = await exchangeRaw(
        'GET /api/wallet HTTP/1.1',
        ...headerLines,
        `${name}: ${value}`,
        'connection: close',
      );
      assert.match(
        reply,
        /^HTTP\/1\.1 [234]\d\d /,
        `${name} ${JSON.stringify(value).slice(0, 50)}: ${reply.slice(0, 100)}`,
      );
    }
  }
  assert.deepEqual(system.defects, []);
});

const sendRawRequest = (first: string, ...headers: string[]): Promise<string> =>
  exchangeRaw(first, 'host: localhost', 'x-requested-with: XMLHttpRequest', ...headers, 'connection: close');

/** Sends lines unchanged, one byte per character. */
async function exchangeRaw(...requestLines: string[]): Promise<string> {
  const { socket, closedWithText } = openRawConnection(system.url);
  socket.write(Buffer.from(`${requestLines.join('\r\n')}\r\n\r\n`, 'latin1'));
  return closedWithText;
}

test('a body over the limit, or nested ten thousand times, is refused at every address, and the server continues', async () => {
  const deeplyNestedJson = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const bodies = [
    deeplyNestedJson,
    `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    `{"event":${deeplyNestedJson},"account":${deeplyNestedJson},"reference":${deeplyNestedJson},"messages":${deeplyNestedJson}}`,
    `{"a":"${'x'.repeat(3_000_000)}"}`,
    `a=${'x'.repeat(3_000_000)}`,
  ];
  const callbackPaths = [
    ...GATEWAY_FIXTURES.map((fixture) => fixture.buildCallback(system.outside, 'X')),
    ...['bank-feed', 'bank-payout', 'chat'].map((name) => ({ path: `/api/callback/${name}`, headers: {} })),
    { path: '/api/login', headers: {} },
    { path: '/api/wallet/truelink', headers: { authorization: `Bearer ${member.token}` } },
  ];
  for (const { path, headers } of callbackPaths) {
    for (const text of bodies) {
      const body = joinBytes(text);
      const signedHeaders = path.includes('bank-')
        ? signature(body)
        : { 'content-type': 'application/json', ...headers };
      const markedHeaders = { ...signedHeaders, 'x-requested-with': 'XMLHttpRequest' };
      // The server may refuse a body over the limit before it is sent completely.
      const status = await postRequest(path, { headers: markedHeaders, body }).then(
        (reply) => reply.status,
        () => 413,
      );
      assert.ok(status >= 200 && status < 500, `${path} ${text.slice(0, 20)}: ${status}`);
      if (text.length > 2_000_000) assert.ok(status >= 400, `${path}: ${status}`);
    }
  }
  assert.deepEqual(system.defects, []);
  assert.equal((await system.api('GET /api/wallet', { token: member.token })).status, 200);
});

type JoinReply = { joined: boolean; message?: string };

/** The replies to these requests; a closed connection counts as a refusal of this and later requests. */
async function sendJoins(requests: readonly unknown[]): Promise<JoinReply[]> {
  const socket = io(system.url, { transports: ['websocket'], forceNew: true, reconnection: false });
  const replies: JoinReply[] = [];
  try {
    for (const request of requests) {
      replies.push((await socket.timeout(60_000).emitWithAck('join', request)) as JoinReply);
      // An unknown event.
      socket.emit('send', request);
    }
  } catch (error) {
    assert.match(String(error), /disconnected/);
  } finally {
    socket.disconnect();
  }
  return replies;
}

test('a socket that joins with unstorable text or other nonsense is refused, and other sockets continue', async () => {
  const room = `member:${member.id}`;
  const { token } = member;
  const values: unknown[] = ['\0', 'A\0', '\ud800', '\u202e', 'x'.repeat(10_000), 1e308, null, [], { toString: 1 }];
  for (const value of values) {
    const replies = await sendJoins([
      value,
      { room: value, token },
      { room, token: value },
      { room: `member:${JSON.stringify(value)}\0`, token },
      { room: `chat:${member.id}`, token: value, guest: value, secret: value, guestId: value },
    ]);
    const replySummary = `${JSON.stringify(value).slice(0, 50)}: ${JSON.stringify(replies)}`;
    assert.ok(
      replies.every((reply) => !reply.joined && reply.message !== 'INTERNAL_SERVER_ERROR'),
      replySummary,
    );
    if (String(JSON.stringify(value)).length < 100) assert.equal(replies.length, 5, replySummary);
  }
  assert.deepEqual(await sendJoins([{ room, token }]), [{ joined: true }]);
  assert.deepEqual(system.defects, []);
});
