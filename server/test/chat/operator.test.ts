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
import { type Ended, runCommand } from '../harness/command.ts';
import { registerMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import { listenAs, untilJoined, untilTold } from './chat-socket.ts';
import {
  callAs,
  configAs,
  conversationOf,
  historyOf,
  newMember,
  newVisitor,
  say,
  type Talker,
  textOf,
} from './chat-world.ts';
import { sendFile, uploaded } from './file-world.ts';

let system: System;
const directory = mkdtempSync(join(tmpdir(), 'krapao-chat-'));

before(async () => {
  system = await startSystem({ objectStorage: { kind: 'files', directory: join(directory, 'files') } });
});
after(async () => {
  await system.stop();
  rmSync(directory, { recursive: true });
});

const chat = (...words: string[]): Promise<Ended> => runCommand(system, 'chat', words);
const unreadOf = async ({ authorization }: Talker): Promise<number> =>
  (await configAs(system, authorization)).body.unread;

test('an operator sees who waits, reads and answers; the customer receives the answer at once, and the operator log names the operator', async () => {
  const { phone, token, id } = await registerMember(system);
  const member: Talker = { id, authorization: `Bearer ${token}`, userId: id, guestId: '', proof: { token } };
  const visitor = await newVisitor(system);
  await say(system, visitor, 'How do I\nregister?');
  await say(system, member, 'my deposit is missing');
  const [visitors, members] = [await conversationOf(system, visitor), await conversationOf(system, member)];
  const listed = await chat();
  assert.equal(listed.status, 0);
  assert.match(listed.output, new RegExp(`^${visitors} +0 min  visitor +How do I register\\?$`, 'm'));
  assert.match(listed.output, new RegExp(`^${members} +0 min  ${phone}  my deposit is missing$`, 'm'));
  assert.match(listed.output, /^2 conversations wait for an answer$/m);

  const listener = listenAs(system.url, member);
  await untilJoined(listener);
  const answered = await chat('reply', members, 'suda', 'It', 'is', 'there', 'now.');
  assert.deepEqual(answered, { status: 0, output: `${members} is answered, by operator:suda.\n` });
  await untilTold(listener, 1);
  listener.socket.close();
  const [answer] = (await historyOf(system, member)).body;
  assert.deepEqual(listener.messages, [answer]);
  const { sender, message, sequence, username, name } = answer;
  assert.deepEqual(
    { sender, message, sequence, username, name },
    { sender: 'other', message: textOf('It is there now.'), sequence: 2, username: '', name: '' },
  );
  assert.match((await chat()).output, /^1 conversations wait/m);
  const shown = await chat('show', phone);
  assert.match(shown.output, /^ +1  \S+  customer  my deposit is missing$/m);
  assert.match(shown.output, /^ +2  \S+  we +It is there now\.$/m);
  const log = await runCommand(system, 'operator-log', [members]);
  assert.match(log.output, /suda +chat reply/);
});

test('an operator sees the pictures of a customer in the terminal', async () => {
  const visitor = await newVisitor(system);
  const picture = await sharp({ create: { width: 8, height: 4, channels: 3, background: '#c81e28' } })
    .png()
    .toBuffer();
  const { path } = await uploaded(system, 'image', visitor, picture);
  assert.equal((await sendFile(system, visitor, path)).status, 200);
  const conversation = await conversationOf(system, visitor);
  const environment = { DATA_DIR: directory };
  const { output } = await runCommand(system, 'chat', ['show', conversation, '--pictures'], environment);
  const cell = '\u001b[38;2;200;30;40m\u001b[48;2;200;30;40m\u2580';
  assert.equal(output.split(cell).length - 1, 16, output);
  const plain = await runCommand(system, 'chat', ['show', conversation], environment);
  assert.ok(!plain.output.includes('\u001b'));
});

test('what a customer sends does nothing to the terminal of who reads it', async () => {
  const visitor = await newVisitor(system);
  const message = { message_type: 'postback', payload: { title: 'menu', payload: 'A\u009b2J\u009d0;B\u009c\u202eC' } };
  assert.equal((await callAs(system, visitor, 'POST /api/chat/send-message', { message })).status, 200);
  for (const { output } of [await chat(), await chat('show', await conversationOf(system, visitor))]) {
    assert.match(output, /postback .*"A2J0;BC"/);
    assert.doesNotMatch(output, /(?!\n)\p{Cc}|\p{Bidi_Control}/u);
  }
});

test('answers are unread until their customer says so; own words are not', async () => {
  const [visitor, other] = [await newVisitor(system), await newVisitor(system)];
  await Promise.all([say(system, visitor, 'hello'), say(system, other, 'hello')]);
  const conversation = await conversationOf(system, visitor);
  await chat('reply', conversation, 'suda', 'one');
  await chat('reply', conversation, 'suda', 'two');
  assert.deepEqual([await unreadOf(visitor), await unreadOf(other)], [2, 0]);
  assert.equal((await callAs(system, other, 'PUT /api/chat/read-customer/', {})).status, 200);
  assert.equal(await unreadOf(visitor), 2);
  const { body } = await callAs(system, visitor, 'PUT /api/chat/read-customer/', { guestId: visitor.id });
  assert.deepEqual(body, { message: 'OK' });
  assert.equal(await unreadOf(visitor), 0);
  await say(system, visitor, 'thanks');
  assert.equal(await unreadOf(visitor), 0);
});

test('every type of message of the other side can be answered with from a file, and comes as it is', async () => {
  const visitor = await newVisitor(system);
  await say(system, visitor, 'hello');
  const conversation = await conversationOf(system, visitor);
  const buttons = [
    { type: 'web', title: 'Open', url: 'https://shop.example/x' },
    { type: 'call', title: 'Call', phone: '+66 2 123 4567' },
    { type: 'postback', title: 'Menu', payload: 'MENU' },
    { type: 'other', title: 'Say this' },
  ];
  const media = { message: 'look', url: 'https://files.example/a.jpg', fileType: 'image', filePath: '' };
  const messages = [
    textOf('plain'),
    { message_type: 'buttons', payload: { text: 'Choose', buttons } },
    { message_type: 'media', payload: media },
    { message_type: 'quick_replies', payload: { text: 'Which?', quick_replies: [{ title: 'A', payload: '' }] } },
    {
      message_type: 'generic',
      payload: { elements: [{ title: 'Card', subtitle: '', image_url: '', buttons }] },
    },
  ];
  for (const [index, message] of messages.entries()) {
    const file = join(directory, `${index}.json`);
    writeFileSync(file, JSON.stringify(message));
    const { status, output } = await chat('reply', conversation, 'suda', '--json', file);
    assert.equal(status, 0, output);
    assert.deepEqual((await historyOf(system, visitor, { limit: 1 })).body[0].message, message);
  }
});

test('what can’t be shown safely is not sent, and wrong words say what is right', async () => {
  const visitor = await newVisitor(system);
  await say(system, visitor, 'hello');
  const conversation = await conversationOf(system, visitor);
  const unsafe = [
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
  for (const message of unsafe) assert.equal(parseReply(message), undefined, JSON.stringify(message));
  const unsafeFile = join(directory, 'unsafe.json');
  writeFileSync(unsafeFile, JSON.stringify(unsafe[0]));
  const wrong: [words: string[], why: RegExp][] = [
    [['reply', randomUUID(), 'suda', 'hello'], /There is no conversation/],
    [['show', '0800000000'], /There is no conversation/],
    [['reply', conversation, 'suda', ' '], /Nothing is sent/],
    [['reply', conversation, 'suda', 'x'.repeat(2_001)], /Nothing is sent/],
    [['reply', conversation, 'suda', '--json', unsafeFile], /is no message of the chat/],
    [['reply', conversation, 'suda', '--json', join(directory, 'nowhere')], /is missing, or is not JSON/],
    [['reply', conversation, 'two words', 'hello'], /Write `npm run krapao -- chat`/],
    [['reply', conversation, 'suda'], /Write `npm run krapao -- chat`/],
    [['answer', conversation], /Write `npm run krapao -- chat`/],
  ];
  for (const [words, why] of wrong) {
    const { status, output } = await chat(...words);
    assert.equal(status, 1, words.join(' '));
    assert.match(output, why);
  }
  assert.equal((await historyOf(system, visitor)).body.length, 1);
});

test('the same answer given again, and at once, is one answer', async () => {
  const member = await newMember(system);
  await say(system, member, 'hello');
  const conversationId = await conversationOf(system, member);
  const deps = { database: system.database, clock: systemClock };
  const message = { message_type: 'text', payload: { text: 'once' } } as const;
  const by = { author: 'person', needsPerson: false } as const;
  const answer = { answerId: `backend:${randomUUID()}`, conversationId, message, ...by } as const;
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => addSupportReply(deps, answer)));
  assert.deepEqual(outcomes.toSorted(), ['added', ...Array.from({ length: 7 }, () => 'repeated')]);
  assert.equal((await say(system, member, 'again')).body.sequence, 3);
  assert.equal(await addSupportReply(deps, { ...answer, conversationId: randomUUID() }), 'unknown conversation');
  assert.equal(await addSupportReply(deps, { ...answer, conversationId: 'x' }), 'unknown conversation');
});
