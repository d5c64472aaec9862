import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { io } from 'socket.io-client';
import { ask, outside, until } from './harness.ts';

const SECRET = 'chat-backend-secret';
const ROOM = 'chat:0123456789abcdef0123456789abcdef';

const hmac = (text: string, secret = SECRET): string => createHmac('sha256', secret).update(text).digest('hex');

function handOver(address: string, body: object, change: { secret?: string; agoS?: number } = {}) {
  const timestamp = String(Math.floor(Date.now() / 1000) - (change.agoS ?? 0));
  return ask<{ accepted?: boolean; error?: string }>(address, 'POST', '/chat-backend/v1/messages', body, {
    'x-chat-key': 'chat-key',
    'x-chat-timestamp': timestamp,
    'x-chat-signature': hmac(`${timestamp}.${JSON.stringify(body)}`, change.secret),
  });
}

const written = (id: string, message: object, sequence = 1) => ({
  id,
  conversation: 'talk-1',
  room: ROOM,
  sequence,
  customer: { kind: 'visitor', name: '' },
  message,
});
const hello = { message_type: 'text', payload: { text: 'hello' } };
const quiet = (address: string) => ask(address, 'POST', '/control/settings', { chatRobot: false });
const talk = (address: string) =>
  ask<{ sender: string; message: { message_type: string; payload: Record<string, unknown> } }[]>(
    address,
    'GET',
    '/support/conversations/talk-1',
  );

test('a message is stored once, and only with a valid signature and time stamp', async (t) => {
  const { address } = await outside(t);
  await quiet(address);
  assert.equal((await handOver(address, written('m1', hello), { secret: 'a guess' })).status, 401);
  assert.equal((await handOver(address, written('m1', hello), { agoS: 400 })).status, 401);
  assert.equal((await handOver(address, { id: 'm1' })).body.error, 'bad_input');
  for (let times = 0; times < 2; times += 1) {
    assert.deepEqual(await handOver(address, written('m1', hello)), { status: 200, body: { accepted: true } });
  }
  assert.equal((await talk(address)).body.length, 1);
});

test('the robot answers in the language of the question until a person takes over, and pushes its answers to the operator', async (t) => {
  const { address, listener } = await outside(t);
  listener.answerPush = () => ({ status: 200, body: '{"accepted":true}' });
  await handOver(address, written('m1', hello));
  await until(() => listener.pushes.length === 1, 'the robot answers');
  const [push = assert.fail('nothing came')] = listener.pushes;
  const greetingPush = JSON.parse(push.text) as { id: string; conversation: string; message: { message_type: string } };
  assert.equal(greetingPush.conversation, 'talk-1');
  assert.equal(greetingPush.message.message_type, 'quick_replies');
  assert.match(push.text, /Deposit/);
  assert.equal(push.headers['x-chat-signature'], hmac(`${String(push.headers['x-chat-timestamp'])}.${push.text}`));

  const answer = { message_type: 'text', payload: { text: 'Sunee here' } };
  assert.equal((await ask(address, 'POST', '/support/conversations/talk-1/messages', answer)).status, 200);
  await handOver(address, written('m2', hello, 2));
  await until(() => listener.pushes.length === 2, 'it is sent once more');
  const senders = (await talk(address)).body.map(({ sender }) => sender);
  assert.deepEqual(senders.toSorted(), ['customer', 'customer', 'other', 'other'], 'the robot is quiet now');
  assert.equal((await ask(address, 'POST', '/support/conversations/nobody/messages', answer)).status, 404);
});

test('an answer that the operator does not accept is retried unchanged', async (t) => {
  const { address, listener } = await outside(t);
  await quiet(address);
  await ask(address, 'POST', '/control/settings', { callbacks: { 'chat-backend': { retryMs: [50, 50] } } });
  listener.answerPush = (count) =>
    count === 1 ? { status: 503, body: '{}' } : { status: 200, body: '{"accepted":true}' };
  await handOver(address, written('m1', hello));
  await ask(address, 'POST', '/support/conversations/talk-1/messages', hello);
  await until(() => listener.pushes.length === 2, 'it is sent once more');
  assert.equal(listener.pushes[0]?.text, listener.pushes[1]?.text);
});

test('only holders of a ticket for a room receive its typing indicator', async (t) => {
  const { address } = await outside(t);
  await quiet(address);
  await handOver(address, written('m1', hello));
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const ticketOf = (claims: object, secret = SECRET) => {
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  const exp = Math.floor(Date.now() / 1000) + 60;
  const socket = io(address, { transports: ['websocket'], forceNew: true });
  t.after(() => socket.disconnect());
  const join = (ticket: string) => socket.emitWithAck('join', { room: ROOM, ticket }) as Promise<{ joined: boolean }>;
  for (const ticket of [
    '',
    'a.b.c',
    ticketOf({ room: ROOM, exp: exp - 120 }),
    ticketOf({ room: 'chat:other', exp }),
    ticketOf({ room: ROOM, exp }, 'a guess'),
  ]) {
    assert.deepEqual(await join(ticket), { joined: false });
  }
  assert.deepEqual(await join(ticketOf({ room: ROOM, exp })), { joined: true });
  const indicator = new Promise((resolve) => void socket.once('typing', resolve));
  await ask(address, 'POST', '/support/conversations/talk-1/typing', {});
  assert.deepEqual(await indicator, { room: ROOM });
});

type Listed = { id: string; unread: number; waitingSince: number | null; lastAt: number; sender: string };
const desk = async (address: string) => (await ask<Listed[]>(address, 'GET', '/support/conversations')).body;
const ofTalk = async (address: string, id = 'talk-1'): Promise<Listed> =>
  (await desk(address)).find((one) => one.id === id) ?? assert.fail(`no ${id}`);

test('the support page lists unread messages and waiting customers, longest waiting first', async (t) => {
  const { address } = await outside(t);
  await quiet(address);
  const before = Date.now();
  await handOver(address, written('m1', hello));
  await handOver(address, written('m2', hello, 2));
  const { unread, waitingSince, lastAt, sender } = await ofTalk(address);
  assert.deepEqual([unread, sender], [2, 'customer']);
  assert.ok(waitingSince !== null && waitingSince >= before && waitingSince <= lastAt && lastAt <= Date.now());
  await handOver(address, { ...written('n1', hello), conversation: 'talk-2' });
  assert.deepEqual(
    (await desk(address)).map(({ id }) => id),
    ['talk-1', 'talk-2'],
  );
  // Read is not answered.
  assert.equal((await ask(address, 'POST', '/support/conversations/talk-1/seen', {})).status, 200);
  assert.deepEqual(await ofTalk(address), { ...(await ofTalk(address)), unread: 0, waitingSince });
  await ask(address, 'POST', '/support/conversations/talk-2/messages', hello);
  const answered = await ofTalk(address, 'talk-2');
  assert.deepEqual([answered.unread, answered.waitingSince], [0, null]);
  await handOver(address, { ...written('n2', hello, 2), conversation: 'talk-2' });
  const again = await ofTalk(address, 'talk-2');
  assert.ok(again.unread === 1 && again.waitingSince !== null && again.waitingSince >= answered.lastAt);
});

test('the robot answers questions, but a request for a person stays unanswered', async (t) => {
  const { address, listener } = await outside(t);
  listener.answerPush = () => ({ status: 200, body: '{"accepted":true}' });
  await handOver(address, written('m1', hello));
  await until(async () => (await ofTalk(address)).waitingSince === null, 'the robot has answered');
  assert.equal((await ofTalk(address)).unread, 1);
  const ways = [
    { message_type: 'postback', payload: { title: 'Talk to a person', payload: 'topic:person' } },
    { message_type: 'text', payload: { text: 'คุยกับเจ้าหน้าที่' } },
  ];
  for (const [index, asking] of ways.entries()) {
    const id = `wants-${index}`;
    await handOver(address, { ...written(id, asking), conversation: id });
    await until(async () => (await ofTalk(address, id)).sender === 'other', 'the robot answers');
    const { waitingSince } = await ofTalk(address, id);
    await handOver(address, { ...written(`${id}-more`, hello, 2), conversation: id });
    assert.ok(waitingSince !== null);
    assert.equal((await ofTalk(address, id)).waitingSince, waitingSince);
    await ask(address, 'POST', `/support/conversations/${id}/messages`, hello);
    assert.equal((await ofTalk(address, id)).waitingSince, null);
  }
});

type Pushed = { author: string; needsPerson: boolean; message: { payload: { text: string } } };

test('a file, and a text the robot can’t answer, keep the customer in the queue, with position and wait in their language', async (t) => {
  const { address, listener } = await outside(t);
  listener.answerPush = () => ({ status: 200, body: '{"accepted":true}' });
  const pushed = async (count: number): Promise<Pushed> => {
    await until(() => listener.pushes.length === count, 'the robot answers');
    return JSON.parse(listener.pushes.at(-1)?.text ?? '{}') as Pushed;
  };
  const file = { message_type: 'media', payload: { fileType: 'image', url: 'https://site.example/slip.png' } };
  await handOver(address, written('m1', hello));
  const greeting = await pushed(1);
  assert.deepEqual([greeting.author, greeting.needsPerson], ['robot', false]);
  await handOver(address, written('m2', file, 2));
  const first = await pushed(2);
  assert.deepEqual([first.author, first.needsPerson], ['robot', true]);
  assert.match(first.message.payload.text, /number 1 in the queue\. The wait is about 3 minutes/);
  const { waitingSince, isRobot } = (await ofTalk(address)) as Listed & { isRobot: number };
  assert.ok(waitingSince !== null && isRobot === 1);
  await handOver(address, {
    ...written('n1', { message_type: 'text', payload: { text: 'ສະບາຍດີ' } }),
    conversation: 'talk-2',
  });
  await pushed(3);
  await handOver(address, { ...written('n2', file, 2), conversation: 'talk-2' });
  assert.match((await pushed(4)).message.payload.text, /ຄິວທີ 2 ລໍຖ້າປະມານ 6 ນາທີ/);
  await handOver(
    address,
    written('m3', { message_type: 'text', payload: { text: 'my deposit of 300 is missing' } }, 3),
  );
  assert.equal((await pushed(5)).needsPerson, true);
  const topic = { message_type: 'postback', payload: { title: 'Deposit', payload: 'topic:deposit' } };
  await handOver(address, written('m4', topic, 4));
  assert.equal((await pushed(6)).needsPerson, true, 'an answered question does not end the waiting for a person');
  await ask(address, 'POST', '/support/conversations/talk-1/messages', hello);
  const person = await pushed(7);
  assert.deepEqual([person.author, person.needsPerson], ['person', false]);
  assert.equal((await ofTalk(address)).waitingSince, null);
});
