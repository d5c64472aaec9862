import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { io } from 'socket.io-client';
import { waitUntil } from '../event/member-socket.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  callAsCustomer,
  readChatConfig,
  readHistory,
  newGuestId,
  newMemberCustomer,
  newVisitorCustomer,
  sendText,
  textMessage,
} from './chat-fixtures.ts';

/** Visitors whose client uses the chat's paths and fields, but no guest secret. */
let system: System;

before(async () => {
  system = await startSystem();
});
after(() => system.stop());

const sendMessage = (guestId: string, text: string, overrides: object = {}) =>
  system.api('POST /api/chat/send-message', {
    body: {
      sender: 'customer',
      message: textMessage(text),
      userId: '',
      guestId,
      username: '',
      name: '',
      deviceToken: '',
      createdAt: new Date().toISOString(),
      session_id: 'session-1',
      ...overrides,
    },
  });
const history = (guestId: string, userId = '') =>
  system.api('POST /api/chat/history', { body: { userId, guestId, limit: 10, skip: 0 } });
const readMessages = (guestId: string, userId = '') =>
  system.api('PUT /api/chat/read-customer/', { body: { userId, guestId } });

async function joinRoom(
  request: object,
): Promise<{ reply: unknown; received: { guestId: string }[]; close: () => void }> {
  const socket = io(system.url, { transports: ['websocket'], forceNew: true });
  const received: { guestId: string }[] = [];
  socket.on('messaging', (message: { guestId: string }) => received.push(message));
  const reply: unknown = await socket.emitWithAck('join', request);
  return { reply, received, close: () => void socket.close() };
}

test('a visitor with only a locally generated guest-id gets the prefix, joins, sends, reads and marks as read', async () => {
  for (const guestId of [newGuestId(), randomUUID()]) {
    const config = await system.api('GET /api/chat/config');
    assert.equal(config.status, 200);
    assert.deepEqual((await history(guestId)).body, []);
    const room = await joinRoom({ room: `${config.body.PREFIX}${guestId}` });
    assert.deepEqual(room.reply, { joined: true });
    const sentReply = await sendMessage(guestId, 'hello');
    assert.equal(sentReply.status, 200, JSON.stringify(sentReply.body));
    assert.ok(Math.abs(Date.parse(sentReply.body.createdAt) - Date.now()) < 60_000);
    const { status, body } = await history(guestId);
    assert.equal(status, 200);
    assert.deepEqual(
      body.map(({ message, createdAt }: { message: object; createdAt: string }) => [message, createdAt]),
      [[textMessage('hello'), sentReply.body.createdAt]],
    );
    await waitUntil(
      () => room.received.length === 1,
      () => 'the room was not told',
    );
    assert.equal(room.received[0]?.guestId, guestId);
    room.close();
    assert.equal((await readMessages(guestId)).status, 200);
  }
});

test('a field that a client sends as null equals a missing field', async () => {
  const guestId = newGuestId();
  const emptyFields = {
    userId: null,
    username: null,
    name: null,
    deviceToken: null,
    createdAt: null,
    session_id: null,
  };
  assert.equal((await sendMessage(guestId, 'hello', emptyFields)).status, 200);
  const [message] = (await history(guestId)).body;
  assert.deepEqual([message.userId, message.username, message.name, message.deviceToken], ['', '', '', '']);
});

test('a guest-id with a secret is refused without it, and a guest-id in use gets no secret [R-CHAT-07]', async () => {
  const owner = await newVisitorCustomer(system);
  await sendText(system, owner, 'private');
  for (const reply of [
    await sendMessage(owner.id, 'as the owner'),
    await history(owner.id),
    await readMessages(owner.id),
  ]) {
    assert.deepEqual([reply.status, reply.body], [403, { message: 'KEY_MISSING', detail: 'GUEST_SECRET' }]);
  }
  for (const request of [{}, { guestSecret: null }, { token: null }]) {
    const room = await joinRoom({ room: `chat:${owner.id}`, ...request });
    assert.deepEqual(room.reply, { joined: false, message: 'KEY_INVALID' });
    room.close();
  }
  assert.equal((await readHistory(system, owner)).body.length, 1);
  const guestId = newGuestId();
  await sendMessage(guestId, 'mine');
  assert.equal((await readChatConfig(system, `Guest ${guestId}`)).body.guestSecret, null);
  assert.equal((await readChatConfig(system, `Guest ${guestId}.x`)).body.message, 'KEY_INVALID');
  assert.equal((await history(guestId)).body.length, 1, 'its visitor is not locked out');
});

test('without a session no field, room or form of guest-id makes a caller a member [R-CHAT-07]', async () => {
  const member = await newMemberCustomer(system);
  await sendText(system, member, 'private');
  const attempts: [guestId: string, userId: string, message: string][] = [
    ['', '', 'KEY_MISSING'],
    ['', member.id, 'KEY_MISSING'],
    [newGuestId(), member.id, 'KEY_MISSING'],
    [member.id, '', 'KEY_INVALID'],
    ['guest-1', '', 'KEY_INVALID'],
    ['0123456789abcdef', '', 'KEY_INVALID'],
    [newGuestId().toUpperCase(), '', 'KEY_INVALID'],
    ['%', '', 'KEY_INVALID'],
  ];
  await setRateLimits(system, { 'chat.secret.address': 1_000 });
  for (const [guestId, userId, message] of attempts) {
    for (const reply of [
      await sendMessage(guestId, 'x', { userId }),
      await history(guestId, userId),
      await readMessages(guestId, userId),
    ]) {
      assert.deepEqual([reply.status, reply.body.message], [403, message], `${guestId} ${userId}`);
    }
  }
  for (const room of [`chat:${member.id}`, 'chat:', 'chat:guest-1']) {
    const { reply, close } = await joinRoom({ room });
    assert.deepEqual(reply, { joined: false, message: 'KEY_INVALID' }, room);
    close();
  }
  const { body } = await readHistory(system, member);
  assert.deepEqual(
    body.map((message: { message: object }) => message.message),
    [textMessage('private')],
  );
  // An ended session is not treated as a visitor.
  const endedSessionReply = await callAsCustomer(
    system,
    { authorization: `Bearer ${'x'.repeat(43)}` },
    'POST /api/chat/history',
    {
      guestId: newGuestId(),
    },
  );
  assert.equal(endedSessionReply.body.message, 'invalid-token');
});

test("two visitors do not see each other's conversations", async () => {
  const [firstGuestId, otherGuestId] = [newGuestId(), newGuestId()];
  await sendMessage(firstGuestId, 'of one');
  const room = await joinRoom({ room: `chat:${otherGuestId}` });
  await sendMessage(firstGuestId, 'of one again');
  await sendMessage(otherGuestId, 'of the other');
  await waitUntil(
    () => room.received.length > 0,
    () => 'nothing was received',
  );
  assert.deepEqual(
    room.received.map(({ guestId }) => guestId),
    [otherGuestId],
  );
  room.close();
  assert.equal((await history(firstGuestId)).body.length, 2);
  assert.equal((await history(otherGuestId)).body.length, 1);
});

test('new visitors at one address are limited; those with messages continue', async () => {
  await system.database.query('delete from rate_limit');
  await setRateLimits(system, { 'chat.visitor.address': 1 });
  const guestId = newGuestId();
  assert.equal((await sendMessage(guestId, 'first')).status, 200);
  assert.equal((await sendMessage(newGuestId(), 'one too many')).body.message, 'REQUEST_LIMIT');
  assert.equal((await sendMessage(guestId, 'second')).status, 200);
});
