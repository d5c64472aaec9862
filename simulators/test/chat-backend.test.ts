import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { io } from 'socket.io-client';
import { ask, outside, until } from './harness.ts';

const BACKEND_SECRET = 'chat-backend-secret';
const CHAT_ROOM = 'chat:0123456789abcdef0123456789abcdef';

const hmacHex = (text: string, secret = BACKEND_SECRET): string =>
  createHmac('sha256', secret).update(text).digest('hex');

function forwardMessage(address: string, body: object, overrides: { secret?: string; agoS?: number } = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) - (overrides.agoS ?? 0));
  return ask<{ accepted?: boolean; error?: string }>(address, 'POST', '/chat-backend/v1/messages', body, {
    'x-chat-key': 'chat-key',
    'x-chat-timestamp': timestamp,
    'x-chat-signature': hmacHex(`${timestamp}.${JSON.stringify(body)}`, overrides.secret),
  });
}

const customerMessage = (id: string, message: object, sequence = 1) => ({
  id,
  conversation: 'talk-1',
  room: CHAT_ROOM,
  sequence,
  customer: { kind: 'visitor', name: '' },
  message,
});
const helloMessage = { message_type: 'text', payload: { text: 'hello' } };
const turnRobotOff = (address: string) => ask(address, 'POST', '/control/settings', { chatRobot: false });
const readConversation = (address: string) =>
  ask<{ sender: string; message: { message_type: string; payload: Record<string, unknown> } }[]>(
    address,
    'GET',
    '/support/conversations/talk-1',
  );

test('the chat backend stores a message once, and only with a valid signature and time stamp', async (t) => {
  const { address } = await outside(t);
  await turnRobotOff(address);
  assert.equal((await forwardMessage(address, customerMessage('m1', helloMessage), { secret: 'a guess' })).status, 401);
  assert.equal((await forwardMessage(address, customerMessage('m1', helloMessage), { agoS: 400 })).status, 401);
  assert.equal((await forwardMessage(address, { id: 'm1' })).body.error, 'bad_input');
  for (let attempt = 0; attempt < 2; attempt += 1) {
    assert.deepEqual(await forwardMessage(address, customerMessage('m1', helloMessage)), {
      status: 200,
      body: { accepted: true },
    });
  }
  assert.equal((await readConversation(address)).body.length, 1);
});

test('the robot replies in the language of the question until a person takes over, and pushes replies to the operator', async (t) => {
  const { address, listener } = await outside(t);
  listener.answerPush = () => ({ status: 200, body: '{"accepted":true}' });
  await forwardMessage(address, customerMessage('m1', helloMessage));
  await until(() => listener.pushes.length === 1, 'the robot answers');
  const [push = assert.fail('nothing came')] = listener.pushes;
  const greetingPush = JSON.parse(push.text) as { id: string; conversation: string; message: { message_type: string } };
  assert.equal(greetingPush.conversation, 'talk-1');
  assert.equal(greetingPush.message.message_type, 'quick_replies');
  assert.match(push.text, /Deposit/);
  assert.equal(push.headers['x-chat-signature'], hmacHex(`${String(push.headers['x-chat-timestamp'])}.${push.text}`));

  const staffReply = { message_type: 'text', payload: { text: 'Sunee here' } };
  assert.equal((await ask(address, 'POST', '/support/conversations/talk-1/messages', staffReply)).status, 200);
  await forwardMessage(address, customerMessage('m2', helloMessage, 2));
  await until(() => listener.pushes.length === 2, 'it is sent once more');
  const senders = (await readConversation(address)).body.map(({ sender }) => sender);
  assert.deepEqual(senders.toSorted(), ['customer', 'customer', 'other', 'other'], 'the robot is quiet now');
  assert.equal((await ask(address, 'POST', '/support/conversations/nobody/messages', staffReply)).status, 404);
});

test("a reply that the operator's server does not accept is retried unchanged", async (t) => {
  const { address, listener } = await outside(t);
  await turnRobotOff(address);
  await ask(address, 'POST', '/control/settings', { callbacks: { 'chat-backend': { retryMs: [50, 50] } } });
  listener.answerPush = (count) =>
    count === 1 ? { status: 503, body: '{}' } : { status: 200, body: '{"accepted":true}' };
  await forwardMessage(address, customerMessage('m1', helloMessage));
  await ask(address, 'POST', '/support/conversations/talk-1/messages', helloMessage);
  await until(() => listener.pushes.length === 2, 'it is sent once more');
  assert.equal(listener.pushes[0]?.text, listener.pushes[1]?.text);
});

test('only holders of a ticket for a room receive its typing indicator', async (t) => {
  const { address } = await outside(t);
  await turnRobotOff(address);
  await forwardMessage(address, customerMessage('m1', helloMessage));
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const ticketOf = (claims: object, secret = BACKEND_SECRET) => {
    const signingInput = `${encodePart({ alg: 'HS256', typ: 'JWT' })}.${encodePart(claims)}`;
    return `${signingInput}.${createHmac('sha256', secret).update(signingInput).digest('base64url')}`;
  };
  const expiresAt = Math.floor(Date.now() / 1000) + 60;
  const socket = io(address, { transports: ['websocket'], forceNew: true });
  t.after(() => socket.disconnect());
  const joinRoom = (ticket: string) =>
    socket.emitWithAck('join', { room: CHAT_ROOM, ticket }) as Promise<{ joined: boolean }>;
  for (const ticket of [
    '',
    'a.b.c',
    ticketOf({ room: CHAT_ROOM, exp: expiresAt - 120 }),
    ticketOf({ room: 'chat:other', exp: expiresAt }),
    ticketOf({ room: CHAT_ROOM, exp: expiresAt }, 'a guess'),
  ]) {
    assert.deepEqual(await joinRoom(ticket), { joined: false });
  }
  assert.deepEqual(await joinRoom(ticketOf({ room: CHAT_ROOM, exp: expiresAt })), { joined: true });
  const typingEvent = new Promise((resolve) => void socket.once('typing', resolve));
  await ask(address, 'POST', '/support/conversations/talk-1/typing', {});
  assert.deepEqual(await typingEvent, { room: CHAT_ROOM });
});

type ListedConversation = { id: string; unread: number; waitingSince: number | null; lastAt: number; sender: string };
const listConversations = async (address: string) =>
  (await ask<ListedConversation[]>(address, 'GET', '/support/conversations')).body;
const ofTalk = async (address: string, id = 'talk-1'): Promise<ListedConversation> =>
  (await listConversations(address)).find((conversation) => conversation.id === id) ?? assert.fail(`no ${id}`);

test('the support page lists unread messages and waiting customers, longest waiting first', async (t) => {
  const { address } = await outside(t);
  await turnRobotOff(address);
  const startedAt = Date.now();
  await forwardMessage(address, customerMessage('m1', helloMessage));
  await forwardMessage(address, customerMessage('m2', helloMessage, 2));
  const { unread, waitingSince, lastAt, sender } = await ofTalk(address);
  assert.deepEqual([unread, sender], [2, 'customer']);
  assert.ok(waitingSince !== null && waitingSince >= startedAt && waitingSince <= lastAt && lastAt <= Date.now());
  await forwardMessage(address, { ...customerMessage('n1', helloMessage), conversation: 'talk-2' });
  assert.deepEqual(
    (await listConversations(address)).map(({ id }) => id),
    ['talk-1', 'talk-2'],
  );
  // A read message still counts as unanswered.
  assert.equal((await ask(address, 'POST', '/support/conversations/talk-1/seen', {})).status, 200);
  assert.deepEqual(await ofTalk(address), { ...(await ofTalk(address)), unread: 0, waitingSince });
  await ask(address, 'POST', '/support/conversations/talk-2/messages', helloMessage);
  const answeredConversation = await ofTalk(address, 'talk-2');
  assert.deepEqual([answeredConversation.unread, answeredConversation.waitingSince], [0, null]);
  await forwardMessage(address, { ...customerMessage('n2', helloMessage, 2), conversation: 'talk-2' });
  const laterConversation = await ofTalk(address, 'talk-2');
  assert.ok(
    laterConversation.unread === 1 &&
      laterConversation.waitingSince !== null &&
      laterConversation.waitingSince >= answeredConversation.lastAt,
  );
});

test('the robot replies to questions, but a request for a person stays open', async (t) => {
  const { address, listener } = await outside(t);
  listener.answerPush = () => ({ status: 200, body: '{"accepted":true}' });
  await forwardMessage(address, customerMessage('m1', helloMessage));
  await until(async () => (await ofTalk(address)).waitingSince === null, 'the robot has answered');
  assert.equal((await ofTalk(address)).unread, 1);
  const personRequests = [
    { message_type: 'postback', payload: { title: 'Talk to a person', payload: 'topic:person' } },
    { message_type: 'text', payload: { text: 'คุยกับเจ้าหน้าที่' } },
  ];
  for (const [index, personRequest] of personRequests.entries()) {
    const id = `wants-${index}`;
    await forwardMessage(address, { ...customerMessage(id, personRequest), conversation: id });
    await until(async () => (await ofTalk(address, id)).sender === 'other', 'the robot answers');
    const { waitingSince } = await ofTalk(address, id);
    await forwardMessage(address, { ...customerMessage(`${id}-more`, helloMessage, 2), conversation: id });
    assert.ok(waitingSince !== null);
    assert.equal((await ofTalk(address, id)).waitingSince, waitingSince);
    await ask(address, 'POST', `/support/conversations/${id}/messages`, helloMessage);
    assert.equal((await ofTalk(address, id)).waitingSince, null);
  }
});

type PushedReply = { author: string; needsPerson: boolean; message: { payload: { text: string } } };

test('a file, and a text the robot cannot handle, keep the customer in the queue, with position and wait in their language', async (t) => {
  const { address, listener } = await outside(t);
  listener.answerPush = () => ({ status: 200, body: '{"accepted":true}' });
  const pushedReply = async (count: number): Promise<PushedReply> => {
    await until(() => listener.pushes.length === count, 'the robot answers');
    return JSON.parse(listener.pushes.at(-1)?.text ?? '{}') as PushedReply;
  };
  const file = { message_type: 'media', payload: { fileType: 'image', url: 'https://site.example/slip.png' } };
  await forwardMessage(address, customerMessage('m1', helloMessage));
  const greetingReply = await pushedReply(1);
  assert.deepEqual([greetingReply.author, greetingReply.needsPerson], ['robot', false]);
  await forwardMessage(address, customerMessage('m2', file, 2));
  const firstReply = await pushedReply(2);
  assert.deepEqual([firstReply.author, firstReply.needsPerson], ['robot', true]);
  assert.match(firstReply.message.payload.text, /number 1 in the queue\. The wait is about 3 minutes/);
  const { waitingSince, isRobot } = (await ofTalk(address)) as ListedConversation & { isRobot: number };
  assert.ok(waitingSince !== null && isRobot === 1);
  await forwardMessage(address, {
    ...customerMessage('n1', { message_type: 'text', payload: { text: 'ສະບາຍດີ' } }),
    conversation: 'talk-2',
  });
  await pushedReply(3);
  await forwardMessage(address, { ...customerMessage('n2', file, 2), conversation: 'talk-2' });
  assert.match((await pushedReply(4)).message.payload.text, /ຄິວທີ 2 ລໍຖ້າປະມານ 6 ນາທີ/);
  await forwardMessage(
    address,
    customerMessage('m3', { message_type: 'text', payload: { text: 'my deposit of 300 is missing' } }, 3),
  );
  assert.equal((await pushedReply(5)).needsPerson, true);
  const topicMessage = { message_type: 'postback', payload: { title: 'Deposit', payload: 'topic:deposit' } };
  await forwardMessage(address, customerMessage('m4', topicMessage, 4));
  assert.equal((await pushedReply(6)).needsPerson, true, 'an answered question does not end the waiting for a person');
  await ask(address, 'POST', '/support/conversations/talk-1/messages', helloMessage);
  const personReply = await pushedReply(7);
  assert.deepEqual([personReply.author, personReply.needsPerson], ['person', false]);
  assert.equal((await ofTalk(address)).waitingSince, null);
});
