import assert from 'node:assert/strict';
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
import type { Outside } from '../../../src/outside-config.ts';
import { openGame } from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { setSettings } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { uploaded } from '../../chat/file-world.ts';
import { ended, slipImage, sendSlip } from '../../deposit/slip/slip-fixtures.ts';

const ASKED = 'phone.test:8080';
const SLIPS_OPEN = { closedFrom: '00:00', closedTo: '00:00', expireMinutes: 60, maxMB: 10 };

let directory: string;
let following: System;
let fixed: System;
let member: TestMember;
let simulatorsPort: string;

const withChat = (outside: Outside): Outside => {
  const simulatorsUrl = new URL(outside.sms.url).origin;
  const { timeoutMs } = outside.sms;
  const callbackUrl = `${outside.publicUrl}/api/callback/chat`;
  const secrets = { key: 'test-chat-key', secret: 'test-chat-backend-secret' };
  const chatBackend = {
    url: `${simulatorsUrl}/chat-backend`,
    ...secrets,
    socketUrl: simulatorsUrl,
    callbackUrl,
    timeoutMs,
  };
  return { ...outside, chatBackend };
};

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'krapao-web-'));
  mkdirSync(join(directory, 'lao'));
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>app</title>');
  [following, fixed] = await Promise.all([
    startSystem({
      webDirectory: directory,
      outside: (outside) => ({
        ...withChat(outside),
        followHost: [outside.publicUrl, new URL(outside.sms.url).origin],
      }),
    }),
    startSystem({ webDirectory: directory, outside: withChat }),
  ]);
  simulatorsPort = new URL(following.simulatorsUrl).port;
  member = await registerMember(following);
});
after(async () => {
  await Promise.all([following.stop(), fixed.stop()]);
  rmSync(directory, { recursive: true });
});

type Asking = { host?: string; token?: string; headers?: Record<string, string>; body?: unknown };

/** A call to a host. */
async function ask({ url }: System, call: string, { host = ASKED, token, headers, body }: Asking = {}) {
  const [method = '', path = ''] = call.split(' ');
  const sent = request(`${url}${path}`, {
    method,
    headers: {
      host,
      'x-requested-with': 'XMLHttpRequest',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

// Answers of every shape.
// oxlint-disable-next-line typescript/no-explicit-any
const bodyOf = async (system: System, call: string, asking?: Asking): Promise<any> =>
  json(await ask(system, call, asking));

const websiteAt = async (system: System, asking: Asking): Promise<string> =>
  (await bodyOf(system, 'GET /api/lookup/info', asking)).website;

test('addresses of the app follow the requested host and port, for every kind of host', async () => {
  for (const host of ['192.168.1.7:3000', '[fd00::2]:3000', 'krapao.local', 'PHONE.test:8080', 'localhost:3000']) {
    assert.equal(await websiteAt(following, { host }), `http://${host.toLowerCase()}`);
  }
  // A trusted proxy forwards the requested host.
  const headers = { 'x-forwarded-host': 'play.example.com', 'x-forwarded-proto': 'https' };
  assert.equal(await websiteAt(following, { headers }), 'https://play.example.com');
});

test('a page whose policy depends on the host varies by host, also as 304', async () => {
  const policies = new Set<unknown>();
  for (const host of ['192.168.1.7:3000', 'krapao.local']) {
    const page = await ask(following, 'GET /login', { host });
    policies.add(page.headers['content-security-policy']);
    const etag = String(page.headers.etag);
    const unchanged = await ask(following, 'GET /login', { host, headers: { 'if-none-match': etag } });
    assert.equal(unchanged.statusCode, 304);
    for (const { headers } of [page, unchanged]) {
      const names = String(headers.vary).split(', ');
      for (const name of ['host', 'x-forwarded-host', 'x-forwarded-proto', 'cookie'])
        assert.ok(names.includes(name), name);
    }
  }
  assert.equal(policies.size, 2);
});

test('an invalid host, or one that could mean something else in a policy, is ignored', async () => {
  const own = following.outside.publicUrl;
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
    assert.equal(await websiteAt(following, { headers: { 'x-forwarded-host': host } }), own, host);
    const page = await ask(following, 'GET /login', { headers: { 'x-forwarded-host': host } });
    assert.doesNotMatch(String(page.headers['content-security-policy']), /evil|unsafe|999/, host);
  }
});

test('without followHost no header changes an address', async () => {
  const own = fixed.outside.publicUrl;
  assert.equal(await websiteAt(fixed, {}), own);
  assert.equal(await websiteAt(fixed, { headers: { 'x-forwarded-host': 'evil.test' } }), own);
  const { token } = await registerMember(fixed);
  await openGame(fixed, token, 'pg');
  const { username } = await bodyOf(fixed, 'GET /api/wallet/account/pg', { token });
  const { link } = await bodyOf(fixed, `GET /api/autoLogin/pg/${username}`, { token });
  assert.equal(new URL(link).origin, fixed.simulatorsUrl);
  const policy = String((await ask(fixed, 'GET /login')).headers['content-security-policy']);
  assert.ok(policy.includes(fixed.simulatorsUrl) && !policy.includes('phone.test'), policy);
});

test('games open at the requested host, by a link, a form and a fixed address, and lead back there', async () => {
  const { token } = member;
  const site = `http://phone.test:${simulatorsPort}`;
  for (const code of ['pg', 'askmebet', 'betflix'] as const) {
    const { username, password } = await openGame(following, token, code);
    const secret = code === 'askmebet' ? `/${password}` : '';
    const { link } = await bodyOf(following, `GET /api/autoLogin/${code}/${username}${secret}`, { token });
    assert.ok(String(link).startsWith(`${site}/games/${code}/`), link);
  }
  await openGame(following, token, 'naga');
  const { form } = await bodyOf(following, 'GET /api/wallet/account/naga', { token });
  assert.equal(form.action, `${site}/games/naga/login`);
  assert.equal(form.fields.return_url, `http://${ASKED}`);
  const { slots } = await bodyOf(following, 'GET /api/wallet', { token });
  const named = (gameCode: string) => slots.find(({ code }: { code: string }) => code === gameCode);
  assert.equal(named('royal').web, `${site}/games/royal/`);
  assert.equal(named('joker2').android, `${site}/games/joker2/app/android`);
  const policy = String((await ask(following, 'GET /login')).headers['content-security-policy']);
  assert.match(policy, new RegExp(`form-action 'self' ${site}`));
  assert.match(policy, new RegExp(`connect-src 'self' ws://phone\\.test:${simulatorsPort};`));
});

test('addresses of slip pictures, chat files and the chat’s socket follow the requested host', async () => {
  const { token, id } = member;
  await setSettings(following, { slip: SLIPS_OPEN });
  const slip = await sendSlip(following, token, await slipImage('a code of something else'));
  await ended(following, token, slip);
  const { url } = await bodyOf(following, `GET /api/statement/slip/reference/${slip.reference}`, { token });
  assert.equal(new URL(url).host, ASKED);
  assert.equal((await ask(following, `GET ${new URL(url).pathname}`)).statusCode, 200);

  const { backend } = await bodyOf(following, 'GET /api/chat/config', { token });
  assert.equal(backend.url, `http://phone.test:${simulatorsPort}`);
  const socket = io(following.url, { transports: ['websocket'], forceNew: true, extraHeaders: { host: ASKED } });
  const delivered = new Promise<{ message: { payload: { url: string } } }>((tell) => socket.on('messaging', tell));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  assert.deepEqual(await socket.emitWithAck('join', { room: chatRoom(id), token }), { joined: true });
  const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const { path } = await uploaded(following, 'image', { authorization: `Bearer ${token}` }, image);
  const message = { message_type: 'media', payload: { fileType: 'image', filePath: path } };
  await text(await ask(following, 'POST /api/chat/send-message', { token, body: { message } }));
  const [said] = await bodyOf(following, 'POST /api/chat/history', { token, body: {} });
  for (const { payload } of [(await delivered).message, said.message]) {
    assert.equal(new URL(payload.url).host, ASKED);
    assert.equal((await ask(following, `GET ${new URL(payload.url).pathname}`)).statusCode, 200);
  }
  socket.disconnect();
});
