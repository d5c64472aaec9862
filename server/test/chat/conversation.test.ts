import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSystem, type System } from '../harness/system.ts';
import { callAs, configAs, eachKind, historyOf, newMember, newVisitor, say, textOf } from './chat-world.ts';

let system: System;

before(async () => {
  system = await startSystem();
});
after(() => system.stop());

test('a conversation keeps who a member is by our records, who a visitor says they are, and our own time', async () => {
  for (const talker of await eachKind(system)) {
    const isMember = talker.userId !== '';
    const { body: own } = isMember ? await callAs(system, talker, 'GET /api/account/profile') : { body: undefined };
    const sent = await say(system, talker, 'Hello?', {
      key: 'first-message',
      session_id: 'opening-1',
      userId: talker.userId,
      guestId: talker.guestId,
      name: 'Nok\u202E',
      username: '0899999999',
      deviceToken: 'device-1',
      createdAt: '2001-01-01T00:00:00.000Z',
    });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    const { body } = await historyOf(system, talker);
    const [message] = body;
    assert.equal(body.length, 1);
    assert.ok(Math.abs(Date.parse(message.createdAt) - Date.now()) < 60_000);
    assert.deepEqual(message, {
      _id: sent.body._id,
      sequence: 1,
      sender: 'customer',
      message: textOf('Hello?'),
      userId: talker.userId,
      guestId: talker.guestId,
      username: isMember ? own.profile.username : '0899999999',
      name: isMember ? own.profile.name : 'Nok',
      deviceToken: 'device-1',
      clientId: 'first-message',
      session_id: 'opening-1',
      createdAt: sent.body.createdAt,
    });
  }
});

test('the history comes newest first, in pages that fit together', async () => {
  const talker = await newVisitor(system);
  for (let said = 1; said <= 12; said += 1) assert.equal((await say(system, talker, `${said}`)).status, 200);
  const numbersOf = async (part: object): Promise<number[]> =>
    (await historyOf(system, talker, part)).body.map(({ sequence }: { sequence: number }) => sequence);
  assert.deepEqual(await numbersOf({}), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  assert.deepEqual(await numbersOf({ skip: 10 }), [2, 1]);
  assert.deepEqual(await numbersOf({ skip: 1, limit: 2 }), [11, 10]);
  assert.deepEqual(await numbersOf({ skip: 12 }), []);
  assert.deepEqual(await numbersOf({ skip: 1_000_000 }), []);
});

test('a customer who has said nothing has an empty history, and no row is made for a member who only looks', async () => {
  const member = await newMember(system);
  assert.deepEqual((await configAs(system, member.authorization)).body, {
    PREFIX: 'chat:',
    guestSecret: null,
    unread: 0,
    backend: null,
  });
  assert.deepEqual((await historyOf(system, member)).body, []);
  assert.equal((await callAs(system, member, 'PUT /api/chat/read-customer/', {})).status, 200);
  const { rowCount } = await system.database.query('select from chat_conversation where customer_id = $1', [member.id]);
  assert.equal(rowCount, 0);
});
