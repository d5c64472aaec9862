import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { memberRoom, SESSION_ENDED } from '@krapao/contract/events';
import { io } from 'socket.io-client';
import { createLedger, type Ledger } from '../../src/ledger/index.ts';
import { customer } from '../deposit/qrcode/qr-fixtures.ts';
import { registerMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import { deposit, type Listener, listen, startNode, until, untilEvents, untilJoined } from './member-socket.ts';

let system: System;
/** Posts like a second process. */
let ledger: Ledger;
const listeners: Listener[] = [];

before(async () => {
  system = await startSystem();
  ledger = createLedger({ url: system.databaseUrl, database: system.database, currency: 'BAHT' });
});
after(async () => {
  for (const { socket } of listeners) socket.close();
  await ledger.close();
  await system.stop();
});

function open(...[url, member, joining]: Parameters<typeof listen>): Listener {
  const listener = listen(url, member, joining);
  listeners.push(listener);
  return listener;
}

const sequences = (listener: Listener): bigint[] => listener.events.map(({ sequence }) => BigInt(sequence));

test('a paid QR reaches its member’s socket within moments, and no other', async () => {
  const [member, other] = [await registerMember(system), await registerMember(system)];
  const [own, others] = [open(system.url, member), open(system.url, other)];
  await Promise.all([untilJoined(own), untilJoined(others)]);
  assert.deepEqual(own.replies, [{ joined: true }]);
  const who = customer(system, member);
  const { body } = await who.create(45.5);
  await who.pay(body.payload);
  await untilEvents(own, 1);
  const [event] = own.events;
  const [entry] = (await who.statement()).statements;
  assert.deepEqual(event, {
    sequence: entry._id,
    kind: 'deposit',
    state: 'SUCCESS',
    reference: entry.reference,
    amount: 45.5,
    at: entry.createdAt,
  });
  await wait(200);
  assert.equal(own.events.length, 1);
  assert.equal(others.events.length, 0);
});

test('what was missed comes first and in order, then what happens, each once', async () => {
  const member = await registerMember(system);
  const missed = await deposit(ledger, member.id, 450);
  const underWay = deposit(ledger, member.id, 200);
  const listener = open(system.url, member, { since: '0' });
  const rest = [...(await underWay), ...(await deposit(ledger, member.id, 50))];
  await untilEvents(listener, 700);
  await wait(300);
  assert.deepEqual(
    sequences(listener),
    [...missed, ...rest].toSorted((a, b) => (a < b ? -1 : 1)),
  );
});

test('after an event only newer ones come; without one only what happens from now on', async () => {
  const member = await registerMember(system);
  const before = await deposit(ledger, member.id, 5);
  const [later, fresh] = [open(system.url, member, { since: String(before[2]) }), open(system.url, member)];
  await Promise.all([untilJoined(later), untilJoined(fresh), untilEvents(later, 2)]);
  const [newest] = await deposit(ledger, member.id, 1);
  await Promise.all([untilEvents(later, 3), untilEvents(fresh, 1)]);
  await wait(200);
  assert.deepEqual(sequences(later), [before[3], before[4], newest]);
  assert.deepEqual(sequences(fresh), [newest]);
});

test('a server that restarts, several times, costs no event and repeats none', async () => {
  const member = await registerMember(system);
  let node = await startNode(system);
  const listener = open(node.url, member, { since: '0' });
  await untilJoined(listener);
  const expected: bigint[] = [];
  let isOver = false;
  const deposits = (async () => {
    while (!isOver) {
      expected.push(...(await deposit(ledger, member.id, 3)));
      await wait(5);
    }
  })();
  for (let restart = 0; restart < 3; restart += 1) {
    await wait(150);
    await node.stop();
    await wait(50);
    node = await startNode(system, node.port);
    await untilJoined(listener, restart + 2);
  }
  await wait(150);
  isOver = true;
  await deposits;
  await untilEvents(listener, expected.length);
  await wait(200);
  assert.deepEqual(
    sequences(listener),
    expected.toSorted((a, b) => (a < b ? -1 : 1)),
  );
  listener.socket.close();
  await node.stop();
});

test('money that moves on one node is announced on the others', async () => {
  const member = await registerMember(system);
  const node = await startNode(system);
  const [here, there] = [open(system.url, member), open(node.url, member)];
  await Promise.all([untilJoined(here), untilJoined(there)]);
  const who = customer(system, member);
  const { body } = await who.create(33);
  await who.pay(body.payload);
  await Promise.all([untilEvents(here, 1), untilEvents(there, 1)]);
  assert.deepEqual(here.events, there.events);
  there.socket.close();
  await node.stop();
});

test('concurrent changes of several processes to one member are announced in order, without a gap', async () => {
  const member = await registerMember(system);
  const other = createLedger({ url: system.databaseUrl, database: system.database, currency: 'BAHT' });
  const listener = open(system.url, member, { since: '0' });
  await untilJoined(listener);
  const expected: bigint[] = [];
  for (let round = 0; round < 20; round += 1) {
    const both = await Promise.all([deposit(ledger, member.id, 5), deposit(other, member.id, 5)]);
    expected.push(...both.flat());
  }
  await untilEvents(listener, expected.length);
  await wait(200);
  assert.deepEqual(
    sequences(listener),
    expected.toSorted((a, b) => (a < b ? -1 : 1)),
  );
  await other.close();
});

test('another member’s room can’t be joined, and no room without a session [R-ROLE-01]', async () => {
  const [owner, stranger] = [await registerMember(system), await registerMember(system)];
  const attempts: [Parameters<typeof listen>[2], string][] = [
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
  const refused = attempts.map(([joining, message]) => ({ listener: open(system.url, stranger, joining), message }));
  await Promise.all(refused.map(({ listener }) => untilJoined(listener)));
  for (const { listener, message } of refused) {
    assert.deepEqual(listener.replies, [{ joined: false, message }]);
  }
  await deposit(ledger, owner.id, 3);
  await wait(200);
  for (const { listener } of refused) assert.deepEqual(listener.events, []);
});

test('a socket that says nonsense, or nothing, is not kept', async () => {
  const member = await registerMember(system);
  const noisy = io(system.url, { transports: ['websocket'], reconnection: false, forceNew: true });
  const silent = io(system.url, { transports: ['websocket'], reconnection: false, forceNew: true });
  let isNoisyGone = false;
  let isSilentGone = false;
  noisy.on('disconnect', () => (isNoisyGone = true));
  silent.on('disconnect', () => (isSilentGone = true));
  noisy.on('connect', () => {
    for (const nonsense of [null, 7, [], { room: {} }, { room: 'x'.repeat(200), token: 'y' }]) {
      noisy.emit('join', nonsense);
      noisy.emit('join', nonsense, 'no function');
      noisy.emit('join');
    }
  });
  await until(
    () => isNoisyGone,
    () => 'the noisy one is still there',
  );
  await until(
    () => isSilentGone,
    () => 'the silent one is still there',
  );
  // No other session was affected.
  const listener = open(system.url, member);
  await untilJoined(listener);
  assert.deepEqual(listener.replies, [{ joined: true }]);
});

test('a page of another site gets no socket', async () => {
  const socket = io(system.url, {
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders: { origin: 'https://elsewhere.example' },
  });
  const failed = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false));
    socket.once('connect_error', () => resolve(true));
  });
  assert.equal(failed, true);
  socket.close();
});

test('logging out ends the session’s sockets within seconds, and no other', async () => {
  const member = await registerMember(system);
  const second = (await system.api('POST /api/login', { body: { username: member.phone, password: member.password } }))
    .body.token as string;
  const [ended, kept] = [open(system.url, member), open(system.url, { id: member.id, token: second })];
  await Promise.all([untilJoined(ended), untilJoined(kept)]);
  let isGone = false;
  ended.socket.once('disconnect', () => (isGone = true));
  assert.equal((await system.api('POST /api/logout', { token: member.token })).status, 200);
  await until(
    () => isGone,
    () => 'the socket outlives its session',
  );
  await deposit(ledger, member.id, 1);
  await untilEvents(kept, 1);
  assert.deepEqual(ended.events, []);
  assert.equal(kept.socket.connected, true);
});

test('a change of password on one node reaches the other sessions’ sockets on every node, with its code', async () => {
  const member = await registerMember(system);
  const logIn = async (): Promise<string> =>
    (await system.api('POST /api/login', { body: { username: member.phone, password: member.password } })).body.token;
  const [second, third] = [await logIn(), await logIn()];
  const node = await startNode(system);
  const [here, there, kept] = [
    open(system.url, { id: member.id, token: second }),
    open(node.url, { id: member.id, token: third }),
    open(node.url, member),
  ];
  await Promise.all([untilJoined(here), untilJoined(there), untilJoined(kept)]);
  const received: unknown[] = [];
  for (const { socket } of [here, there]) socket.on(SESSION_ENDED, (ended) => received.push([ended, socket.connected]));
  kept.socket.on(SESSION_ENDED, () => received.push('the session that stays'));
  const body = { oldPassword: member.password, newPassword: 'another-basket-28' };
  assert.equal((await system.api('PUT /api/account/changepwd', { token: member.token, body })).status, 200);
  await until(
    () => received.length === 2 && !here.socket.connected && !there.socket.connected,
    () => `told ${JSON.stringify(received)}`,
  );
  assert.deepEqual(received, [
    [{ message: 'INVALID_USER_2' }, true],
    [{ message: 'INVALID_USER_2' }, true],
  ]);
  await deposit(ledger, member.id, 1);
  await untilEvents(kept, 1);
  await node.stop();
});

test('of the many sockets of one member the oldest goes', async () => {
  const member = await registerMember(system);
  const many: Listener[] = [];
  for (let opened = 0; opened < 11; opened += 1) {
    const listener = open(system.url, member);
    listener.socket.io.reconnection(false);
    await untilJoined(listener);
    many.push(listener);
  }
  await until(
    () => many[0]?.socket.connected === false,
    () => 'the oldest is still there',
  );
  await deposit(ledger, member.id, 1);
  await Promise.all(many.slice(1).map((listener) => untilEvents(listener, 1)));
  assert.deepEqual(many[0]?.events, []);
});
