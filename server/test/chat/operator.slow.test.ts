import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { addSupportReply } from '../../src/modules/chat/backend.ts';
import { parseReply } from '../../src/modules/chat/chat.ts';
import { systemClock } from '../../src/platform/time.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import { registerMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  callAsCustomer,
  readChatConfig,
  readConversationId,
  readHistory,
  newMemberCustomer,
  newVisitorCustomer,
  sendText,
  type ChatCustomer,
  textMessage,
} from './chat-fixtures.ts';
import { openChatListener, waitForJoins, waitForMessages } from './chat-socket.ts';
import { sendFileMessage, uploadFile } from './file-fixtures.ts';

let system: System;
const directory = mkdtempSync(join(tmpdir(), 'krapao-chat-'));

before(async () => {
  system = await startSystem({ objectStorage: { kind: 'files', directory: join(directory, 'files') } });
});
after(async () => {
  await system.stop();
  rmSync(directory, { recursive: true });
});

const runChat = (...commandArgs: string[]): Promise<CommandResult> => runCommand(system, 'chat', commandArgs);
const readUnreadCount = async ({ authorization }: ChatCustomer): Promise<number> =>
  (await readChatConfig(system, authorization)).body.unread;

test('an operator lists, reads and answers a conversation; the customer gets the reply, and the log names the operator', async () => {
  const { phone, token, id } = await registerMember(system);
  const member: ChatCustomer = { id, authorization: `Bearer ${token}`, userId: id, guestId: '', proof: { token } };
  const visitor = await newVisitorCustomer(system);
  await sendText(system, visitor, 'How do I\nregister?');
  await sendText(system, member, 'my deposit is missing');
  const [visitors, members] = [await readConversationId(system, visitor), await readConversationId(system, member)];
  const listResult = await runChat();
  assert.equal(listResult.status, 0);
  assert.match(listResult.output, new RegExp(`^${visitors} +0 min  visitor +How do I register\\?$`, 'm'));
  assert.match(
    listResult.output,
    new RegExp(`^${members} +0 min  ${phone} [0-9A-Z]{8} \\S.*  my deposit is missing$`, 'm'),
  );
  assert.match(listResult.output, /^2 conversations wait for an answer$/m);

  const listener = openChatListener(system.url, member);
  await waitForJoins(listener);
  const replyResult = await runChat('reply', members, 'suda', 'It', 'is', 'there', 'now.');
  assert.deepEqual(replyResult, { status: 0, output: `${members} is answered, by operator:suda.\n` });
  await waitForMessages(listener, 1);
  listener.socket.close();
  const [answer] = (await readHistory(system, member)).body;
  assert.deepEqual(listener.messages, [answer]);
  const { sender, message, sequence, username, name } = answer;
  assert.deepEqual(
    { sender, message, sequence, username, name },
    { sender: 'other', message: textMessage('It is there now.'), sequence: 2, username: '', name: '' },
  );
  assert.match((await runChat()).output, /^1 conversations wait/m);
  const showResult = await runChat('show', phone);
  assert.match(showResult.output, /^ +1  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+07:00  customer  my deposit is missing$/m);
  assert.match(showResult.output, /^ +2  \S+ \S+  we +It is there now\.$/m);
  const log = await runCommand(system, 'operator-log', [members]);
  assert.match(log.output, /suda +chat reply/);
});

test("an operator views a customer's pictures in the terminal", async () => {
  const visitor = await newVisitorCustomer(system);
  const pngImage = await sharp({ create: { width: 8, height: 4, channels: 3, background: '#c81e28' } })
    .png()
    .toBuffer();
  const { path } = await uploadFile(system, 'image', visitor, pngImage);
  assert.equal((await sendFileMessage(system, visitor, path)).status, 200);
  const conversation = await readConversationId(system, visitor);
  const environment = { DATA_DIR: directory };
  const { output } = await runCommand(system, 'chat', ['show', conversation, '--pictures'], environment);
  const cell = '\u001b[38;2;200;30;40m\u001b[48;2;200;30;40m\u2580';
  assert.equal(output.split(cell).length - 1, 16, output);
  const plainResult = await runCommand(system, 'chat', ['show', conversation], environment);
  assert.ok(!plainResult.output.includes('\u001b'));
});

test("control and bidi characters of a customer are removed in the operator's terminal", async () => {
  const visitor = await newVisitorCustomer(system);
  const message = { message_type: 'postback', payload: { title: 'menu', payload: 'A\u009b2J\u009d0;B\u009c\u202eC' } };
  assert.equal((await callAsCustomer(system, visitor, 'POST /api/chat/send-message', { message })).status, 200);
  for (const { output } of [await runChat(), await runChat('show', await readConversationId(system, visitor))]) {
    assert.match(output, /postback .*"A2J0;BC"/);
    assert.doesNotMatch(output, /(?!\n)\p{Cc}|\p{Bidi_Control}/u);
  }
});

test("replies are unread until their customer marks them, and the customer's own messages are never unread", async () => {
  const [visitor, otherVisitor] = [await newVisitorCustomer(system), await newVisitorCustomer(system)];
  await Promise.all([sendText(system, visitor, 'hello'), sendText(system, otherVisitor, 'hello')]);
  const conversation = await readConversationId(system, visitor);
  await runChat('reply', conversation, 'suda', 'one');
  await runChat('reply', conversation, 'suda', 'two');
  assert.deepEqual([await readUnreadCount(visitor), await readUnreadCount(otherVisitor)], [2, 0]);
  assert.equal((await callAsCustomer(system, otherVisitor, 'PUT /api/chat/read-customer/', {})).status, 200);
  assert.equal(await readUnreadCount(visitor), 2);
  const { body } = await callAsCustomer(system, visitor, 'PUT /api/chat/read-customer/', { guestId: visitor.id });
  assert.deepEqual(body, { message: 'OK' });
  assert.equal(await readUnreadCount(visitor), 0);
  await sendText(system, visitor, 'thanks');
  assert.equal(await readUnreadCount(visitor), 0);
});

test('an operator can send every type of message from a file, and it arrives unchanged', async () => {
  const visitor = await newVisitorCustomer(system);
  await sendText(system, visitor, 'hello');
  const conversation = await readConversationId(system, visitor);
  const buttonsMessage = [
    { type: 'web', title: 'Open', url: 'https://shop.example/x' },
    { type: 'call', title: 'Call', phone: '+66 2 123 4567' },
    { type: 'postback', title: 'Menu', payload: 'MENU' },
    { type: 'other', title: 'Say this' },
  ];
  const mediaMessage = { message: 'look', url: 'https://files.example/a.jpg', fileType: 'image', filePath: '' };
  const messages = [
    textMessage('plain'),
    { message_type: 'buttons', payload: { text: 'Choose', buttons: buttonsMessage } },
    { message_type: 'media', payload: mediaMessage },
    { message_type: 'quick_replies', payload: { text: 'Which?', quick_replies: [{ title: 'A', payload: '' }] } },
    {
      message_type: 'generic',
      payload: { elements: [{ title: 'Card', subtitle: '', image_url: '', buttons: buttonsMessage }] },
    },
  ];
  for (const [index, message] of messages.entries()) {
    const file = join(directory, `${index}.json`);
    writeFileSync(file, JSON.stringify(message));
    const { status, output } = await runChat('reply', conversation, 'suda', '--json', file);
    assert.equal(status, 0, output);
    assert.deepEqual((await readHistory(system, visitor, { limit: 1 })).body[0].message, message);
  }
});

test("an operator's unsafe message is not sent, and wrong arguments print the right usage", async () => {
  const visitor = await newVisitorCustomer(system);
  await sendText(system, visitor, 'hello');
  const conversation = await readConversationId(system, visitor);
  const unsafeTexts = [
    {
      message_type: 'buttons',
      payload: { text: 'x', buttons: [{ type: 'web', title: 'x', url: 'javascript:alert(1)' }] },
    },
    { message_type: 'buttons', payload: { text: 'x', buttons: [{ type: 'call', title: 'x', phone: 'javascript:1' }] } },
    { message_type: 'buttons', payload: { text: 'x', buttons: [] } },
    { message_type: 'media', payload: { url: 'data:text/html,x', fileType: 'image' } },
    { message_type: 'media', payload: { url: '', fileType: 'image', filePath: 'chat/of-somebody.jpg' } },
    { message_type: 'generic', payload: { elements: [{ title: 'x', image_url: 'file:///etc/passwd' }] } },
    'text',
  ];
  for (const message of unsafeTexts) assert.equal(parseReply(message), undefined, JSON.stringify(message));
  const unsafeFile = join(directory, 'unsafe.json');
  writeFileSync(unsafeFile, JSON.stringify(unsafeTexts[0]));
  const invalidValues: [words: string[], why: RegExp][] = [
    [['reply', randomUUID(), 'suda', 'hello'], /There is no conversation/],
    [['show', '0800000000'], /There is no conversation/],
    [['reply', conversation, 'suda', ' '], /Nothing is sent/],
    [['reply', conversation, 'suda', 'x'.repeat(2_001)], /Nothing is sent/],
    [['reply', conversation, 'suda', '--json', unsafeFile], /is no message of the chat/],
    [['reply', conversation, 'suda', '--json', join(directory, 'nowhere')], /nowhere is missing \(ENOENT\)/],
    [['reply', conversation, 'two words', 'hello'], /^NAME is one word .*, not "two words"\. Write `krapao chat`/],
    [['reply', conversation, 'suda'], /^TEXT is missing\. Write `krapao chat`/],
    [['answer', conversation], /^There is no action "answer"\. Write `krapao chat`/],
    [['show'], /^WHOSE is missing\. Write /],
    [['show', conversation, 'more'], /^"more" is one argument too many\. Write /],
  ];
  for (const [commandArgs, expectedReason] of invalidValues) {
    const { status, output } = await runChat(...commandArgs);
    assert.equal(status, 1, commandArgs.join(' '));
    assert.match(output, expectedReason);
  }
  assert.equal((await readHistory(system, visitor)).body.length, 1);
});

test('the same reply of an operator sent again or concurrently is stored once', async () => {
  const member = await newMemberCustomer(system);
  await sendText(system, member, 'hello');
  const conversationId = await readConversationId(system, member);
  const deps = { database: system.database, clock: systemClock };
  const message = { message_type: 'text', payload: { text: 'once' } } as const;
  const authorFields = { author: 'person', needsPerson: false } as const;
  const replyBody = { answerId: `backend:${randomUUID()}`, conversationId, message, ...authorFields } as const;
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => addSupportReply(deps, replyBody)));
  assert.deepEqual(outcomes.toSorted(), ['added', ...Array.from({ length: 7 }, () => 'repeated')]);
  assert.equal((await sendText(system, member, 'again')).body.sequence, 3);
  assert.equal(await addSupportReply(deps, { ...replyBody, conversationId: randomUUID() }), 'unknown_conversation');
  assert.equal(await addSupportReply(deps, { ...replyBody, conversationId: 'x' }), 'unknown_conversation');
});
