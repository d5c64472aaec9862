import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cleanChatText } from '@krapao/contract/chat-text';
import { CHAT_TEXT_CHARACTERS_MAX } from '@krapao/contract/constants';
import { startNode } from '../event/member-socket.ts';
import { apiClient } from '../harness/api-client.ts';
import { setLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { callAs, eachKind, historyOf, newVisitor, say, type Talker } from './chat-world.ts';

let system: System;

before(async () => {
  system = await startSystem();
  await setLimits(system, { 'chat.customer': 1_000 });
});
after(() => system.stop());

const lastOf = async (talker: Talker) => (await historyOf(system, talker, { limit: 1 })).body[0];
const sendRaw = (talker: Talker, message: unknown) =>
  callAs(system, talker, 'POST /api/chat/send-message', { message });
const countOf = async ({ id }: Talker): Promise<number> => {
  const { rows } = await system.database.query<{ count: number }>(
    `select count(*)::int as count from chat_message m join chat_conversation c on c.id = m.conversation_id
     where c.customer_id = $1`,
    [id],
  );
  return rows[0]?.count ?? 0;
};

test('a key sends its message once, however often and wherever it comes at once; the numbers have no gap', async () => {
  const node = await startNode(system);
  for (const talker of await eachKind(system)) {
    const there = apiClient(node.url);
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? system.api : there)('POST /api/chat/send-message', {
          headers: { authorization: talker.authorization },
          body: { message: { message_type: 'text', payload: { text: `message ${index % 10}` } } },
          idempotencyKey: `message-${index % 10}`,
        }),
      ),
    );
    const answers = new Map<number, Set<string>>();
    for (const [index, reply] of replies.entries()) {
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const same = answers.get(index % 10) ?? new Set();
      answers.set(index % 10, same.add(JSON.stringify(reply.body)));
    }
    assert.deepEqual(
      [...answers.values()].map(({ size }) => size),
      Array.from({ length: 10 }, () => 1),
    );
    const { body } = await historyOf(system, talker, { limit: 100 });
    assert.deepEqual(
      body.map(({ sequence }: { sequence: number }) => sequence),
      [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
    );
  }
  await node.stop();
});

test('a key that was another message’s is refused; without a key each is a message of its own', async () => {
  const talker = await newVisitor(system);
  const first = await say(system, talker, 'hello', { key: 'the-same-key' });
  const other = await say(system, talker, 'hallo', { key: 'the-same-key' });
  assert.deepEqual([other.status, other.body], [403, { message: 'KEY_INVALID', detail: 'IDEMPOTENCY_KEY_REUSED' }]);
  assert.deepEqual((await say(system, talker, 'hello', { key: 'the-same-key' })).body, first.body);
  assert.equal(await countOf(talker), 1);
  // Keys belong to their conversation.
  const stranger = await newVisitor(system);
  const own = await say(system, stranger, 'mine', { key: 'the-same-key' });
  assert.deepEqual([own.status, own.body.sequence], [200, 1]);
  assert.notEqual(own.body._id, first.body._id);
  await Promise.all([say(system, talker, 'hello'), say(system, talker, 'hello')]);
  assert.equal(await countOf(talker), 3);
  assert.equal((await say(system, talker, 'x', { key: 'short' })).body.message, 'NO_DATA');
});

test('a text is kept composed and without what can’t be seen, and is counted so', async () => {
  const talker = await newVisitor(system);
  const kept: [typed: string, kept: string][] = [
    ['สวัสดีค่ะ ເງິນ 👩‍👩‍👧 e\u0301', 'สวัสดีค่ะ ເງິນ 👩‍👩‍👧 é'],
    ['one\r\ntwo\rthree\u2028four', 'one\ntwo\nthree\nfour'],
    ['pay \u202Eoot dias I\u202C\u2066 me\u2069\u200F', 'pay oot dias I me'],
    ['a\u0000b\u0007c\u001b[31md\u007fe\u009ff', 'abc[31mdef'],
    ['  \tindented  ', '  \tindented  '],
    ['<img src=x onerror=alert(1)> {{name}} \\ \' " $1', '<img src=x onerror=alert(1)> {{name}} \\ \' " $1'],
    ['\u200Eข\u200B', 'ข\u200B'],
  ];
  for (const [typed, expected] of kept) {
    assert.equal(cleanChatText(typed), expected.normalize('NFC'));
    assert.equal((await say(system, talker, typed)).status, 200, typed);
    assert.equal((await lastOf(talker)).message.payload.text, expected.normalize('NFC'));
  }
  const most = CHAT_TEXT_CHARACTERS_MAX;
  for (const fits of ['x'.repeat(most), '👍'.repeat(most / 2), 'e\u0301'.repeat(most), `${'x'.repeat(most)}\u202E`]) {
    assert.equal((await say(system, talker, fits)).status, 200, `${fits.slice(0, 4)} × ${fits.length}`);
    assert.equal((await lastOf(talker)).message.payload.text, cleanChatText(fits));
  }
  const before = await countOf(talker);
  for (const tooLong of [
    'x'.repeat(most + 1),
    `${'👍'.repeat(most / 2)}x`,
    'e\u0301'.repeat(most + 1),
    'x'.repeat(50_000),
  ]) {
    const { status, body } = await say(system, talker, tooLong);
    assert.deepEqual([status, body.message], [400, 'NO_DATA'], `${tooLong.length}`);
  }
  assert.equal(await countOf(talker), before);
});

test('a text with nothing to read in it is not sent', async () => {
  const talker = await newVisitor(system);
  for (const blank of ['', ' ', '\n\t ', '\u00A0\u3000', '\u200B', '\u202E\u0000', '\u200D\uFEFF']) {
    const { status, body } = await say(system, talker, blank);
    assert.deepEqual([status, body], [400, { message: 'NO_DATA', detail: 'BLANK' }], JSON.stringify(blank));
  }
  assert.equal(await countOf(talker), 0);
});

test('a customer is never the other side, and sends what customers send and nothing else', async () => {
  const talker = await newVisitor(system);
  const forged = await say(system, talker, 'We are closed. Send your password.', { sender: 'other' });
  assert.deepEqual([forged.status, forged.body], [400, { message: 'NO_DATA', detail: 'sender' }]);
  const button = { type: 'web', title: 'Open', url: 'https://elsewhere.example' };
  const refused: unknown[] = [
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
  for (const message of refused) {
    const { status, body } = await sendRaw(talker, message);
    assert.deepEqual([status, body.message], [400, 'NO_DATA'], JSON.stringify(message));
  }
  assert.equal(await countOf(talker), 0);
  const postback = { message_type: 'postback', payload: { title: 'Deposit', payload: 'MENU_DEPOSIT' } };
  assert.equal((await sendRaw(talker, { ...postback, html: '<b>' })).status, 200);
  assert.deepEqual((await lastOf(talker)).message, postback);
});

test('an impossible page size or position of the history is refused', async () => {
  const talker = await newVisitor(system);
  for (const part of [{ limit: 0 }, { limit: 101 }, { limit: '10' }, { skip: -1 }, { skip: 1.5 }, { skip: 1e9 }]) {
    const { status, body } = await historyOf(system, talker, part);
    assert.deepEqual([status, body.message], [400, 'NO_DATA'], JSON.stringify(part));
  }
});

test('messages are limited by customer, day and address, with the time to wait; a repeated key is not counted', async () => {
  const cases = [
    ['chat.customer', 'REQUEST_LIMIT'],
    ['chat.customer.day', 'REQUEST_LIMIT'],
    ['chat.address', 'REQUEST_LIMIT_1MIN'],
  ] as const;
  for (const [index, [limit, code]] of cases.entries()) {
    const [talker, other] = await eachKind(system);
    await system.database.query('delete from rate_limit');
    const { rows } = await system.database.query<{ hits: number }>('select hits from lookup_limit where name = $1', [
      limit,
    ]);
    // A tenth of the day's is left to a member past the limit of the address.
    await setLimits(system, { 'chat.customer.day': 10, [limit]: 2 });
    const send = (who: Talker, key: string, address = `203.0.113.${index + 1}`) =>
      system.api('POST /api/chat/send-message', {
        headers: { authorization: who.authorization, 'x-forwarded-for': address },
        body: { message: { message_type: 'text', payload: { text: 'hello' } } },
        idempotencyKey: key,
      });
    const first = await send(talker, 'message-1');
    assert.equal((await send(talker, 'message-2')).status, 200);
    const refused = await send(talker, 'message-3');
    assert.deepEqual([refused.status, refused.body.message], [429, code], limit);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.deepEqual((await send(talker, 'message-1')).body, first.body);
    assert.equal(await countOf(talker), 2);
    // Other customers are not limited.
    assert.equal((await send(other, 'message-1', '203.0.113.99')).status, 200);
    await setLimits(system, { 'chat.customer.day': 2_000, [limit]: rows[0]?.hits ?? 0 });
  }
});

test('what was read and answered is still there when the server comes back', async () => {
  const talker = await newVisitor(system);
  const node = await startNode(system);
  const api = apiClient(node.url);
  const headers = { authorization: talker.authorization };
  const message = { message_type: 'text', payload: { text: 'before' } };
  const sent = await api('POST /api/chat/send-message', {
    headers,
    body: { message },
    idempotencyKey: 'before-restart',
  });
  await node.stop();
  const again = await say(system, talker, 'before', { key: 'before-restart' });
  assert.deepEqual(again.body, sent.body);
  assert.equal((await say(system, talker, 'after')).body.sequence, 2);
});
