import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { deleteInactiveVisitors } from '../../src/modules/chat/queries.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { startServerNode } from '../event/member-socket.ts';
import { registerMember } from '../harness/members.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  callAsCustomer,
  readChatConfig,
  newVisitorAndMember,
  readHistory,
  newGuestId,
  newMemberCustomer,
  newVisitorCustomer,
  sendText,
  type ChatCustomer,
  textMessage,
} from './chat-fixtures.ts';

let system: System;

before(async () => {
  system = await startSystem();
});
after(() => system.stop());

const CUSTOMER_CALLS: [call: string, body?: object][] = [
  ['GET /api/chat/config'],
  ['POST /api/chat/send-message', { message: textMessage('hello') }],
  ['POST /api/chat/history', {}],
  ['PUT /api/chat/read-customer/', {}],
  ['POST /api/chat/upload-image'],
  ['POST /api/chat/upload-video'],
];
const CALLS_WITH_BODY = CUSTOMER_CALLS.filter(([, body]) => body !== undefined);

/** The database rows of a customer's conversation. */
async function readChatRows({ id }: Pick<ChatCustomer, 'id'>): Promise<unknown> {
  const { rows } = await system.database.query(
    `select c.*, (select count(*) from chat_message m where m.conversation_id = c.id)::int as messages
     from chat_conversation c where customer_id = $1`,
    [id],
  );
  return rows;
}

test('the list of calls in this file has every call for chat customers', () => {
  const names = Object.entries(endpoints).filter(([, { access }]) => access === 'customer');
  assert.deepEqual(CUSTOMER_CALLS.map(([call]) => call).toSorted(), names.map(([name]) => name).toSorted());
});

test('a new guest-id gets its secret once, which is neither returned again nor stored in clear text', async () => {
  const id = newGuestId();
  const first = await readChatConfig(system, `Guest ${id}`);
  assert.deepEqual(first.body, { PREFIX: 'chat:', guestSecret: first.body.guestSecret, unread: 0, backend: null });
  assert.match(first.body.guestSecret, /^[\w-]{43}$/);
  const readAgainReply = await readChatConfig(system, `Guest ${id}`);
  assert.deepEqual([readAgainReply.status, readAgainReply.body], [200, { ...first.body, guestSecret: null }]);
  const verifyReply = await readChatConfig(system, `Guest ${id}.${first.body.guestSecret}`);
  assert.deepEqual([verifyReply.status, verifyReply.body], [200, { ...first.body, guestSecret: null }]);
  const { rows } = await system.database.query<{ all: string }>(
    'select v::text as all from chat_visitor v where guest_id = $1',
    [id],
  );
  assert.equal(rows.length, 1);
  assert.ok(!rows[0]?.all.includes(first.body.guestSecret));
});

test('of many concurrent calls with a new guest-id one gets its secret', async () => {
  const id = newGuestId();
  const replies = await Promise.all(Array.from({ length: 10 }, () => readChatConfig(system, `Guest ${id}`)));
  const secrets = replies.map(({ body }) => body.guestSecret).filter((secret) => secret !== null);
  assert.equal(secrets.length, 1);
  assert.equal((await readHistory(system, { authorization: `Guest ${id}.${secrets[0]}` })).status, 200);
});

test("a guest-id without its secret cannot read the visitor's conversation [R-CHAT-07]", async () => {
  const visitor = await newVisitorCustomer(system);
  await sendText(system, visitor, 'private');
  const { status, body } = await readChatConfig(system, `Guest ${visitor.id}`);
  assert.deepEqual([status, body], [200, { PREFIX: 'chat:', guestSecret: null, unread: 0, backend: null }]);
});

test('every chat call refuses callers that are not customers, an unknown guest-id like a wrong secret [R-CHAT-07] [R-NET-06]', async () => {
  const [visitor, otherVisitor] = [await newVisitorCustomer(system), await newVisitorCustomer(system)];
  const { token } = await registerMember(system);
  const secret = visitor.authorization.slice(visitor.authorization.indexOf('.') + 1);
  const otherSecret = otherVisitor.authorization.slice(otherVisitor.authorization.indexOf('.') + 1);
  const attempts: [authorization: string | undefined, status: number, message: string][] = [
    [undefined, 403, 'KEY_MISSING'],
    [`Guest ${visitor.id}`, 403, 'KEY_MISSING'],
    [`Guest ${newGuestId()}.${secret}`, 403, 'KEY_INVALID'],
    [`Guest ${visitor.id}.${otherSecret}`, 403, 'KEY_INVALID'],
    [`Guest ${visitor.id}.${secret}x`, 403, 'KEY_INVALID'],
    [`Guest ${visitor.id}.${secret.slice(0, -1)}`, 403, 'KEY_INVALID'],
    [`Guest ${visitor.id.toUpperCase()}.${secret}`, 403, 'KEY_INVALID'],
    [`Guest ${visitor.id}.${'x'.repeat(1_000)}`, 403, 'KEY_INVALID'],
    [`Guest ${visitor.id}.`, 403, 'KEY_INVALID'],
    [`Guest .${secret}`, 403, 'KEY_INVALID'],
    ['Guest', 403, 'KEY_INVALID'],
    [`Guest ' or 1=1 --`, 403, 'KEY_INVALID'],
    [`Bearer ${visitor.id}.${secret}`, 401, 'invalid-token'],
    [`Bearer ${'x'.repeat(43)}`, 401, 'invalid-token'],
    [`Basic ${token}`, 401, 'invalid-token'],
  ];
  await setRateLimits(system, { 'chat.secret.address': 1_000 });
  for (const [call, body] of CUSTOMER_CALLS) {
    for (const [authorization, status, message] of attempts) {
      // Every visitor starts with a guest-id alone, or with nothing.
      if (call.endsWith('/config') && [`Guest ${visitor.id}`, undefined].includes(authorization)) continue;
      const reply = await system.api(call, {
        ...(authorization === undefined ? {} : { headers: { authorization } }),
        ...(body === undefined ? {} : { body }),
      });
      assert.deepEqual(
        [reply.body.message, reply.status],
        [message, status],
        `${call} as ${authorization ?? 'nobody'}: ${JSON.stringify(reply.body)}`,
      );
      if (message === 'KEY_INVALID') assert.deepEqual(reply.body, { message: 'KEY_INVALID', detail: 'GUEST' });
    }
  }
  assert.deepEqual([await readChatRows(visitor), await readChatRows(otherVisitor)], [[], []]);
});

test("a chat call with an ended session is refused with the code of the session's end [R-NET-06]", async () => {
  const member = await newMemberCustomer(system);
  await sendText(system, member, 'before');
  assert.equal((await callAsCustomer(system, member, 'POST /api/logout', {})).status, 200);
  for (const [call, body] of CUSTOMER_CALLS) {
    const reply = await callAsCustomer(system, member, call, body);
    assert.equal(reply.body.message, 'invalid-token', call);
  }
  const restrictedMember = await newMemberCustomer(system);
  await system.database.query(`update member set status = 'restricted' where id = $1`, [restrictedMember.id]);
  for (const [call, body] of CUSTOMER_CALLS) {
    assert.equal((await callAsCustomer(system, restrictedMember, call, body)).body.message, 'INVALID_USER_4', call);
  }
});

test('a caller that names another customer can neither read, write nor mark their conversation [R-CHAT-07] [R-ROLE-01]', async () => {
  const [member, visitor] = await newVisitorAndMember(system);
  const strangers = await newVisitorAndMember(system);
  await Promise.all([member, visitor].map((customer) => sendText(system, customer, 'a secret of mine')));
  for (const owner of [member, visitor]) {
    const before = await readChatRows(owner);
    for (const stranger of strangers) {
      const foreignIds = [
        { userId: owner.userId, guestId: owner.guestId },
        { userId: stranger.userId, guestId: owner.guestId || 'x' },
        { userId: owner.userId || 'x', guestId: stranger.guestId },
        { userId: owner.guestId, guestId: owner.userId },
        { userId: owner.id },
        { guestId: owner.id },
      ];
      for (const [call, body] of CALLS_WITH_BODY) {
        for (const ids of foreignIds) {
          const reply = await callAsCustomer(system, stranger, call, { ...body, ...ids });
          const details = `${call} ${JSON.stringify(ids)} ${JSON.stringify(reply.body)}`;
          assert.deepEqual([reply.status, reply.body], [403, { message: 'INVALID_USER_3' }], details);
        }
        // Own ids or no ids are accepted; foreign ids in the body are ignored.
        const foreignFields = { conversation: owner.id, room: `chat:${owner.id}`, clientId: owner.id };
        for (const ids of [{}, { userId: stranger.userId, guestId: stranger.guestId }]) {
          const reply = await callAsCustomer(system, stranger, call, { ...body, ...ids, ...foreignFields });
          assert.equal(reply.status, 200, `${call} ${JSON.stringify(ids)}`);
          assert.doesNotMatch(JSON.stringify(reply.body), /a secret of mine/);
        }
      }
    }
    assert.deepEqual(await readChatRows(owner), before);
  }
});

test('a file of another conversation cannot be sent, by any path [R-CHAT-07]', async () => {
  const [owner, thief] = await newVisitorAndMember(system);
  await sendText(system, owner, 'it comes');
  await system.database.query(
    `insert into chat_file (key, conversation_id, kind, content_type, bytes)
     select 'chat/own.jpg', id, 'image', 'image/jpeg', 5 from chat_conversation where customer_id = $1`,
    [owner.id],
  );
  const sendFilePath = (customer: ChatCustomer, filePath: string, fileType = 'image') =>
    callAsCustomer(system, customer, 'POST /api/chat/send-message', {
      message: {
        message_type: 'media',
        payload: { message: '', url: 'https://elsewhere.example/x', fileType, filePath },
      },
    });
  for (const path of [
    'chat/own.jpg',
    '',
    '../chat/own.jpg',
    'chat/other.jpg',
    'slip-upload/x.bin',
    '%',
    "' or true --",
  ]) {
    const { status, body } = await sendFilePath(thief, path);
    assert.deepEqual([status, body], [400, { message: 'NO_DATA', detail: 'NO_FILE' }], path);
  }
  assert.equal((await sendFilePath(owner, 'chat/own.jpg', 'video')).status, 400);
  assert.deepEqual((await readHistory(system, thief)).body, []);
  assert.equal((await sendFilePath(owner, 'chat/own.jpg')).status, 200);
  const [message] = (await readHistory(system, owner)).body;
  assert.equal(message.message.payload.filePath, 'chat/own.jpg');
  assert.doesNotMatch(JSON.stringify(message), /elsewhere/);
});

test('wrong secrets and new guest-ids are limited by address', async () => {
  const visitor = await newVisitorCustomer(system);
  await setRateLimits(system, { 'chat.secret.address': 3, 'chat.visitor.address': 2 });
  const requestConfigFrom = (address: string, authorization: string) =>
    system.api('GET /api/chat/config', { headers: { authorization, 'x-forwarded-for': address } });
  const guessGuestSecret = (address: string) => requestConfigFrom(address, `Guest ${visitor.id}.wrong`);
  for (let attempt = 0; attempt < 3; attempt += 1) assert.equal((await guessGuestSecret('203.0.113.7')).status, 403);
  const refusedReply = await guessGuestSecret('203.0.113.7');
  assert.equal(refusedReply.body.message, 'REQUEST_LIMIT');
  assert.ok(Number(refusedReply.headers.get('retry-after')) > 0);
  // A caller with the secret continues, from any address.
  assert.equal((await requestConfigFrom('203.0.113.7', visitor.authorization)).status, 200);
  assert.equal((await guessGuestSecret('203.0.113.8')).status, 403);
  for (let made = 0; made < 2; made += 1) {
    assert.equal((await requestConfigFrom('203.0.113.9', `Guest ${newGuestId()}`)).status, 200);
  }
  assert.equal((await requestConfigFrom('203.0.113.9', `Guest ${newGuestId()}`)).body.message, 'REQUEST_LIMIT');
  assert.equal((await requestConfigFrom('203.0.113.9', `Guest ${visitor.id}`)).status, 200);
  await setRateLimits(system, { 'chat.secret.address': 1_000, 'chat.visitor.address': 1_000 });
});

test('a page of another site cannot make a browser register as a visitor', async () => {
  const authorization = `Guest ${newGuestId()}`;
  const { body } = await system.api('GET /api/chat/config', { headers: { authorization }, hasMarkerHeader: false });
  assert.deepEqual(body, { message: 'KEY_MISSING', detail: 'MARKER' });
});

test('visitors without messages are deleted after a month, others never', async () => {
  const [silentVisitor, fresh, writingVisitor, member] = await Promise.all([
    newVisitorCustomer(system),
    newVisitorCustomer(system),
    newVisitorCustomer(system),
    newMemberCustomer(system),
  ]);
  await Promise.all([sendText(system, writingVisitor, 'hello'), sendText(system, member, 'hello')]);
  const expiredIds = [silentVisitor.id, writingVisitor.id];
  await system.database.query(`update chat_visitor set seen_at = now() - interval '31 days' where guest_id = any($1)`, [
    expiredIds,
  ]);
  await system.database.query(`update chat_visitor set seen_at = now() - interval '29 days' where guest_id = $1`, [
    fresh.id,
  ]);
  await system.database.query(`update chat_conversation set created_at = now() - interval '31 days'`);
  // Each server sweeps when it starts.
  const node = await startServerNode(system);
  await waitUntil(
    async () =>
      (await system.database.query('select 1 from chat_visitor where guest_id = $1', [silentVisitor.id])).rowCount,
    (count) => count === 0,
    'the visitor is forgotten',
  );
  await node.stop();
  assert.equal((await readHistory(system, silentVisitor)).body.message, 'KEY_INVALID');
  assert.equal((await readHistory(system, fresh)).status, 200);
  for (const customer of [writingVisitor, member]) assert.equal((await readHistory(system, customer)).body.length, 1);
  const { rows } = await system.database.query<{ id: string }>(
    `select guest_id as id from chat_visitor where seen_at < now() - interval '30 days' and not has_written`,
  );
  assert.deepEqual(rows, [], 'who has written is never looked at again');
  // A customer with messages is not deleted.
  await system.database.query(`update chat_visitor set seen_at = now() - interval '31 days' where guest_id = $1`, [
    fresh.id,
  ]);
  await readChatConfig(system, fresh.authorization);
  await deleteInactiveVisitors(system.database, 30);
  assert.equal((await readHistory(system, fresh)).status, 200);
});
