import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endpoints } from '@krapao/contract/endpoints';
import { deleteInactiveVisitors } from '../../src/modules/chat/queries.ts';
import { registerMember } from '../harness/members.ts';
import { setLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  callAs,
  configAs,
  eachKind,
  historyOf,
  newGuestId,
  newMember,
  newVisitor,
  say,
  type Talker,
  textOf,
} from './chat-world.ts';

let system: System;

before(async () => {
  system = await startSystem();
});
after(() => system.stop());

const CALLS: [call: string, body?: object][] = [
  ['GET /api/chat/config'],
  ['POST /api/chat/send-message', { message: textOf('hello') }],
  ['POST /api/chat/history', {}],
  ['PUT /api/chat/read-customer/', {}],
  ['POST /api/chat/upload-image'],
  ['POST /api/chat/upload-video'],
];
const WITH_BODY = CALLS.filter(([, body]) => body !== undefined);

/** What the database has of a customer's conversation. */
async function rowsOf({ id }: Pick<Talker, 'id'>): Promise<unknown> {
  const { rows } = await system.database.query(
    `select c.*, (select count(*) from chat_message m where m.conversation_id = c.id)::int as messages
     from chat_conversation c where customer_id = $1`,
    [id],
  );
  return rows;
}

test('what is tried here is tried at every call of a customer', () => {
  const names = Object.entries(endpoints).filter(([, { access }]) => access === 'customer');
  assert.deepEqual(CALLS.map(([call]) => call).toSorted(), names.map(([name]) => name).toSorted());
});

test('a new guest-id gets its secret once; it is not returned again, and not stored', async () => {
  const id = newGuestId();
  const first = await configAs(system, `Guest ${id}`);
  assert.deepEqual(first.body, { PREFIX: 'chat:', guestSecret: first.body.guestSecret, unread: 0, backend: null });
  assert.match(first.body.guestSecret, /^[\w-]{43}$/);
  const again = await configAs(system, `Guest ${id}`);
  assert.deepEqual([again.status, again.body], [200, { ...first.body, guestSecret: null }]);
  const proved = await configAs(system, `Guest ${id}.${first.body.guestSecret}`);
  assert.deepEqual([proved.status, proved.body], [200, { ...first.body, guestSecret: null }]);
  const { rows } = await system.database.query<{ all: string }>(
    'select v::text as all from chat_visitor v where guest_id = $1',
    [id],
  );
  assert.equal(rows.length, 1);
  assert.ok(!rows[0]?.all.includes(first.body.guestSecret));
});

test('of many who show the same new guest-id at once one gets a secret', async () => {
  const id = newGuestId();
  const replies = await Promise.all(Array.from({ length: 10 }, () => configAs(system, `Guest ${id}`)));
  const secrets = replies.map(({ body }) => body.guestSecret).filter((secret) => secret !== null);
  assert.equal(secrets.length, 1);
  assert.equal((await historyOf(system, { authorization: `Guest ${id}.${secrets[0]}` })).status, 200);
});

test('a guest-id without its secret returns nothing of its visitor’s conversation [R-CHAT-07]', async () => {
  const visitor = await newVisitor(system);
  await say(system, visitor, 'private');
  const { status, body } = await configAs(system, `Guest ${visitor.id}`);
  assert.deepEqual([status, body], [200, { PREFIX: 'chat:', guestSecret: null, unread: 0, backend: null }]);
});

test('what is no customer is refused by every call of the chat, an unknown guest-id like a wrong secret [R-CHAT-07] [R-NET-06]', async () => {
  const [visitor, other] = [await newVisitor(system), await newVisitor(system)];
  const { token } = await registerMember(system);
  const secret = visitor.authorization.slice(visitor.authorization.indexOf('.') + 1);
  const secretOfOther = other.authorization.slice(other.authorization.indexOf('.') + 1);
  const attempts: [authorization: string | undefined, status: number, message: string][] = [
    [undefined, 403, 'KEY_MISSING'],
    [`Guest ${visitor.id}`, 403, 'KEY_MISSING'],
    [`Guest ${newGuestId()}.${secret}`, 403, 'KEY_INVALID'],
    [`Guest ${visitor.id}.${secretOfOther}`, 403, 'KEY_INVALID'],
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
  await setLimits(system, { 'chat.secret.address': 1_000 });
  for (const [call, body] of CALLS) {
    for (const [authorization, status, message] of attempts) {
      // The guest-id alone, or nothing, is how everyone begins there.
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
  assert.deepEqual([await rowsOf(visitor), await rowsOf(other)], [[], []]);
});

test('an ended session is refused with its code as everywhere [R-NET-06]', async () => {
  const member = await newMember(system);
  await say(system, member, 'before');
  assert.equal((await callAs(system, member, 'POST /api/logout', {})).status, 200);
  for (const [call, body] of CALLS) {
    const reply = await callAs(system, member, call, body);
    assert.equal(reply.body.message, 'invalid-token', call);
  }
  const restricted = await newMember(system);
  await system.database.query(`update member set status = 'restricted' where id = $1`, [restricted.id]);
  for (const [call, body] of CALLS) {
    assert.equal((await callAs(system, restricted, call, body)).body.message, 'INVALID_USER_4', call);
  }
});

test('naming another customer gives no access to their conversation: not to read, write or mark [R-CHAT-07] [R-ROLE-01]', async () => {
  const [member, visitor] = await eachKind(system);
  const strangers = await eachKind(system);
  await Promise.all([member, visitor].map((talker) => say(system, talker, 'a secret of mine')));
  for (const owner of [member, visitor]) {
    const before = await rowsOf(owner);
    for (const stranger of strangers) {
      const named = [
        { userId: owner.userId, guestId: owner.guestId },
        { userId: stranger.userId, guestId: owner.guestId || 'x' },
        { userId: owner.userId || 'x', guestId: stranger.guestId },
        { userId: owner.guestId, guestId: owner.userId },
        { userId: owner.id },
        { guestId: owner.id },
      ];
      for (const [call, body] of WITH_BODY) {
        for (const ids of named) {
          const reply = await callAs(system, stranger, call, { ...body, ...ids });
          const details = `${call} ${JSON.stringify(ids)} ${JSON.stringify(reply.body)}`;
          assert.deepEqual([reply.status, reply.body], [403, { message: 'INVALID_USER_3' }], details);
        }
        // Own ids or none are accepted; other ids in the body are ignored.
        const other = { conversation: owner.id, room: `chat:${owner.id}`, clientId: owner.id };
        for (const ids of [{}, { userId: stranger.userId, guestId: stranger.guestId }]) {
          const reply = await callAs(system, stranger, call, { ...body, ...ids, ...other });
          assert.equal(reply.status, 200, `${call} ${JSON.stringify(ids)}`);
          assert.doesNotMatch(JSON.stringify(reply.body), /a secret of mine/);
        }
      }
    }
    assert.deepEqual(await rowsOf(owner), before);
  }
});

test('a file that is not of this conversation can’t be sent, by whatever path [R-CHAT-07]', async () => {
  const [owner, thief] = await eachKind(system);
  await say(system, owner, 'it comes');
  await system.database.query(
    `insert into chat_file (key, conversation_id, kind, content_type, bytes)
     select 'chat/own.jpg', id, 'image', 'image/jpeg', 5 from chat_conversation where customer_id = $1`,
    [owner.id],
  );
  const send = (talker: Talker, filePath: string, fileType = 'image') =>
    callAs(system, talker, 'POST /api/chat/send-message', {
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
    const { status, body } = await send(thief, path);
    assert.deepEqual([status, body], [400, { message: 'NO_DATA', detail: 'NO_FILE' }], path);
  }
  assert.equal((await send(owner, 'chat/own.jpg', 'video')).status, 400);
  assert.deepEqual((await historyOf(system, thief)).body, []);
  assert.equal((await send(owner, 'chat/own.jpg')).status, 200);
  const [message] = (await historyOf(system, owner)).body;
  assert.equal(message.message.payload.filePath, 'chat/own.jpg');
  assert.doesNotMatch(JSON.stringify(message), /elsewhere/);
});

test('guessing secrets and making guest-ids are limited, by address', async () => {
  const visitor = await newVisitor(system);
  await setLimits(system, { 'chat.secret.address': 3, 'chat.visitor.address': 2 });
  const from = (address: string, authorization: string) =>
    system.api('GET /api/chat/config', { headers: { authorization, 'x-forwarded-for': address } });
  const guess = (address: string) => from(address, `Guest ${visitor.id}.wrong`);
  for (let guessed = 0; guessed < 3; guessed += 1) assert.equal((await guess('203.0.113.7')).status, 403);
  const refused = await guess('203.0.113.7');
  assert.equal(refused.body.message, 'REQUEST_LIMIT');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  // A caller with the secret continues, from any address.
  assert.equal((await from('203.0.113.7', visitor.authorization)).status, 200);
  assert.equal((await guess('203.0.113.8')).status, 403);
  for (let made = 0; made < 2; made += 1) {
    assert.equal((await from('203.0.113.9', `Guest ${newGuestId()}`)).status, 200);
  }
  assert.equal((await from('203.0.113.9', `Guest ${newGuestId()}`)).body.message, 'REQUEST_LIMIT');
  assert.equal((await from('203.0.113.9', `Guest ${visitor.id}`)).status, 200);
  await setLimits(system, { 'chat.secret.address': 1_000, 'chat.visitor.address': 1_000 });
});

test('a page of another site can’t make a browser register', async () => {
  const authorization = `Guest ${newGuestId()}`;
  const { body } = await system.api('GET /api/chat/config', { headers: { authorization }, marker: false });
  assert.deepEqual(body, { message: 'KEY_MISSING', detail: 'MARKER' });
});

test('visitors who have written nothing are forgotten after a month, others never', async () => {
  const [silent, fresh, writer, member] = await Promise.all([
    newVisitor(system),
    newVisitor(system),
    newVisitor(system),
    newMember(system),
  ]);
  await Promise.all([say(system, writer, 'hello'), say(system, member, 'hello')]);
  const old = [silent.id, writer.id];
  await system.database.query(`update chat_visitor set seen_at = now() - interval '31 days' where guest_id = any($1)`, [
    old,
  ]);
  await system.database.query(`update chat_conversation set created_at = now() - interval '31 days'`);
  await deleteInactiveVisitors(system.database, 30);
  assert.equal((await historyOf(system, silent)).body.message, 'KEY_INVALID');
  assert.equal((await historyOf(system, fresh)).status, 200);
  for (const talker of [writer, member]) assert.equal((await historyOf(system, talker)).body.length, 1);
  const { rows } = await system.database.query<{ id: string }>(
    `select guest_id as id from chat_visitor where seen_at < now() - interval '30 days' and not has_written`,
  );
  assert.deepEqual(rows, [], 'who has written is never looked at again');
  // Who is there is not forgotten.
  await system.database.query(`update chat_visitor set seen_at = now() - interval '31 days' where guest_id = $1`, [
    fresh.id,
  ]);
  await configAs(system, fresh.authorization);
  await deleteInactiveVisitors(system.database, 30);
  assert.equal((await historyOf(system, fresh)).status, 200);
});
