import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chatRoom } from '@krapao/contract/events';
import { jwtVerify } from 'jose';
import sharp from 'sharp';
import { io } from 'socket.io-client';
import type { Outside } from '../../src/outside-config.ts';
import { until } from '../deposit/qrcode/qr-fixtures.ts';
import { runCommand } from '../harness/command.ts';
import { misbehave } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import { callAs, configAs, conversationOf, eachKind, historyOf, newGuestId, newVisitor, say } from './chat-world.ts';
import { sendFile, uploaded } from './file-world.ts';

const SECRET = 'test-chat-backend-secret';
const KEY = 'test-chat-key';

let system: System;
let second: ServerProcess;
let web: string;

const withBackend = (outside: Outside): Outside => {
  const simulatorsUrl = outside.sms.url.replace(/\/sms$/, '');
  return {
    ...outside,
    chatBackend: {
      url: `${simulatorsUrl}/chat-backend`,
      key: KEY,
      secret: SECRET,
      socketUrl: simulatorsUrl,
      callbackUrl: `${outside.publicUrl}/api/callback/chat`,
      timeoutMs: outside.sms.timeoutMs,
    },
  };
};

before(async () => {
  web = mkdtempSync(join(tmpdir(), 'krapao-web-'));
  mkdirSync(join(web, 'lao'));
  writeFileSync(join(web, 'index.html'), '<!doctype html><title>app</title>');
  system = await startSystem({ outside: withBackend, webDirectory: web });
  assert.equal((await system.world('POST /control/settings', { body: { chatRobot: false } })).status, 200);
  second = await startServerProcess(system);
});
after(async () => {
  await second.stop();
  await system.stop();
  rmSync(web, { recursive: true, force: true });
});

type Listed = { id: string; kind: string; name: string };
type Kept = { id: string; sender: string; message: { message_type: string; payload: Record<string, string> } };

const keptOf = async (conversation: string): Promise<Kept[]> =>
  (await system.world('GET /support/conversations/{conversation}', { params: { conversation } })).body;

const untilKept = (conversation: string, count: number): Promise<Kept[]> =>
  until(
    () => keptOf(conversation),
    (kept) => kept.length >= count,
    'told to the backend',
  );

const textsOf = (kept: Kept[]): string[] => kept.map(({ message }) => message.payload['text'] ?? '');

const untilNothingWaits = (): Promise<string> =>
  until(
    async () => (await system.api('GET /metrics')).body as string,
    (text) => text.includes('krapao_chat_messages_untold 0'),
    'nothing waits',
  );

test('the backend receives what members and visitors write, in order and once, from two concurrent nodes', async () => {
  const talkers = await Promise.all([eachKind(system), eachKind(system)]);
  for (const talker of talkers.flat()) {
    for (let index = 0; index < 6; index += 1) assert.equal((await say(system, talker, `words ${index}`)).status, 200);
  }
  for (const talker of talkers.flat()) {
    const conversation = await conversationOf(system, talker);
    const kept = await untilKept(conversation, 6);
    assert.deepEqual(textsOf(kept), ['words 0', 'words 1', 'words 2', 'words 3', 'words 4', 'words 5']);
    const { body: messages } = await historyOf(system, talker);
    assert.deepEqual(
      kept.map(({ id }) => id),
      messages.map(({ _id }: { _id: string }) => _id).toReversed(),
    );
    const listed = (await system.world('GET /support/conversations')).body as Listed[];
    const { kind, name } = listed.find(({ id }) => id === conversation) ?? assert.fail('not listed');
    assert.deepEqual([kind, name], talker.userId === '' ? ['visitor', ''] : ['member', 'Somjai']);
  }
});

test('customers don’t wait for a backend that fails, and it gets everything in order when it is back', async () => {
  const visitor = await newVisitor(system);
  await say(system, visitor, 'first');
  const conversation = await conversationOf(system, visitor);
  await untilKept(conversation, 1);
  await untilNothingWaits();
  await misbehave(system, { target: 'chat-backend', fault: 'error-500', times: 1_000 });
  for (const words of ['second', 'third']) assert.equal((await say(system, visitor, words)).status, 200);
  await until(
    async () => (await system.world('GET /control/calls?target=chat-backend&limit=1')).body as { status: number }[],
    ([last]) => last?.status === 500,
    'it fails',
  );
  const { body: metrics } = await system.api('GET /metrics');
  assert.match(metrics, /^krapao_chat_messages_untold 2$/m);
  await system.world('DELETE /control/faults?target=chat-backend');
  assert.deepEqual(textsOf(await untilKept(conversation, 3)), ['first', 'second', 'third']);
  await untilNothingWaits();
});

test('a message that the backend refuses for good doesn’t keep back those after it', async () => {
  const visitor = await newVisitor(system);
  await say(system, visitor, 'first');
  const conversation = await conversationOf(system, visitor);
  await untilKept(conversation, 1);
  await misbehave(system, { target: 'chat-backend', fault: 'decline', times: 1 });
  await say(system, visitor, 'refused once');
  assert.deepEqual(textsOf(await untilKept(conversation, 2)), ['first', 'refused once']);
  await untilNothingWaits();
  // As after minutes of refusals.
  await system.database.query('update chat_conversation set tell_tries = 7 where id = $1', [conversation]);
  await misbehave(system, { target: 'chat-backend', fault: 'decline', times: 1 });
  for (const words of ['refused for good', 'after it']) await say(system, visitor, words);
  assert.deepEqual(textsOf(await untilKept(conversation, 3)), ['first', 'refused once', 'after it']);
  await untilNothingWaits();
});

test('a file goes to the backend as an address that it can read', async () => {
  const visitor = await newVisitor(system);
  const picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const { path } = await uploaded(system, 'image', visitor, picture);
  assert.equal((await sendFile(system, visitor, path, { message: 'look' })).status, 200);
  const [kept] = await untilKept(await conversationOf(system, visitor), 1);
  const { url = '', ...payload } = kept?.message.payload ?? {};
  assert.deepEqual(payload, { message: 'look', fileType: 'image', filePath: path });
  const shown = await fetch(url);
  assert.equal(shown.headers.get('content-type'), 'image/png');
});

type Change = { secret?: string; agoSeconds?: number; drop?: string; key?: string };

async function answer(body: unknown, { secret = SECRET, agoSeconds = 0, drop = '', key = KEY }: Change = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const seconds = String(Math.floor(Date.now() / 1000) - agoSeconds);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-chat-key': key,
    'x-chat-timestamp': seconds,
    'x-chat-signature': createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex'),
  };
  const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== drop));
  return system.api('POST /api/callback/chat', { body: text, headers: sent, marker: false });
}

const text = (words: string) => ({ message_type: 'text', payload: { text: words } });
const accepted = { accepted: true };

test('an answer of the backend is the customer’s once, and only when it is signed in time', async () => {
  const visitor = await newVisitor(system);
  await say(system, visitor, 'hello');
  const conversation = await conversationOf(system, visitor);
  const one = { id: randomUUID(), conversation, message: text('hello to you') };
  for (const drop of ['x-chat-key', 'x-chat-timestamp', 'x-chat-signature']) {
    assertRefused(await answer(one, { drop }), 'KEY_MISSING');
  }
  for (const change of [{ secret: 'a guess' }, { key: 'another' }, { agoSeconds: 400 }, { agoSeconds: -400 }]) {
    assertRefused(await answer(one, change), 'KEY_INVALID');
  }
  for (let times = 0; times < 3; times += 1) {
    const { status, body } = await answer(one);
    assert.deepEqual([status, body], [200, accepted]);
  }
  for (const body of [
    '{',
    '[]',
    '',
    { ...one, id: '' },
    { ...one, id: 'x'.repeat(65) },
    { ...one, conversation: 7 },
    { id: randomUUID(), conversation },
  ]) {
    assertRefused(await answer(body), 'NO_DATA', 'MALFORMED', 400);
  }
  assertRefused(await answer({ ...one, id: randomUUID(), conversation: randomUUID() }), 'NO_DATA', 'CONVERSATION');
  assertRefused(await answer({ ...one, id: randomUUID(), conversation: 'x' }), 'NO_DATA', 'CONVERSATION');
  assertRefused(await answer({ ...one, id: randomUUID(), conversation: 'x\0' }), 'NO_DATA', 'MALFORMED', 400);
  assert.equal((await answer({ ...one, more: 'x'.repeat(300 * 1024) })).status, 413);
  const messages = (await historyOf(system, visitor)).body as { sender: string; message: object }[];
  assert.deepEqual(
    messages.map(({ sender, message }) => [sender, message]),
    [
      ['other', text('hello to you')],
      ['customer', text('hello')],
    ],
  );
});

test('an answer of no shape that we know is kept as unknown, and never leads to a file or a script of ours', async () => {
  const visitor = await newVisitor(system);
  await say(system, visitor, 'hello');
  const conversation = await conversationOf(system, visitor);
  const media = (payload: object) => ({ message_type: 'media', payload: { fileType: 'image', ...payload } });
  const strange = [
    null,
    'words',
    { message_type: 'carousel', payload: {} },
    { message_type: 'text', payload: { text: 'x'.repeat(3_000) } },
    { message_type: 'buttons', payload: { text: 'x', buttons: [{ type: 'web', title: 'x', url: 'javascript:1' }] } },
    media({ url: 'javascript:alert(1)' }),
    media({ url: '' }),
    media({ url: 'https://backend.example/\u0000.png' }),
    { message_type: 'generic', payload: { elements: [{ title: 'x', image_url: 'https://a.example/\ud800' }] } },
  ];
  for (const message of strange) {
    assert.deepEqual((await answer({ id: randomUUID(), conversation, message })).body, accepted);
  }
  const url = 'https://backend.example/a.png';
  await answer({ id: randomUUID(), conversation, message: media({ url, filePath: 'chat-file/of-somebody.png' }) });
  const [last, ...others] = (await historyOf(system, visitor)).body as { message: Kept['message'] }[];
  assert.deepEqual(last?.message, media({ url, filePath: '', message: '' }));
  for (const { message } of others.slice(0, strange.length)) {
    assert.deepEqual(message, { message_type: 'unknown', payload: {} });
  }
});

test('a robot’s answer leaves a customer who needs a person in the queue, until a person answers', async () => {
  const visitor = await newVisitor(system);
  await say(system, visitor, 'my deposit is missing');
  const conversation = await conversationOf(system, visitor);
  const isWaiting = async (): Promise<boolean> =>
    (await runCommand(system, 'chat')).output.includes(`${conversation}  `);
  const answerAs = async (by: object): Promise<void> => {
    const { body } = await answer({ id: randomUUID(), conversation, message: text('an answer'), ...by });
    assert.deepEqual(body, accepted);
  };
  await answerAs({ author: 'robot', needsPerson: true });
  assert.equal(await isWaiting(), true);
  // Whatever else the robot replies, in any order.
  await answerAs({ author: 'robot', needsPerson: false });
  assert.equal(await isWaiting(), true);
  await answerAs({ author: 'person' });
  assert.equal(await isWaiting(), false);
  await say(system, visitor, 'and how do I withdraw?');
  await answerAs({ author: 'robot' });
  assert.equal(await isWaiting(), false, 'what the robot can answer needs no person');
  await answerAs({ author: 'robot', needsPerson: true });
  assert.equal(await isWaiting(), true);
  assert.equal((await runCommand(system, 'chat', ['reply', conversation, 'suda', 'Here.'])).status, 0);
  assert.equal(await isWaiting(), false);
  assertRefused(
    await answer({ id: randomUUID(), conversation, message: text('x'), author: 'nobody' }),
    'NO_DATA',
    'MALFORMED',
    400,
  );
});

test('customers get a ticket for their own room at the backend, and never for another’s', async () => {
  const key = new TextEncoder().encode(SECRET);
  const talkers = await eachKind(system);
  for (const talker of talkers) {
    const { backend } = (await configAs(system, talker.authorization)).body;
    assert.equal(backend.url, system.simulatorsUrl);
    const { payload } = await jwtVerify(backend.ticket, key, { algorithms: ['HS256'] });
    const { exp = 0, ...claims } = payload;
    assert.deepEqual(claims, { room: chatRoom(talker.id) });
    assert.ok(Math.abs(exp - Date.now() / 1000 - 12 * 3_600) < 120);
    const socket = io(backend.url, { transports: ['websocket'], forceNew: true });
    const join = (room: string) => socket.emitWithAck('join', { room, ticket: backend.ticket });
    assert.deepEqual(await join(chatRoom(talker.id)), { joined: true });
    assert.deepEqual(await join(chatRoom(newGuestId())), { joined: false });
    socket.disconnect();
  }
  const [, visitor] = talkers;
  const { body } = await configAs(system, `Guest ${visitor.guestId}`);
  assert.deepEqual([body.guestSecret, body.backend], [null, null]);
  const { body: fresh } = await configAs(system, `Guest ${newGuestId()}`);
  assert.ok(fresh.guestSecret !== null && fresh.backend !== null);
});

test('pages may talk to the backend’s socket where there is one, and nothing waits where there is none', async () => {
  const connectOf = async (url: string) =>
    /connect-src ([^;]*)/.exec((await fetch(url)).headers.get('content-security-policy') ?? '')?.[1];
  assert.equal(await connectOf(system.url), `'self' ${system.simulatorsUrl.replace('http', 'ws')}`);
  const alone = await startSystem({ webDirectory: web });
  assert.equal(await connectOf(alone.url), "'self'");
  const visitor = await newVisitor(alone);
  assert.equal((await say(alone, visitor, 'hello')).status, 200);
  assert.equal((await configAs(alone, visitor.authorization)).body.backend, null);
  assert.equal((await callAs(alone, visitor, 'POST /api/callback/chat', {})).status, 404);
  assert.doesNotMatch((await alone.api('GET /metrics')).body, /krapao_chat_messages_untold/);
  await alone.stop();
});
