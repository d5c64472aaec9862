import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatRoom, memberRoom } from '@krapao/contract/events';
import { startNode, until } from '../event/member-socket.ts';
import { startSystem, type System } from '../harness/system.ts';
import { type ChatListener, listenAs, untilJoined, untilTold } from './chat-socket.ts';
import { callAs, eachKind, historyOf, newGuestId, newMember, newVisitor, say, type Talker } from './chat-world.ts';

let system: System;
const listeners: ChatListener[] = [];

before(async () => {
  system = await startSystem();
});
after(async () => {
  for (const { socket } of listeners) socket.close();
  await system.stop();
});

function open(...[url, talker, joining]: Parameters<typeof listenAs>): ChatListener {
  const listener = listenAs(url, talker, joining);
  listeners.push(listener);
  return listener;
}

async function joined(url: string, talker: Talker): Promise<ChatListener> {
  const listener = open(url, talker);
  await untilJoined(listener);
  assert.deepEqual(listener.replies, [{ joined: true }]);
  return listener;
}

const sequencesOf = ({ messages }: ChatListener): number[] => messages.map(({ sequence }) => sequence);

test('a customer’s message reaches their room on every node, as the history has it, and no other room', async () => {
  const node = await startNode(system);
  const [member, visitor] = await eachKind(system);
  const [here, there, others] = await Promise.all([
    joined(system.url, member),
    joined(node.url, member),
    joined(system.url, visitor),
  ]);
  for (let said = 1; said <= 5; said += 1) assert.equal((await say(system, member, `${said}`)).status, 200);
  await Promise.all([untilTold(here, 5), untilTold(there, 5)]);
  const { body } = await historyOf(system, member);
  assert.deepEqual(here.messages, body.toReversed());
  assert.deepEqual(there.messages, here.messages);
  // What comes after it in the same order has come to the other room alone.
  await say(system, visitor, 'mine');
  await untilTold(others, 1);
  assert.deepEqual(
    others.messages.map(({ guestId }) => guestId),
    [visitor.guestId],
  );
  there.socket.close();
  await node.stop();
});

test('concurrent messages arrive in the order of their sequence, each once', async () => {
  const visitor = await newVisitor(system);
  const listener = await joined(system.url, visitor);
  await Promise.all(Array.from({ length: 14 }, (_, index) => say(system, visitor, `${index}`)));
  await untilTold(listener, 14);
  assert.deepEqual(
    sequencesOf(listener),
    Array.from({ length: 14 }, (_, index) => index + 1),
  );
});

test('a conversation of another customer can’t be joined [R-CHAT-07]', async () => {
  const [member, visitor] = await eachKind(system);
  const [otherMember, otherVisitor] = await eachKind(system);
  const secretOf = ({ proof }: Talker): object => proof;
  const attempts: [who: Talker, joining: object, message: string][] = [
    [otherMember, { room: chatRoom(member.id) }, 'INVALID_USER_3'],
    [otherMember, { room: chatRoom(visitor.id) }, 'INVALID_USER_3'],
    [otherVisitor, { room: chatRoom(visitor.id) }, 'KEY_INVALID'],
    [otherVisitor, { room: chatRoom(member.id) }, 'KEY_INVALID'],
    [otherVisitor, { room: chatRoom(newGuestId()) }, 'KEY_INVALID'],
    [otherVisitor, { room: chatRoom('') }, 'KEY_INVALID'],
    [otherVisitor, { room: memberRoom(member.id) }, 'NO_DATA'],
    [otherVisitor, { guestSecret: '' }, 'NO_DATA'],
    [otherVisitor, { guestSecret: ['x'] }, 'NO_DATA'],
    [otherVisitor, { room: `elsewhere:${visitor.id}` }, 'INVALID_USER_3'],
    [otherMember, { room: 'chat' }, 'INVALID_USER_3'],
    [otherMember, { room: chatRoom(visitor.id), ...secretOf(otherVisitor) }, 'INVALID_USER_3'],
    [otherMember, { token: 'x'.repeat(43) }, 'invalid-token'],
  ];
  const refused = attempts.map(([who, joining, message]) => ({ listener: open(system.url, who, joining), message }));
  await Promise.all(refused.map(({ listener }) => untilJoined(listener)));
  for (const [index, { listener, message }] of refused.entries()) {
    assert.deepEqual(listener.replies, [{ joined: false, message }], `attempt ${index}`);
  }
  const own = await Promise.all([joined(system.url, member), joined(system.url, visitor)]);
  await Promise.all([say(system, member, 'for me'), say(system, visitor, 'for me')]);
  await Promise.all(own.map((listener) => untilTold(listener, 1)));
  for (const { listener } of refused) assert.deepEqual(listener.messages, []);
});

test('one connection carries a member’s money events and their conversation', async () => {
  const member = await newMember(system);
  const listener = await joined(system.url, member);
  const reply = await listener.socket.emitWithAck('join', { room: memberRoom(member.id), ...member.proof });
  assert.deepEqual(reply, { joined: true });
  await say(system, member, 'still here');
  await untilTold(listener, 1);
});

test('logging out ends the session’s room within seconds', async () => {
  const member = await newMember(system);
  const listener = await joined(system.url, member);
  let isGone = false;
  listener.socket.once('disconnect', () => (isGone = true));
  assert.equal((await callAs(system, member, 'POST /api/logout', {})).status, 200);
  await until(
    () => isGone,
    () => 'the room outlives its session',
  );
});

test('of the many connections of one visitor the oldest goes', async () => {
  const visitor = await newVisitor(system);
  const many: ChatListener[] = [];
  for (let opened = 0; opened < 11; opened += 1) {
    const listener = await joined(system.url, visitor);
    listener.socket.io.reconnection(false);
    many.push(listener);
  }
  await until(
    () => many[0]?.socket.connected === false,
    () => 'the oldest is still there',
  );
  await say(system, visitor, 'to ten');
  await Promise.all(many.slice(1).map((listener) => untilTold(listener, 1)));
});

test('a node that has lost the database closes its rooms, and clients that reconnect receive messages again', async () => {
  const [member, visitor] = await eachKind(system);
  const both = await Promise.all([joined(system.url, member), joined(system.url, visitor)]);
  const { rowCount } = await system.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and query in ('listen chat', 'select 1')`,
  );
  assert.ok(rowCount > 0);
  await Promise.all(both.map((listener) => untilJoined(listener, 2)));
  for (const { replies } of both) assert.deepEqual(replies.at(-1), { joined: true });
  await Promise.all([say(system, member, 'again'), say(system, visitor, 'again')]);
  await Promise.all(both.map((listener) => untilTold(listener, 1)));
});

test('after a restart the history has what a client missed', async () => {
  const visitor = await newVisitor(system);
  let node = await startNode(system);
  const listener = await joined(node.url, visitor);
  await say(system, visitor, 'heard');
  await untilTold(listener, 1);
  const { port } = node;
  await node.stop();
  await say(system, visitor, 'missed');
  node = await startNode(system, port);
  await untilJoined(listener, 2);
  await say(system, visitor, 'heard again');
  await untilTold(listener, 2);
  assert.deepEqual(sequencesOf(listener), [1, 3]);
  const { body } = await historyOf(system, visitor);
  assert.deepEqual(
    body.map(({ sequence }: { sequence: number }) => sequence),
    [3, 2, 1],
  );
  listener.socket.close();
  await node.stop();
});
