import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { memberRoom, SESSION_ENDED } from '@krapao/contract/events';
import { io } from 'socket.io-client';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import { qrCustomer } from '../deposit/qrcode/qr-fixtures.ts';
import { registerMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  postDeposits,
  type EventListener,
  openEventListener,
  startServerNode,
  waitUntil,
  waitForEvents,
  waitForJoins,
} from './member-socket.ts';

let system: System;
/** Posts like a second process. */
let ledger: Ledger;
const listeners: EventListener[] = [];

before(async () => {
  system = await startSystem();
  ledger = createLedger({ url: system.databaseUrl, database: system.database, currency: 'BAHT' });
});
after(async () => {
  for (const { socket } of listeners) socket.close();
  await ledger.close();
  await system.stop();
});

function openListener(...[url, member, joinOptions]: Parameters<typeof openEventListener>): EventListener {
  const listener = openEventListener(url, member, joinOptions);
  listeners.push(listener);
  return listener;
}

const sequencesOf = (listener: EventListener): bigint[] => listener.events.map(({ sequence }) => BigInt(sequence));

test("a paid QR reaches its member's socket within moments, and no other socket", async () => {
  const [member, otherMember] = [await registerMember(system), await registerMember(system)];
  const [ownListener, otherListener] = [openListener(system.url, member), openListener(system.url, otherMember)];
  await Promise.all([waitForJoins(ownListener), waitForJoins(otherListener)]);
  assert.deepEqual(ownListener.replies, [{ joined: true }]);
  const customer = qrCustomer(system, member);
  const { body } = await customer.create(45.5);
  await customer.pay(body.payload);
  await waitForEvents(ownListener, 1);
  const [event] = ownListener.events;
  const [entry] = (await customer.statement()).statements;
  assert.deepEqual(event, {
    sequence: entry._id,
    kind: 'deposit',
    state: 'SUCCESS',
    reference: entry.reference,
    amount: 45.5,
    at: entry.createdAt,
  });
  await wait(200);
  assert.equal(ownListener.events.length, 1);
  assert.equal(otherListener.events.length, 0);
});

test('missed events are sent first and in order, then new ones, each once', async () => {
  const member = await registerMember(system);
  const missedIds = await postDeposits(ledger, member.id, 450);
  const underWay = postDeposits(ledger, member.id, 200);
  const listener = openListener(system.url, member, { since: '0' });
  const laterIds = [...(await underWay), ...(await postDeposits(ledger, member.id, 50))];
  await waitForEvents(listener, 700);
  await wait(300);
  assert.deepEqual(
    sequencesOf(listener),
    [...missedIds, ...laterIds].toSorted((a, b) => (a < b ? -1 : 1)),
  );
});

test('a socket that names its last event gets newer ones only; without one it gets only future events', async () => {
  const member = await registerMember(system);
  const before = await postDeposits(ledger, member.id, 5);
  const [laterListener, fresh] = [
    openListener(system.url, member, { since: String(before[2]) }),
    openListener(system.url, member),
  ];
  await Promise.all([waitForJoins(laterListener), waitForJoins(fresh), waitForEvents(laterListener, 2)]);
  const [newestId] = await postDeposits(ledger, member.id, 1);
  await Promise.all([waitForEvents(laterListener, 3), waitForEvents(fresh, 1)]);
  await wait(200);
  assert.deepEqual(sequencesOf(laterListener), [before[3], before[4], newestId]);
  assert.deepEqual(sequencesOf(fresh), [newestId]);
});

test('a server that restarts several times loses and repeats no event', async () => {
  const member = await registerMember(system);
  let node = await startServerNode(system);
  const listener = openListener(node.url, member, { since: '0' });
  await waitForJoins(listener);
  const expected: bigint[] = [];
  let isOver = false;
  const deposits = (async () => {
    while (!isOver) {
      expected.push(...(await postDeposits(ledger, member.id, 3)));
      await wait(5);
    }
  })();
  for (let restart = 0; restart < 3; restart += 1) {
    await wait(150);
    await node.stop();
    await wait(50);
    node = await startServerNode(system, node.port);
    await waitForJoins(listener, restart + 2);
  }
  await wait(150);
  isOver = true;
  await deposits;
  await waitForEvents(listener, expected.length);
  await wait(200);
  assert.deepEqual(
    sequencesOf(listener),
    expected.toSorted((a, b) => (a < b ? -1 : 1)),
  );
  listener.socket.close();
  await node.stop();
});

test('money moved on one node is announced on the other nodes', async () => {
  const member = await registerMember(system);
  const node = await startServerNode(system);
  const [firstNodeListener, otherNodeListener] = [openListener(system.url, member), openListener(node.url, member)];
  await Promise.all([waitForJoins(firstNodeListener), waitForJoins(otherNodeListener)]);
  const customer = qrCustomer(system, member);
  const { body } = await customer.create(33);
  await customer.pay(body.payload);
  await Promise.all([waitForEvents(firstNodeListener, 1), waitForEvents(otherNodeListener, 1)]);
  assert.deepEqual(firstNodeListener.events, otherNodeListener.events);
  otherNodeListener.socket.close();
  await node.stop();
});

test('concurrent changes of one member by several processes are announced in order, without a gap', async () => {
  const member = await registerMember(system);
  const otherLedger = createLedger({ url: system.databaseUrl, database: system.database, currency: 'BAHT' });
  const listener = openListener(system.url, member, { since: '0' });
  await waitForJoins(listener);
  const expected: bigint[] = [];
  for (let round = 0; round < 20; round += 1) {
    const postedIds = await Promise.all([postDeposits(ledger, member.id, 5), postDeposits(otherLedger, member.id, 5)]);
    expected.push(...postedIds.flat());
  }
  await waitForEvents(listener, expected.length);
  await wait(200);
  assert.deepEqual(
    sequencesOf(listener),
    expected.toSorted((a, b) => (a < b ? -1 : 1)),
  );
  await otherLedger.close();
});

test("another member's room cannot be joined, and no room without a session [R-ROLE-01]", async () => {
  const [owner, otherMember] = [await registerMember(system), await registerMember(system)];
  const attempts: [Parameters<typeof openEventListener>[2], string][] = [
    [{ room: memberRoom(owner.id) }, 'INVALID_USER_3'],
    [{ room: 'member:' }, 'INVALID_USER_3'],
    [{ room: '' }, 'INVALID_USER_3'],
    [{ room: memberRoom(owner.id), token: 'x'.repeat(43) }, 'invalid-token'],
    [{ token: '' }, 'NO_DATA'],
    [{ since: 'latest' }, 'NO_DATA'],
    [{ since: '-1' }, 'NO_DATA'],
    [{ since: 5 }, 'NO_DATA'],
    [{ since: '9'.repeat(30) }, 'NO_DATA'],
  ];
  const refusedListeners = attempts.map(([joinOptions, message]) => ({
    listener: openListener(system.url, otherMember, joinOptions),
    message,
  }));
  await Promise.all(refusedListeners.map(({ listener }) => waitForJoins(listener)));
  for (const { listener, message } of refusedListeners) {
    assert.deepEqual(listener.replies, [{ joined: false, message }]);
  }
  await postDeposits(ledger, owner.id, 3);
  await wait(200);
  for (const { listener } of refusedListeners) assert.deepEqual(listener.events, []);
});

test('a socket that sends garbage or nothing is closed', async () => {
  const member = await registerMember(system);
  const noisySocket = io(system.url, { transports: ['websocket'], reconnection: false, forceNew: true });
  const silentSocket = io(system.url, { transports: ['websocket'], reconnection: false, forceNew: true });
  let isNoisyGone = false;
  let isSilentGone = false;
  noisySocket.on('disconnect', () => (isNoisyGone = true));
  silentSocket.on('disconnect', () => (isSilentGone = true));
  noisySocket.on('connect', () => {
    for (const invalidJoin of [null, 7, [], { room: {} }, { room: 'x'.repeat(200), token: 'y' }]) {
      noisySocket.emit('join', invalidJoin);
      noisySocket.emit('join', invalidJoin, 'no function');
      noisySocket.emit('join');
    }
  });
  await waitUntil(
    () => isNoisyGone,
    () => 'the noisy one is still there',
  );
  await waitUntil(
    () => isSilentGone,
    () => 'the silent one is still there',
  );
  // No other session was affected.
  const listener = openListener(system.url, member);
  await waitForJoins(listener);
  assert.deepEqual(listener.replies, [{ joined: true }]);
});

test('a page of another site gets no socket', async () => {
  const socket = io(system.url, {
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders: { origin: 'https://elsewhere.example' },
  });
  const isFailed = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false));
    socket.once('connect_error', () => resolve(true));
  });
  assert.equal(isFailed, true);
  socket.close();
});

test("logout ends the session's sockets within seconds, and no others", async () => {
  const member = await registerMember(system);
  const second = (await system.api('POST /api/login', { body: { username: member.phone, password: member.password } }))
    .body.token as string;
  const [endedListener, keptListener] = [
    openListener(system.url, member),
    openListener(system.url, { id: member.id, token: second }),
  ];
  await Promise.all([waitForJoins(endedListener), waitForJoins(keptListener)]);
  let isGone = false;
  endedListener.socket.once('disconnect', () => (isGone = true));
  assert.equal((await system.api('POST /api/logout', { token: member.token })).status, 200);
  await waitUntil(
    () => isGone,
    () => 'the socket outlives its session',
  );
  await postDeposits(ledger, member.id, 1);
  await waitForEvents(keptListener, 1);
  assert.deepEqual(endedListener.events, []);
  assert.equal(keptListener.socket.connected, true);
});

test("a password change on one node ends the other sessions' sockets on every node, with its code", async () => {
  const member = await registerMember(system);
  const logIn = async (): Promise<string> =>
    (await system.api('POST /api/login', { body: { username: member.phone, password: member.password } })).body.token;
  const [second, third] = [await logIn(), await logIn()];
  const node = await startServerNode(system);
  const [firstNodeListener, otherNodeListener, keptListener] = [
    openListener(system.url, { id: member.id, token: second }),
    openListener(node.url, { id: member.id, token: third }),
    openListener(node.url, member),
  ];
  await Promise.all([waitForJoins(firstNodeListener), waitForJoins(otherNodeListener), waitForJoins(keptListener)]);
  const received: unknown[] = [];
  for (const { socket } of [firstNodeListener, otherNodeListener])
    socket.on(SESSION_ENDED, (endReason) => received.push([endReason, socket.connected]));
  keptListener.socket.on(SESSION_ENDED, () => received.push('the session that stays'));
  const body = { oldPassword: member.password, newPassword: 'another-basket-28' };
  assert.equal((await system.api('PUT /api/account/changepwd', { token: member.token, body })).status, 200);
  await waitUntil(
    () => received.length === 2 && !firstNodeListener.socket.connected && !otherNodeListener.socket.connected,
    () => `told ${JSON.stringify(received)}`,
  );
  assert.deepEqual(received, [
    [{ message: 'INVALID_USER_2' }, true],
    [{ message: 'INVALID_USER_2' }, true],
  ]);
  await postDeposits(ledger, member.id, 1);
  await waitForEvents(keptListener, 1);
  await node.stop();
});

test("beyond the limit of sockets, the member's oldest one is closed", async () => {
  const member = await registerMember(system);
  const openListeners: EventListener[] = [];
  for (let attempt = 0; attempt < 11; attempt += 1) {
    const listener = openListener(system.url, member);
    listener.socket.io.reconnection(false);
    await waitForJoins(listener);
    openListeners.push(listener);
  }
  await waitUntil(
    () => openListeners[0]?.socket.connected === false,
    () => 'the oldest is still there',
  );
  await postDeposits(ledger, member.id, 1);
  await Promise.all(openListeners.slice(1).map((listener) => waitForEvents(listener, 1)));
  assert.deepEqual(openListeners[0]?.events, []);
});
