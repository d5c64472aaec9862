import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startSystem, type System } from '../harness/system.ts';
import {
  callAsCustomer,
  readChatConfig,
  newVisitorAndMember,
  readHistory,
  newMemberCustomer,
  newVisitorCustomer,
  sendText,
  textMessage,
} from './chat-fixtures.ts';

let system: System;

before(async () => {
  system = await startSystem();
});
after(() => system.stop());

test("a conversation stores the member from our records, a visitor's stated name, and the server's time", async () => {
  for (const customer of await newVisitorAndMember(system)) {
    const isMember = customer.userId !== '';
    const { body: ownProfile } = isMember
      ? await callAsCustomer(system, customer, 'GET /api/account/profile')
      : { body: undefined };
    const sendReply = await sendText(system, customer, 'Hello?', {
      key: 'first-message',
      session_id: 'opening-1',
      userId: customer.userId,
      guestId: customer.guestId,
      name: 'Nok\u202E',
      username: '0899999999',
      deviceToken: 'device-1',
      createdAt: '2001-01-01T00:00:00.000Z',
    });
    assert.equal(sendReply.status, 200, JSON.stringify(sendReply.body));
    const { body } = await readHistory(system, customer);
    const [message] = body;
    assert.equal(body.length, 1);
    assert.ok(Math.abs(Date.parse(message.createdAt) - Date.now()) < 60_000);
    assert.deepEqual(message, {
      _id: sendReply.body._id,
      sequence: 1,
      sender: 'customer',
      message: textMessage('Hello?'),
      userId: customer.userId,
      guestId: customer.guestId,
      username: isMember ? ownProfile.profile.username : '0899999999',
      name: isMember ? ownProfile.profile.name : 'Nok',
      deviceToken: 'device-1',
      clientId: 'first-message',
      session_id: 'opening-1',
      reference: null,
      createdAt: sendReply.body.createdAt,
    });
  }
});

test('chat history is returned newest first, in consecutive pages', async () => {
  const customer = await newVisitorCustomer(system);
  for (let messageNumber = 1; messageNumber <= 12; messageNumber += 1)
    assert.equal((await sendText(system, customer, `${messageNumber}`)).status, 200);
  const readSequences = async (rangeFields: object): Promise<number[]> =>
    (await readHistory(system, customer, rangeFields)).body.map(({ sequence }: { sequence: number }) => sequence);
  assert.deepEqual(await readSequences({}), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  assert.deepEqual(await readSequences({ skip: 10 }), [2, 1]);
  assert.deepEqual(await readSequences({ skip: 1, limit: 2 }), [11, 10]);
  assert.deepEqual(await readSequences({ skip: 12 }), []);
  assert.deepEqual(await readSequences({ skip: 1_000_000 }), []);
});

test('a customer without messages has an empty history, and reading it creates no row', async () => {
  const member = await newMemberCustomer(system);
  assert.deepEqual((await readChatConfig(system, member.authorization)).body, {
    PREFIX: 'chat:',
    guestSecret: null,
    unread: 0,
    backend: null,
  });
  assert.deepEqual((await readHistory(system, member)).body, []);
  assert.equal((await callAsCustomer(system, member, 'PUT /api/chat/read-customer/', {})).status, 200);
  const { rowCount } = await system.database.query('select from chat_conversation where customer_id = $1', [member.id]);
  assert.equal(rowCount, 0);
});
