import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cleanChatText } from '@krapao/contract/chat-text';
import { startServerNode } from '../event/member-socket.ts';
import { apiClient } from '../harness/api-client.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  callAsCustomer,
  newVisitorAndMember,
  readHistory,
  newVisitorCustomer,
  sendText,
  type ChatCustomer,
} from './chat-fixtures.ts';

let system: System;

before(async () => {
  system = await startSystem();
  await setRateLimits(system, { 'chat.customer': 1_000 });
});
after(() => system.stop());

const readLastMessage = async (customer: ChatCustomer) => (await readHistory(system, customer, { limit: 1 })).body[0];
const sendRaw = (customer: ChatCustomer, message: unknown) =>
  callAsCustomer(system, customer, 'POST /api/chat/send-message', { message });
const countOf = async ({ id }: ChatCustomer): Promise<number> => {
  const { rows } = await system.database.query<{ count: number }>(
    `select count(*)::int as count from chat_message m join chat_conversation c on c.id = m.conversation_id
     where c.customer_id = $1`,
    [id],
  );
  return rows[0]?.count ?? 0;
};

test('a key stores its message once, however often and concurrently it is sent; sequence numbers have no gap', async () => {
  const node = await startServerNode(system);
  for (const customer of await newVisitorAndMember(system)) {
    const otherNodeApi = apiClient(node.url);
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? system.api : otherNodeApi)('POST /api/chat/send-message', {
          headers: { authorization: customer.authorization },
          body: { message: { message_type: 'text', payload: { text: `message ${index % 10}` } } },
          idempotencyKey: `message-${index % 10}`,
        }),
      ),
    );
    const answers = new Map<number, Set<string>>();
    for (const [index, reply] of replies.entries()) {
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const sameKeyReplies = answers.get(index % 10) ?? new Set();
      answers.set(index % 10, sameKeyReplies.add(JSON.stringify(reply.body)));
    }
    assert.deepEqual(
      [...answers.values()].map(({ size }) => size),
      Array.from({ length: 10 }, () => 1),
    );
    const { body } = await readHistory(system, customer, { limit: 100 });
    assert.deepEqual(
      body.map(({ sequence }: { sequence: number }) => sequence),
      [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
    );
  }
  await node.stop();
});

test('a key of another message is refused; without a key each message is separate', async () => {
  const customer = await newVisitorCustomer(system);
  const first = await sendText(system, customer, 'hello', { key: 'the-same-key' });
  const otherReply = await sendText(system, customer, 'hallo', { key: 'the-same-key' });
  assert.deepEqual(
    [otherReply.status, otherReply.body],
    [403, { message: 'KEY_INVALID', detail: 'IDEMPOTENCY_KEY_REUSED' }],
  );
  assert.deepEqual((await sendText(system, customer, 'hello', { key: 'the-same-key' })).body, first.body);
  assert.equal(await countOf(customer), 1);
  // Keys belong to their conversation.
  const otherVisitor = await newVisitorCustomer(system);
  const ownReply = await sendText(system, otherVisitor, 'mine', { key: 'the-same-key' });
  assert.deepEqual([ownReply.status, ownReply.body.sequence], [200, 1]);
  assert.notEqual(ownReply.body._id, first.body._id);
  await Promise.all([sendText(system, customer, 'hello'), sendText(system, customer, 'hello')]);
  assert.equal(await countOf(customer), 3);
  assert.equal((await sendText(system, customer, 'x', { key: 'short' })).body.message, 'NO_DATA');
});

test('a text is stored and counted in composed form, without invisible characters', async () => {
  const customer = await newVisitorCustomer(system);
  const TEXT_CASES: [typed: string, kept: string][] = [
    ['สวัสดีค่ะ ເງິນ 👩‍👩‍👧 e\u0301', 'สวัสดีค่ะ ເງິນ 👩‍👩‍👧 é'],
    ['one\r\ntwo\rthree\u2028four', 'one\ntwo\nthree\nfour'],
    ['pay \u202Eoot dias I\u202C\u2066 me\u2069\u200F', 'pay oot dias I me'],
    ['a\u0000b\u0007c\u001b[31md\u007fe\u009ff', 'abc[31mdef'],
    ['  \tindented  ', '  \tindented  '],
    ['<img src=x onerror=alert(1)> {{name}} \\ \' " $1', '<img src=x onerror=alert(1)> {{name}} \\ \' " $1'],
    ['\u200Eข\u200B', 'ข\u200B'],
  ];
  for (const [typedText, expected] of TEXT_CASES) {
    assert.equal(cleanChatText(typedText), expected.normalize('NFC'));
    assert.equal((await sendText(system, customer, typedText)).status, 200, typedText);
    assert.equal((await readLastMessage(customer)).message.payload.text, expected.normalize('NFC'));
  }
  const maxLength = 2_000;
  for (const fittingText of [
    'x'.repeat(maxLength),
    '👍'.repeat(maxLength / 2),
    'e\u0301'.repeat(maxLength),
    `${'x'.repeat(maxLength)}\u202E`,
  ]) {
    assert.equal(
      (await sendText(system, customer, fittingText)).status,
      200,
      `${fittingText.slice(0, 4)} × ${fittingText.length}`,
    );
    assert.equal((await readLastMessage(customer)).message.payload.text, cleanChatText(fittingText));
  }
  const before = await countOf(customer);
  for (const tooLongText of [
    'x'.repeat(maxLength + 1),
    `${'👍'.repeat(maxLength / 2)}x`,
    'e\u0301'.repeat(maxLength + 1),
    'x'.repeat(50_000),
  ]) {
    const { status, body } = await sendText(system, customer, tooLongText);
    assert.deepEqual([status, body.message], [400, 'NO_DATA'], `${tooLongText.length}`);
  }
  assert.equal(await countOf(customer), before);
});

test('a text without visible characters is not sent', async () => {
  const customer = await newVisitorCustomer(system);
  for (const blankText of ['', ' ', '\n\t ', '\u00A0\u3000', '\u200B', '\u202E\u0000', '\u200D\uFEFF']) {
    const { status, body } = await sendText(system, customer, blankText);
    assert.deepEqual([status, body], [400, { message: 'NO_DATA', detail: 'BLANK' }], JSON.stringify(blankText));
  }
  assert.equal(await countOf(customer), 0);
});

test("a customer can send only a customer's message types, and never as support", async () => {
  const customer = await newVisitorCustomer(system);
  const forgedReply = await sendText(system, customer, 'We are closed. Send your password.', { sender: 'other' });
  assert.deepEqual([forgedReply.status, forgedReply.body], [400, { message: 'NO_DATA', detail: 'sender' }]);
  const button = { type: 'web', title: 'Open', url: 'https://elsewhere.example' };
  const refusedReplies: unknown[] = [
    undefined,
    null,
    'text',
    [],
    {},
    { message_type: 'text' },
    { message_type: 'text', payload: {} },
    { message_type: 'text', payload: { text: ['x'] } },
    { message_type: 'text', payload: { text: '\uD83D alone' } },
    { message_type: 'buttons', payload: { text: 'x', buttons: [button] } },
    { message_type: 'quick_replies', payload: { text: 'x', quick_replies: [{ title: 'y' }] } },
    { message_type: 'generic', payload: { elements: [{ title: 'x' }] } },
    { message_type: 'unknown', payload: {} },
    { message_type: 'elsewhere', payload: { text: 'x' } },
    { message_type: 'postback', payload: { title: '', payload: 'x' } },
    { message_type: 'postback', payload: { title: 'x'.repeat(81), payload: 'x' } },
    { message_type: 'postback', payload: { title: 'x', payload: 'x'.repeat(1_001) } },
    { message_type: 'media', payload: { fileType: 'program', filePath: 'x' } },
  ];
  for (const message of refusedReplies) {
    const { status, body } = await sendRaw(customer, message);
    assert.deepEqual([status, body.message], [400, 'NO_DATA'], JSON.stringify(message));
  }
  assert.equal(await countOf(customer), 0);
  const postbackMessage = { message_type: 'postback', payload: { title: 'Deposit', payload: 'MENU_DEPOSIT' } };
  assert.equal((await sendRaw(customer, { ...postbackMessage, html: '<b>' })).status, 200);
  assert.deepEqual((await readLastMessage(customer)).message, postbackMessage);
});

test('an invalid page size or position of the history is refused', async () => {
  const customer = await newVisitorCustomer(system);
  for (const invalidRange of [
    { limit: 0 },
    { limit: 101 },
    { limit: '10' },
    { skip: -1 },
    { skip: 1.5 },
    { skip: 1e9 },
  ]) {
    const { status, body } = await readHistory(system, customer, invalidRange);
    assert.deepEqual([status, body.message], [400, 'NO_DATA'], JSON.stringify(invalidRange));
  }
});

test('messages are limited per customer, day and address, with the time to wait; a repeated key is not counted', async () => {
  const cases = [
    ['chat.customer', 'REQUEST_LIMIT'],
    ['chat.customer.day', 'REQUEST_LIMIT'],
    ['chat.address', 'REQUEST_LIMIT_1MIN'],
  ] as const;
  for (const [index, [limit, code]] of cases.entries()) {
    const [customer, otherCustomer] = await newVisitorAndMember(system);
    await system.database.query('delete from rate_limit');
    const { rows } = await system.database.query<{ hits: number }>(
      'select hits from operator_data_limit where name = $1',
      [limit],
    );
    // The daily limit reserves a tenth for members past the limit of their address.
    await setRateLimits(system, { 'chat.customer.day': 10, [limit]: 2 });
    const sendMessage = (sender: ChatCustomer, key: string, address = `203.0.113.${index + 1}`) =>
      system.api('POST /api/chat/send-message', {
        headers: { authorization: sender.authorization, 'x-forwarded-for': address },
        body: { message: { message_type: 'text', payload: { text: 'hello' } } },
        idempotencyKey: key,
      });
    const first = await sendMessage(customer, 'message-1');
    assert.equal((await sendMessage(customer, 'message-2')).status, 200);
    const refusedReply = await sendMessage(customer, 'message-3');
    assert.deepEqual([refusedReply.status, refusedReply.body.message], [429, code], limit);
    assert.ok(Number(refusedReply.headers.get('retry-after')) > 0);
    assert.deepEqual((await sendMessage(customer, 'message-1')).body, first.body);
    assert.equal(await countOf(customer), 2);
    // Other customers are not affected by the limit.
    assert.equal((await sendMessage(otherCustomer, 'message-1', '203.0.113.99')).status, 200);
    await setRateLimits(system, { 'chat.customer.day': 2_000, [limit]: rows[0]?.hits ?? 0 });
  }
});

test('read marks and replies are still there after a restart', async () => {
  const customer = await newVisitorCustomer(system);
  const node = await startServerNode(system);
  const api = apiClient(node.url);
  const headers = { authorization: customer.authorization };
  const message = { message_type: 'text', payload: { text: 'before' } };
  const sendReply = await api('POST /api/chat/send-message', {
    headers,
    body: { message },
    idempotencyKey: 'before-restart',
  });
  await node.stop();
  const repeatedReply = await sendText(system, customer, 'before', { key: 'before-restart' });
  assert.deepEqual(repeatedReply.body, sendReply.body);
  assert.equal((await sendText(system, customer, 'after')).body.sequence, 2);
});
