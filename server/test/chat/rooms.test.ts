import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatRoom, memberRoom } from '@krapao/contract/events';
import { startServerNode, waitUntil } from '../event/member-socket.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  callAsCustomer,
  newVisitorAndMember,
  readHistory,
  newGuestId,
  newMemberCustomer,
  newVisitorCustomer,
  sendText,
  type ChatCustomer,
} from './chat-fixtures.ts';
import { type ChatListener, openChatListener, waitForJoins, waitForMessages } from './chat-socket.ts';

let system: System;
const listeners: ChatListener[] = [];

before(async () => {
  system = await startSystem();
});
after(async () => {
  for (const { socket } of listeners) socket.close();
  await system.stop();
});

function openListener(...[url, customer, joinOptions]: Parameters<typeof openChatListener>): ChatListener {
  const listener = openChatListener(url, customer, joinOptions);
  listeners.push(listener);
  return listener;
}

async function openJoinedListener(url: string, customer: ChatCustomer): Promise<ChatListener> {
  const listener = openListener(url, customer);
  await waitForJoins(listener);
  assert.deepEqual(listener.replies, [{ joined: true }]);
  return listener;
}

const sequencesOf = ({ messages }: ChatListener): number[] => messages.map(({ sequence }) => sequence);

test("a customer's message reaches their own room on every node, as in the history, and no other room", async () => {
  const node = await startServerNode(system);
  const [member, visitor] = await newVisitorAndMember(system);
  const [firstNodeListener, otherNodeListener, otherListeners] = await Promise.all([
    openJoinedListener(system.url, member),
    openJoinedListener(node.url, member),
    openJoinedListener(system.url, visitor),
  ]);
  for (let messageNumber = 1; messageNumber <= 5; messageNumber += 1)
    assert.equal((await sendText(system, member, `${messageNumber}`)).status, 200);
  await Promise.all([waitForMessages(firstNodeListener, 5), waitForMessages(otherNodeListener, 5)]);
  const { body } = await readHistory(system, member);
  assert.deepEqual(firstNodeListener.messages, body.toReversed());
  assert.deepEqual(otherNodeListener.messages, firstNodeListener.messages);
  // A later message shows that the other room received only its own messages.
  await sendText(system, visitor, 'mine');
  await waitForMessages(otherListeners, 1);
  assert.deepEqual(
    otherListeners.messages.map(({ guestId }) => guestId),
    [visitor.guestId],
  );
  otherNodeListener.socket.close();
  await node.stop();
});

test('concurrent chat messages arrive in the order of their sequence, each once', async () => {
  const visitor = await newVisitorCustomer(system);
  const listener = await openJoinedListener(system.url, visitor);
  await Promise.all(Array.from({ length: 14 }, (_, index) => sendText(system, visitor, `${index}`)));
  await waitForMessages(listener, 14);
  assert.deepEqual(
    sequencesOf(listener),
    Array.from({ length: 14 }, (_, index) => index + 1),
  );
});

test('a room of another customer cannot be joined [R-CHAT-07]', async () => {
  const [member, visitor] = await newVisitorAndMember(system);
  const [otherMember, otherVisitor] = await newVisitorAndMember(system);
  const proofOf = ({ proof }: ChatCustomer): object => proof;
  const attempts: [who: ChatCustomer, joining: object, message: string][] = [
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
    [otherMember, { room: chatRoom(visitor.id), ...proofOf(otherVisitor) }, 'INVALID_USER_3'],
    [otherMember, { token: 'x'.repeat(43) }, 'invalid-token'],
  ];
  const refusedListeners = attempts.map(([customer, joinOptions, message]) => ({
    listener: openListener(system.url, customer, joinOptions),
    message,
  }));
  await Promise.all(refusedListeners.map(({ listener }) => waitForJoins(listener)));
  for (const [index, { listener, message }] of refusedListeners.entries()) {
    assert.deepEqual(listener.replies, [{ joined: false, message }], `attempt ${index}`);
  }
  const ownListeners = await Promise.all([
    openJoinedListener(system.url, member),
    openJoinedListener(system.url, visitor),
  ]);
  await Promise.all([sendText(system, member, 'for me'), sendText(system, visitor, 'for me')]);
  await Promise.all(ownListeners.map((listener) => waitForMessages(listener, 1)));
  for (const { listener } of refusedListeners) assert.deepEqual(listener.messages, []);
});

test("one connection carries a member's money events and conversation", async () => {
  const member = await newMemberCustomer(system);
  const listener = await openJoinedListener(system.url, member);
  const reply = await listener.socket.emitWithAck('join', { room: memberRoom(member.id), ...member.proof });
  assert.deepEqual(reply, { joined: true });
  await sendText(system, member, 'still here');
  await waitForMessages(listener, 1);
});

test("logout ends the session's chat room within seconds", async () => {
  const member = await newMemberCustomer(system);
  const listener = await openJoinedListener(system.url, member);
  let isGone = false;
  listener.socket.once('disconnect', () => (isGone = true));
  assert.equal((await callAsCustomer(system, member, 'POST /api/logout', {})).status, 200);
  await waitUntil(
    () => isGone,
    () => 'the room outlives its session',
  );
});

test('beyond the limit of connections, the oldest connection of a visitor is closed', async () => {
  const visitor = await newVisitorCustomer(system);
  const openListeners: ChatListener[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1) {
    const listener = await openJoinedListener(system.url, visitor);
    listener.socket.io.reconnection(false);
    openListeners.push(listener);
  }
  await waitUntil(
    () => openListeners[0]?.socket.connected === false,
    () => 'the oldest is still there',
  );
  await sendText(system, visitor, 'to ten');
  await Promise.all(openListeners.slice(1).map((listener) => waitForMessages(listener, 1)));
});

test('a node that lost the database closes its chat rooms, and clients that reconnect receive messages again', async () => {
  const [member, visitor] = await newVisitorAndMember(system);
  const listeners = await Promise.all([
    openJoinedListener(system.url, member),
    openJoinedListener(system.url, visitor),
  ]);
  const { rowCount } = await system.database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and query in ('listen chat', 'select 1')`,
  );
  assert.ok(rowCount > 0);
  await Promise.all(listeners.map((listener) => waitForJoins(listener, 2)));
  for (const { replies } of listeners) assert.deepEqual(replies.at(-1), { joined: true });
  await Promise.all([sendText(system, member, 'again'), sendText(system, visitor, 'again')]);
  await Promise.all(listeners.map((listener) => waitForMessages(listener, 1)));
});

test('after a restart the chat history has the messages that a client missed', async () => {
  const visitor = await newVisitorCustomer(system);
  let node = await startServerNode(system);
  const listener = await openJoinedListener(node.url, visitor);
  await sendText(system, visitor, 'heard');
  await waitForMessages(listener, 1);
  const { port } = node;
  await node.stop();
  await sendText(system, visitor, 'missed');
  node = await startServerNode(system, port);
  await waitForJoins(listener, 2);
  await sendText(system, visitor, 'heard again');
  await waitForMessages(listener, 2);
  assert.deepEqual(sequencesOf(listener), [1, 3]);
  const { body } = await readHistory(system, visitor);
  assert.deepEqual(
    body.map(({ sequence }: { sequence: number }) => sequence),
    [3, 2, 1],
  );
  listener.socket.close();
  await node.stop();
});
