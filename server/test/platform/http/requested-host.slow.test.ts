import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { chatRoom } from '@krapao/contract/events';
import sharp from 'sharp';
import { io } from 'socket.io-client';
import { uploadFile } from '../../chat/file-fixtures.ts';
import { waitForSlipEnd, slipImage, sendSlip } from '../../deposit/slip/slip-fixtures.ts';
import { openGame } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { setSettings } from '../../harness/operator.ts';
import type { TestOutside } from '../../harness/outside-file.ts';
import { startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

const REQUESTED_HOST = 'phone.test:8080';
const OPEN_SLIP_SETTINGS = { closedFrom: '00:00', closedTo: '00:00', expireMinutes: 60, maxMB: 10 };

let directory: string;
let followingSystem: System;
let fixedSystem: System;
let member: TestMember;
let simulatorsPort: string;

const outsideWithChat = (outside: TestOutside): TestOutside => {
  const simulatorsUrl = new URL(outside.sms.url).origin;
  const { timeoutMs } = outside.sms;
  const callbackUrl = `${outside.publicUrl}/api/callback/chat`;
  const secrets = { key: 'test-chat-key', secret: 'test-chat-backend-secret' };
  const CHAT_BACKEND_CONFIG = {
    url: `${simulatorsUrl}/chat-backend`,
    ...secrets,
    socketUrl: simulatorsUrl,
    callbackUrl,
    timeoutMs,
  };
  return { ...outside, chatBackend: CHAT_BACKEND_CONFIG };
};

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'krapao-web-'));
  mkdirSync(join(directory, 'lao'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>app</title>');
  [followingSystem, fixedSystem] = await Promise.all([
    startSystem({
      webDirectory: directory,
      outside: (outside) => ({
        ...outsideWithChat(outside),
        followHost: [outside.publicUrl, new URL(outside.sms.url).origin],
      }),
    }),
    startSystem({ webDirectory: directory, outside: outsideWithChat }),
  ]);
  simulatorsPort = new URL(followingSystem.simulatorsUrl).port;
  member = await registerMember(followingSystem);
});
after(async () => {
  await Promise.all([followingSystem.stop(), fixedSystem.stop()]);
  rmSync(directory, { recursive: true });
});

type RequestFields = { host?: string; token?: string; headers?: Record<string, string>; body?: unknown };

/** A call to a host. */
async function sendRequest(
  { url }: System,
  call: string,
  { host = REQUESTED_HOST, token, headers, body }: RequestFields = {},
) {
  const [method = '', path = ''] = call.split(' ');
  const clientRequest = request(`${url}${path}`, {
    method,
    headers: {
      host,
      'x-requested-with': 'XMLHttpRequest',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  clientRequest.end(body === undefined ? undefined : JSON.stringify(body));
  const [reply] = (await once(clientRequest, 'response')) as [IncomingMessage];
  return reply;
}

// Answers of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
const readBody = async (system: System, call: string, requestFields?: RequestFields): Promise<any> =>
  json(await sendRequest(system, call, requestFields));

const websiteAt = async (system: System, requestFields: RequestFields): Promise<string> =>
  (await readBody(system, 'GET /api/lookup/info', requestFields)).website;

test('addresses of the app follow the requested host and port, for every kind of host', async () => {
  for (const host of ['192.168.1.7:3000', '[fd00::2]:3000', 'krapao.local', 'PHONE.test:8080', 'localhost:3000']) {
    assert.equal(await websiteAt(followingSystem, { host }), `http://${host.toLowerCase()}`);
  }
  // A trusted proxy forwards the requested host.
  const headers = { 'x-forwarded-host': 'play.example.com', 'x-forwarded-proto': 'https' };
  assert.equal(await websiteAt(followingSystem, { headers }), 'https://play.example.com');
});

test('a page whose content security policy depends on the host varies by host, also as 304', async () => {
  const foundPolicies = new Set<unknown>();
  for (const host of ['192.168.1.7:3000', 'krapao.local']) {
    const page = await sendRequest(followingSystem, 'GET /login', { host });
    foundPolicies.add(page.headers['content-security-policy']);
    const etag = String(page.headers.etag);
    const unchangedReply = await sendRequest(followingSystem, 'GET /login', {
      host,
      headers: { 'if-none-match': etag },
    });
    assert.equal(unchangedReply.statusCode, 304);
    for (const { headers } of [page, unchangedReply]) {
      const names = String(headers.vary).split(', ');
      for (const name of ['host', 'x-forwarded-host', 'x-forwarded-proto', 'cookie'])
        assert.ok(names.includes(name), name);
    }
  }
  assert.equal(foundPolicies.size, 2);
});

test('an invalid host, or one with another meaning in a policy, is ignored', async () => {
  const ownUrl = followingSystem.outside.publicUrl;
  for (const host of [
    'evil.test/path',
    'user@evil.test',
    "evil.test; script-src 'unsafe-inline'",
    'evil.test *',
    'evil.test:99999',
    '999.1.1.1',
    '[::1',
    '-evil.test',
    `${'a'.repeat(300)}.test`,
  ]) {
    assert.equal(await websiteAt(followingSystem, { headers: { 'x-forwarded-host': host } }), ownUrl, host);
    const page = await sendRequest(followingSystem, 'GET /login', { headers: { 'x-forwarded-host': host } });
    assert.doesNotMatch(String(page.headers['content-security-policy']), /evil|unsafe|99999|999\.1/, host);
  }
});

test('without followHost no header changes an address', async () => {
  const ownUrl = fixedSystem.outside.publicUrl;
  assert.equal(await websiteAt(fixedSystem, {}), ownUrl);
  assert.equal(await websiteAt(fixedSystem, { headers: { 'x-forwarded-host': 'evil.test' } }), ownUrl);
  const { token } = await registerMember(fixedSystem);
  await openGame(fixedSystem, token, 'pg');
  const { username } = await readBody(fixedSystem, 'GET /api/wallet/account/pg', { token });
  const { link } = await readBody(fixedSystem, `GET /api/autoLogin/pg/${username}`, { token });
  assert.equal(new URL(link).origin, fixedSystem.simulatorsUrl);
  const contentPolicy = String((await sendRequest(fixedSystem, 'GET /login')).headers['content-security-policy']);
  assert.ok(contentPolicy.includes(fixedSystem.simulatorsUrl) && !contentPolicy.includes('phone.test'), contentPolicy);
});

/** Status of a handshake: 101 of an opened websocket, 200 of an opened polling session. */
async function handshake(url: string, transport: 'websocket' | 'polling', headers: Record<string, string>) {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
  const clientRequest = request(`${url}/socket.io/?EIO=4&transport=${transport}`, {
    headers: { ...(transport === 'websocket' ? upgrade : {}), ...headers },
    agent: false,
  });
  clientRequest.end();
  return new Promise<number | undefined>((resolve, reject) => {
    clientRequest.on('response', (reply) => resolve(reply.resume().statusCode));
    clientRequest.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    clientRequest.on('error', reject);
  });
}

const PROXIED = { host: 'backend.internal:3000', 'x-forwarded-proto': 'https' };

test('a page and its socket agree on the host behind each kind of proxy, by WebSocket and by polling', async () => {
  const cases: [Record<string, string>, string][] = [
    [{ host: REQUESTED_HOST }, `http://${REQUESTED_HOST}`],
    [{ host: REQUESTED_HOST, 'x-forwarded-proto': 'https' }, `https://${REQUESTED_HOST}`],
    [{ ...PROXIED, 'x-forwarded-host': 'play.example.com' }, 'https://play.example.com'],
    [{ ...PROXIED, 'x-forwarded-host': 'play.example.com:8443' }, 'https://play.example.com:8443'],
    [{ ...PROXIED, 'x-forwarded-host': 'Play.example.com:443' }, 'https://play.example.com'],
    [{ ...PROXIED, 'x-forwarded-host': 'cdn.example, play.example.com' }, 'https://play.example.com'],
    [{ ...PROXIED, 'x-forwarded-host': 'play.example.com', 'x-forwarded-proto': 'wss' }, 'https://play.example.com'],
    [{ host: 'backend.internal', 'x-forwarded-host': '[fd00::2]:3000' }, 'http://[fd00::2]:3000'],
  ];
  for (const [headers, origin] of cases) {
    assert.equal(await websiteAt(followingSystem, { headers }), origin);
    for (const [transport, opened] of [
      ['websocket', 101],
      ['polling', 200],
    ] as const)
      assert.equal(await handshake(followingSystem.url, transport, { ...headers, origin }), opened, origin);
  }
  // A proxy that ends TLS and does not report it, and one that drops the port: the configured address is still known.
  const withoutProtocol = { host: 'play.example.com', origin: 'https://play.example.com' };
  assert.equal(await websiteAt(followingSystem, { headers: withoutProtocol }), 'https://play.example.com');
  assert.equal(await handshake(followingSystem.url, 'websocket', withoutProtocol), 101);
  const ownOrigin = { host: '127.0.0.1', origin: followingSystem.outside.publicUrl };
  assert.equal(await handshake(followingSystem.url, 'websocket', ownOrigin), 101);
});

test('a page of another site, port or unknown origin gets no socket, whatever headers it sends', async () => {
  const forwarded = { ...PROXIED, 'x-forwarded-host': 'play.example.com' };
  const cases: [Record<string, string>, string][] = [
    [forwarded, 'https://evil.test'],
    [forwarded, 'https://play.example.com:8443'],
    [forwarded, 'https://play.example.com.evil.test'],
    // The host of the proxy itself.
    [forwarded, 'http://backend.internal:3000'],
    [{ ...PROXIED, 'x-forwarded-host': 'evil.test, play.example.com' }, 'https://evil.test'],
    [{ ...PROXIED, 'x-forwarded-host': 'evil.test/@play.example.com' }, 'https://evil.test'],
    [{ ...PROXIED, 'x-forwarded-host': 'user@evil.test' }, 'https://evil.test'],
    [{ host: REQUESTED_HOST }, 'null'],
    [{ host: REQUESTED_HOST }, ''],
    // Schemes without a host.
    [{ host: REQUESTED_HOST }, 'chrome-extension://abcdefghijklmnop'],
    [{ host: REQUESTED_HOST }, 'javascript:x'],
    [{ host: REQUESTED_HOST }, 'http://phone.test'],
    [{ host: REQUESTED_HOST }, `http://phone.test:${simulatorsPort}`],
  ];
  for (const [headers, origin] of cases) {
    assert.equal(await handshake(followingSystem.url, 'websocket', { ...headers, origin }), 400, origin);
    assert.equal(await handshake(followingSystem.url, 'polling', { ...headers, origin }), 403, origin);
  }
  const untrusting = await startServerProcess(followingSystem, 'warn', undefined, { TRUSTED_PROXIES: '10.9.9.9' });
  try {
    const claim = { host: '127.0.0.1:3000', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' };
    assert.equal(await handshake(untrusting.url, 'websocket', { ...claim, origin: 'https://evil.test' }), 400);
    assert.equal(await handshake(untrusting.url, 'websocket', { ...claim, origin: 'http://127.0.0.1:3000' }), 101);
  } finally {
    await untrusting.stop();
  }
});

test('games open at the requested host, by link, form and fixed address, and link back to it', async () => {
  const { token } = member;
  const site = `http://phone.test:${simulatorsPort}`;
  for (const code of ['pg', 'askmebet', 'betflix'] as const) {
    const { username, password } = await openGame(followingSystem, token, code);
    const secret = code === 'askmebet' ? `/${password}` : '';
    const { link } = await readBody(followingSystem, `GET /api/autoLogin/${code}/${username}${secret}`, { token });
    assert.ok(String(link).startsWith(`${site}/games/${code}/`), link);
  }
  await openGame(followingSystem, token, 'naga');
  const { form } = await readBody(followingSystem, 'GET /api/wallet/account/naga', { token });
  assert.equal(form.action, `${site}/games/naga/login`);
  assert.equal(form.fields.return_url, `http://${REQUESTED_HOST}`);
  const { slots } = await readBody(followingSystem, 'GET /api/wallet', { token });
  const slotNamed = (gameCode: string) => slots.find(({ code }: { code: string }) => code === gameCode);
  assert.equal(slotNamed('royal').web, `${site}/games/royal/`);
  assert.equal(slotNamed('joker2').android, `${site}/games/joker2/app/android`);
  const contentPolicy = String((await sendRequest(followingSystem, 'GET /login')).headers['content-security-policy']);
  assert.match(contentPolicy, new RegExp(`form-action 'self' ${site}`));
  assert.match(contentPolicy, new RegExp(`connect-src 'self' ws://phone\\.test:${simulatorsPort};`));
});

test('addresses of slip pictures, chat files and the chat’s socket follow the requested host', async () => {
  const { token, id } = member;
  await setSettings(followingSystem, { slip: OPEN_SLIP_SETTINGS });
  const slip = await sendSlip(followingSystem, token, await slipImage('a code of something else'));
  await waitForSlipEnd(followingSystem, token, slip);
  const { url } = await readBody(followingSystem, `GET /api/statement/slip/reference/${slip.reference}`, { token });
  assert.equal(new URL(url).host, REQUESTED_HOST);
  assert.equal((await sendRequest(followingSystem, `GET ${new URL(url).pathname}`)).statusCode, 200);

  const { backend } = await readBody(followingSystem, 'GET /api/chat/config', { token });
  assert.equal(backend.url, `http://phone.test:${simulatorsPort}`);
  const socket = io(followingSystem.url, {
    transports: ['websocket'],
    forceNew: true,
    extraHeaders: { host: REQUESTED_HOST },
  });
  const deliveredMessage = new Promise<{ message: { payload: { url: string } } }>((resolveMessage) =>
    socket.on('messaging', resolveMessage),
  );
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  assert.deepEqual(await socket.emitWithAck('join', { room: chatRoom(id), token }), { joined: true });
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const { path } = await uploadFile(followingSystem, 'image', { authorization: `Bearer ${token}` }, image);
  const message = { message_type: 'media', payload: { fileType: 'image', filePath: path } };
  await text(await sendRequest(followingSystem, 'POST /api/chat/send-message', { token, body: { message } }));
  const [chatMessage] = await readBody(followingSystem, 'POST /api/chat/history', { token, body: {} });
  for (const { payload } of [(await deliveredMessage).message, chatMessage.message]) {
    assert.equal(new URL(payload.url).host, REQUESTED_HOST);
    assert.equal((await sendRequest(followingSystem, `GET ${new URL(payload.url).pathname}`)).statusCode, 200);
  }
  socket.disconnect();
});
