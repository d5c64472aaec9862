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
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { runCommand } from '../harness/command.ts';
import { injectFault } from '../harness/operator.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  API_KEY,
  callAsCustomer,
  outsideWithBackend,
  SIGNING_SECRET,
  readChatConfig,
  readConversationId,
  newVisitorAndMember,
  readHistory,
  newGuestId,
  newVisitorCustomer,
  sendText,
} from './chat-fixtures.ts';
import { sendFileMessage, uploadFile } from './file-fixtures.ts';

let system: System;
let second: ServerProcess;
let webDirectory: string;

before(async () => {
  webDirectory = mkdtempSync(join(tmpdir(), 'krapao-web-'));
  mkdirSync(join(webDirectory, 'lao'));
  writeFileSync(join(webDirectory, 'index.html'), '<!doctype html><title>app</title>');
  system = await startSystem({ outside: outsideWithBackend, webDirectory });
  assert.equal((await system.simulatorsApi('POST /control/settings', { body: { chatRobot: false } })).status, 200);
  second = await startServerProcess(system);
});
after(async () => {
  await second.stop();
  await system.stop();
  rmSync(webDirectory, { recursive: true, force: true });
});

type ListedConversation = { id: string; kind: string; name: string };
type StoredMessage = { id: string; sender: string; message: { message_type: string; payload: Record<string, string> } };

const readStoredMessages = async (conversation: string): Promise<StoredMessage[]> =>
  (await system.simulatorsApi('GET /support/conversations/{conversation}', { params: { conversation } })).body;

const waitForStoredMessages = (conversation: string, count: number): Promise<StoredMessage[]> =>
  waitUntil(
    () => readStoredMessages(conversation),
    (storedMessages) => storedMessages.length >= count,
    'told to the backend',
  );

const textsOf = (storedMessages: StoredMessage[]): string[] =>
  storedMessages.map(({ message }) => message.payload['text'] ?? '');

const waitForEmptyQueue = (): Promise<string> =>
  waitUntil(
    async () => (await system.api('GET /metrics')).body as string,
    (text) => text.includes('krapao_chat_messages_untold 0'),
    'nothing waits',
  );

test('the chat backend receives messages of members and visitors in order and once, from two nodes', async () => {
  const customers = await Promise.all([newVisitorAndMember(system), newVisitorAndMember(system)]);
  for (const customer of customers.flat()) {
    for (let index = 0; index < 6; index += 1)
      assert.equal((await sendText(system, customer, `words ${index}`)).status, 200);
  }
  for (const customer of customers.flat()) {
    const conversation = await readConversationId(system, customer);
    const storedMessages = await waitForStoredMessages(conversation, 6);
    assert.deepEqual(textsOf(storedMessages), ['words 0', 'words 1', 'words 2', 'words 3', 'words 4', 'words 5']);
    const { body: messages } = await readHistory(system, customer);
    assert.deepEqual(
      storedMessages.map(({ id }) => id),
      messages.map(({ _id }: { _id: string }) => _id).toReversed(),
    );
    const listedConversations = (await system.simulatorsApi('GET /support/conversations')).body as ListedConversation[];
    const { kind, name } = listedConversations.find(({ id }) => id === conversation) ?? assert.fail('not listed');
    assert.deepEqual([kind, name], customer.userId === '' ? ['visitor', ''] : ['member', 'Somjai']);
  }
});

test('a failing chat backend delays no customer, and gets every message in order when it is back', async () => {
  const visitor = await newVisitorCustomer(system);
  await sendText(system, visitor, 'first');
  const conversation = await readConversationId(system, visitor);
  await waitForStoredMessages(conversation, 1);
  await waitForEmptyQueue();
  await injectFault(system, { target: 'chat-backend', fault: 'error-500', times: 1_000 });
  for (const messageText of ['second', 'third'])
    assert.equal((await sendText(system, visitor, messageText)).status, 200);
  await waitUntil(
    async () =>
      (await system.simulatorsApi('GET /control/calls?target=chat-backend&limit=1')).body as { status: number }[],
    ([last]) => last?.status === 500,
    'it fails',
  );
  const { body: metrics } = await system.api('GET /metrics');
  assert.match(metrics, /^krapao_chat_messages_untold 2$/m);
  await system.simulatorsApi('DELETE /control/faults?target=chat-backend');
  assert.deepEqual(textsOf(await waitForStoredMessages(conversation, 3)), ['first', 'second', 'third']);
  await waitForEmptyQueue();
});

test('a message that the chat backend refuses permanently does not delay those after it', async () => {
  const visitor = await newVisitorCustomer(system);
  await sendText(system, visitor, 'first');
  const conversation = await readConversationId(system, visitor);
  await waitForStoredMessages(conversation, 1);
  await injectFault(system, { target: 'chat-backend', fault: 'decline', times: 1 });
  await sendText(system, visitor, 'refused once');
  assert.deepEqual(textsOf(await waitForStoredMessages(conversation, 2)), ['first', 'refused once']);
  await waitForEmptyQueue();
  // Simulates minutes of refusals.
  await system.database.query('update chat_conversation set forward_tries = 7 where id = $1', [conversation]);
  await injectFault(system, { target: 'chat-backend', fault: 'decline', times: 1 });
  for (const messageText of ['refused for good', 'after it']) await sendText(system, visitor, messageText);
  assert.deepEqual(textsOf(await waitForStoredMessages(conversation, 3)), ['first', 'refused once', 'after it']);
  await waitForEmptyQueue();
});

test('a file is forwarded to the chat backend as a readable address', async () => {
  const visitor = await newVisitorCustomer(system);
  const pngImage = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const { path } = await uploadFile(system, 'image', visitor, pngImage);
  assert.equal((await sendFileMessage(system, visitor, path, { message: 'look' })).status, 200);
  const [storedMessage] = await waitForStoredMessages(await readConversationId(system, visitor), 1);
  const { url = '', ...payload } = storedMessage?.message.payload ?? {};
  assert.deepEqual(payload, { message: 'look', fileType: 'image', filePath: path });
  const fileReply = await fetch(url);
  assert.equal(fileReply.headers.get('content-type'), 'image/png');
});

type SignatureChange = { secret?: string; agoSeconds?: number; droppedHeader?: string; key?: string };

async function sendReply(
  body: unknown,
  { secret = SIGNING_SECRET, agoSeconds = 0, droppedHeader = '', key = API_KEY }: SignatureChange = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const seconds = String(Math.floor(Date.now() / 1000) - agoSeconds);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-chat-key': key,
    'x-chat-timestamp': seconds,
    'x-chat-signature': createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex'),
  };
  const sentHeaders = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== droppedHeader));
  return system.api('POST /api/callback/chat', { body: text, headers: sentHeaders, hasMarkerHeader: false });
}

const textMessageOf = (messageText: string) => ({ message_type: 'text', payload: { text: messageText } });
const acceptedBody = { accepted: true };

test('a signed, timely reply of the chat backend reaches its customer once, and any other reply is refused', async () => {
  const visitor = await newVisitorCustomer(system);
  await sendText(system, visitor, 'hello');
  const conversation = await readConversationId(system, visitor);
  const replyBody = { id: randomUUID(), conversation, message: textMessageOf('hello to you') };
  for (const droppedHeader of ['x-chat-key', 'x-chat-timestamp', 'x-chat-signature']) {
    assertRefused(await sendReply(replyBody, { droppedHeader }), 'KEY_MISSING');
  }
  for (const signatureChange of [
    { secret: 'a guess' },
    { key: 'another' },
    { agoSeconds: 302 },
    { agoSeconds: -330 },
  ]) {
    assertRefused(await sendReply(replyBody, signatureChange), 'KEY_INVALID');
  }
  for (const agoSeconds of [0, 270, -298]) {
    const { status, body } = await sendReply(replyBody, { agoSeconds });
    assert.deepEqual([status, body], [200, acceptedBody]);
  }
  for (const body of [
    '{',
    '[]',
    '',
    { ...replyBody, id: '' },
    { ...replyBody, id: 'x'.repeat(65) },
    { ...replyBody, conversation: 7 },
    { id: randomUUID(), conversation },
  ]) {
    assertRefused(await sendReply(body), 'NO_DATA', 'MALFORMED', 400);
  }
  assertRefused(
    await sendReply({ ...replyBody, id: randomUUID(), conversation: randomUUID() }),
    'NO_DATA',
    'CONVERSATION',
  );
  assertRefused(await sendReply({ ...replyBody, id: randomUUID(), conversation: 'x' }), 'NO_DATA', 'CONVERSATION');
  assertRefused(await sendReply({ ...replyBody, id: randomUUID(), conversation: 'x\0' }), 'NO_DATA', 'MALFORMED', 400);
  assert.equal((await sendReply({ ...replyBody, more: 'x'.repeat(300 * 1024) })).status, 413);
  const messages = (await readHistory(system, visitor)).body as { sender: string; message: object }[];
  assert.deepEqual(
    messages.map(({ sender, message }) => [sender, message]),
    [
      ['other', textMessageOf('hello to you')],
      ['customer', textMessageOf('hello')],
    ],
  );
});

test('a backend reply of unknown shape is stored as unknown, and never opens a file or script of this site', async () => {
  const visitor = await newVisitorCustomer(system);
  await sendText(system, visitor, 'hello');
  const conversation = await readConversationId(system, visitor);
  const mediaMessage = (payload: object) => ({ message_type: 'media', payload: { fileType: 'image', ...payload } });
  const invalidMessages = [
    null,
    'words',
    { message_type: 'carousel', payload: {} },
    { message_type: 'text', payload: { text: 'x'.repeat(3_000) } },
    { message_type: 'buttons', payload: { text: 'x', buttons: [{ type: 'web', title: 'x', url: 'javascript:1' }] } },
    mediaMessage({ url: 'javascript:alert(1)' }),
    mediaMessage({ url: '' }),
    mediaMessage({ url: 'https://backend.example/\u0000.png' }),
    { message_type: 'generic', payload: { elements: [{ title: 'x', image_url: 'https://a.example/\ud800' }] } },
  ];
  for (const message of invalidMessages) {
    assert.deepEqual((await sendReply({ id: randomUUID(), conversation, message })).body, acceptedBody);
  }
  const url = 'https://backend.example/a.png';
  await sendReply({
    id: randomUUID(),
    conversation,
    message: mediaMessage({ url, filePath: 'chat-file/of-somebody.png' }),
  });
  const [last, ...olderMessages] = (await readHistory(system, visitor)).body as { message: StoredMessage['message'] }[];
  assert.deepEqual(last?.message, mediaMessage({ url, filePath: '', message: '' }));
  for (const { message } of olderMessages.slice(0, invalidMessages.length)) {
    assert.deepEqual(message, { message_type: 'unknown', payload: {} });
  }
});

test("a robot's reply leaves a customer who needs a person in the queue, until a person replies", async () => {
  const visitor = await newVisitorCustomer(system);
  await sendText(system, visitor, 'my deposit is missing');
  const conversation = await readConversationId(system, visitor);
  const isWaiting = async (): Promise<boolean> =>
    (await runCommand(system, 'chat')).output.includes(`${conversation}  `);
  const replyAsAuthor = async (author: object): Promise<void> => {
    const { body } = await sendReply({
      id: randomUUID(),
      conversation,
      message: textMessageOf('an answer'),
      ...author,
    });
    assert.deepEqual(body, acceptedBody);
  };
  await replyAsAuthor({ author: 'robot', needsPerson: true });
  assert.equal(await isWaiting(), true);
  // The robot's other replies, in any order.
  await replyAsAuthor({ author: 'robot', needsPerson: false });
  assert.equal(await isWaiting(), true);
  await replyAsAuthor({ author: 'person' });
  assert.equal(await isWaiting(), false);
  await sendText(system, visitor, 'and how do I withdraw?');
  await replyAsAuthor({ author: 'robot' });
  assert.equal(await isWaiting(), false, 'what the robot can answer needs no person');
  await replyAsAuthor({ author: 'robot', needsPerson: true });
  assert.equal(await isWaiting(), true);
  assert.equal((await runCommand(system, 'chat', ['reply', conversation, 'suda', 'Here.'])).status, 0);
  assert.equal(await isWaiting(), false);
  assertRefused(
    await sendReply({ id: randomUUID(), conversation, message: textMessageOf('x'), author: 'nobody' }),
    'NO_DATA',
    'MALFORMED',
    400,
  );
});

test("customers get a ticket for their own room at the chat backend, and never for another's", async () => {
  const key = new TextEncoder().encode(SIGNING_SECRET);
  const customers = await newVisitorAndMember(system);
  for (const customer of customers) {
    const { backend } = (await readChatConfig(system, customer.authorization)).body;
    assert.equal(backend.url, system.simulatorsUrl);
    const { payload } = await jwtVerify(backend.ticket, key, { algorithms: ['HS256'] });
    const { exp = 0, ...claims } = payload;
    assert.deepEqual(claims, { room: chatRoom(customer.id) });
    assert.ok(Math.abs(exp - Date.now() / 1000 - 12 * 3_600) < 120);
    const socket = io(backend.url, { transports: ['websocket'], forceNew: true });
    const joinRoom = (room: string) => socket.emitWithAck('join', { room, ticket: backend.ticket });
    assert.deepEqual(await joinRoom(chatRoom(customer.id)), { joined: true });
    assert.deepEqual(await joinRoom(chatRoom(newGuestId())), { joined: false });
    socket.disconnect();
  }
  const [, visitor] = customers;
  const { body } = await readChatConfig(system, `Guest ${visitor.guestId}`);
  assert.deepEqual([body.guestSecret, body.backend], [null, null]);
  const { body: fresh } = await readChatConfig(system, `Guest ${newGuestId()}`);
  assert.ok(fresh.guestSecret !== null && fresh.backend !== null);
});

test("the content security policy permits the chat backend's socket only where there is one", async () => {
  const readConnectPolicy = async (url: string) =>
    /connect-src ([^;]*)/.exec((await fetch(url)).headers.get('content-security-policy') ?? '')?.[1];
  assert.equal(await readConnectPolicy(system.url), `'self' ${system.simulatorsUrl.replace('http', 'ws')}`);
  const separateSystem = await startSystem({ webDirectory });
  assert.equal(await readConnectPolicy(separateSystem.url), "'self'");
  const visitor = await newVisitorCustomer(separateSystem);
  assert.equal((await sendText(separateSystem, visitor, 'hello')).status, 200);
  assert.equal((await readChatConfig(separateSystem, visitor.authorization)).body.backend, null);
  assert.equal((await callAsCustomer(separateSystem, visitor, 'POST /api/callback/chat', {})).status, 404);
  assert.doesNotMatch((await separateSystem.api('GET /metrics')).body, /krapao_chat_messages_untold/);
  await separateSystem.stop();
});
