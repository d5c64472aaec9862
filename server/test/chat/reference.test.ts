import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { maskedAccount } from '@krapao/contract/rules';
import { qrCustomer, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { runCommand } from '../harness/command.ts';
import { failProvider, openGame, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { endPayout, setPayoutDelay, withdraw } from '../withdraw/payout-fixtures.ts';
import {
  API_KEY,
  newVisitorCustomer,
  outsideWithBackend,
  readConversationId,
  readHistory,
  sendText,
  SIGNING_SECRET,
} from './chat-fixtures.ts';

const DAY_MS = 86_400_000;
const NOT_THEIRS = 'is not a movement of this customer';

let system: System;

before(async () => {
  system = await startSystem({ outside: outsideWithBackend });
  assert.equal((await system.simulatorsApi('POST /control/settings', { body: { chatRobot: false } })).status, 200);
  await setPayoutDelay(system, DAY_MS);
});
after(() => system.stop());

const customerOf = ({ id, token }: TestMember) => ({ id, authorization: `Bearer ${token}` });
const moneyOf = async ({ token }: TestMember, key: string) =>
  (await system.api('GET /api/money/{key}', { token, params: { key } })).body;

async function registerFunded(amount: string): Promise<TestMember> {
  const member = await registerMember(system);
  const ledger = createTestLedger(system);
  try {
    await fundWallet(ledger, member.id, amount);
  } finally {
    await ledger.close();
  }
  return member;
}

type Change = { secret?: string; agoSeconds?: number; key?: string; droppedHeader?: string };

/** Asks for a movement as the chat backend does. */
async function readMovement(
  body: unknown,
  { secret = SIGNING_SECRET, agoSeconds = 0, key = API_KEY, droppedHeader = '' }: Change = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const seconds = String(Math.floor(Date.now() / 1000) - agoSeconds);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-chat-key': key,
    'x-chat-timestamp': seconds,
    'x-chat-signature': createHmac('sha256', secret).update(`${seconds}.${text}`).digest('hex'),
  };
  const sentHeaders = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== droppedHeader));
  return system.api('POST /api/callback/chat/movement', { body: text, headers: sentHeaders, hasMarkerHeader: false });
}

test('support sees the current state of an item named in a message: by signed API, inbox and command', async () => {
  const member = await registerFunded('300.00');
  const { reference } = (await withdraw(system, member, 100)).body;
  const sent = await sendText(system, customerOf(member), 'where is it?', { reference, key: randomUUID() });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const [message] = (await readHistory(system, customerOf(member))).body;
  assert.equal(message.reference, reference);
  const conversation = await readConversationId(system, customerOf(member));
  const openReply = await readMovement({ conversation, reference });
  assert.deepEqual([openReply.status, openReply.body], [200, { movement: await moneyOf(member, reference) }]);
  assert.equal(openReply.body.movement.status, 'PROCESSING');
  await endPayout(system, reference, 'FAILED', 'NAME_MISMATCH');
  const { movement } = (
    await waitUntil(
      () => readMovement({ conversation, reference }),
      ({ body }) => body.movement.status === 'FAILED',
      'ended',
    )
  ).body;
  assert.deepEqual(movement, await moneyOf(member, reference));
  assert.deepEqual(
    [movement.kind, movement.amount, movement.requested, movement.account],
    ['withdraw', 0, 100, maskedAccount(member.bankAccountNo)],
  );
  assert.ok(!JSON.stringify(movement).includes(member.bankAccountNo));
  type DeskMessage = { reference: string | null };
  const [deskMessage] = await waitUntil<DeskMessage[]>(
    async () => (await system.simulatorsApi('GET /support/conversations/{id}', { params: { id: conversation } })).body,
    (messages) => messages.length > 0,
    'forwarded',
  );
  assert.equal(deskMessage?.reference, reference);
  const desk = await system.simulatorsApi('GET /support/conversations/{id}/movements/{reference}', {
    params: { id: conversation, reference },
  });
  assert.deepEqual(desk.body, { movement });
  const { output } = await runCommand(system, 'chat', ['show', member.phone]);
  assert.match(output, new RegExp(`^ +${reference}  withdraw  FAILED  0 of 100 BAHT  WALLET to SCB  xxx-x-x`, 'm'));
  const requestedAt = new Date(new Date(movement.steps[0].at).getTime() + 7 * 3_600_000).toISOString();
  const bangkokTime = requestedAt.slice(0, 19).replace('T', ' ');
  assert.match(output, new RegExp(`^ +${bangkokTime}\\+07:00  requested$`, 'm'));
  assert.ok(!output.includes(member.bankAccountNo));
});

test("a reference that is not the member's, or invented, shows no item in any channel", async () => {
  const [owner, other] = [await registerFunded('200.00'), await registerMember(system)];
  const { reference: foreign } = (await withdraw(system, owner, 100)).body;
  const [row] = (await system.api('POST /api/statement', { token: owner.token, body: {} })).body.statements;
  const visitor = await newVisitorCustomer(system);
  for (const customer of [customerOf(other), visitor]) {
    for (const reference of [foreign, `line-${row._id}`, 'WNOSUCHTHING99', 'line-9999999999999999999']) {
      const sent = await sendText(system, customer, `about ${reference}`, { reference });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      const conversation = await readConversationId(system, customer);
      const { status, body } = await readMovement({ conversation, reference });
      assert.deepEqual([status, body], [200, { movement: null }], reference);
      const { output } = await runCommand(system, 'chat', ['show', conversation]);
      assert.match(output, new RegExp(`^ +${reference}  ${NOT_THEIRS}$`, 'm'));
      assert.doesNotMatch(output, /SCB|xxx-x/);
    }
  }
  const ownerConversation = customerOf(owner);
  await sendText(system, ownerConversation, 'mine', { reference: foreign });
  const conversation = await readConversationId(system, ownerConversation);
  assert.equal((await readMovement({ conversation, reference: foreign })).body.movement.key, foreign);
});

test('a message with a malformed reference is refused and not stored; a message without a reference is accepted', async () => {
  const member = await registerMember(system);
  for (const reference of [
    '',
    ' ',
    'w7k2m9q',
    'W7K2\0M9Q',
    'W7K2M9Q\n',
    "W' or '1'='1",
    '../wallet',
    'ก',
    '\ud800',
    'line-',
    'line-0',
    'line-1e3',
    'A'.repeat(33),
    'A'.repeat(50_000),
    7,
    {},
    ['W7K2M9Q'],
    true,
  ]) {
    const reply = await sendText(system, customerOf(member), 'about it', { reference });
    assertRefused(reply, 'NO_DATA', 'reference', 400);
  }
  assert.equal((await sendText(system, customerOf(member), 'null', { reference: null })).status, 200);
  assert.equal((await sendText(system, customerOf(member), 'none')).status, 200);
  const messages = (await readHistory(system, customerOf(member))).body as { reference: unknown }[];
  assert.deepEqual(
    messages.map(({ reference }) => reference),
    [null, null],
  );
  // The database keeps malformed ones out too.
  for (const [reference, sender] of [
    ['w7k2', 'customer'],
    ['W7K2M9Q', 'other'],
  ] as const) {
    await assert.rejects(
      system.database.query(`update chat_message set reference = $1, sender = $2 where reference is null`, [
        reference,
        sender,
      ]),
      /chat_message_(reference|answer)/,
    );
  }
});

test('the same key stores a message with its reference once, and refuses another reference', async () => {
  const member = await registerMember(system);
  const key = randomUUID();
  const send = (reference?: string) => sendText(system, customerOf(member), 'about it', { key, reference });
  const first = await send('WAAAA');
  assert.equal(first.status, 200);
  assert.deepEqual((await send('WAAAA')).body, first.body);
  assertRefused(await send('WBBBB'), 'KEY_INVALID');
  assertRefused(await send(), 'KEY_INVALID');
  assert.equal((await readHistory(system, customerOf(member))).body.length, 1);
});

test('an item is shown only to a request signed as the chat backend, in time, for an existing conversation', async () => {
  const member = await registerMember(system);
  await sendText(system, customerOf(member), 'hello');
  const conversation = await readConversationId(system, customerOf(member));
  const request = { conversation, reference: 'W7K2M9Q' };
  assert.deepEqual((await readMovement(request)).body, { movement: null });
  for (const droppedHeader of ['x-chat-key', 'x-chat-timestamp', 'x-chat-signature'])
    assertRefused(await readMovement(request, { droppedHeader }), 'KEY_MISSING');
  for (const change of [{ secret: 'a guess' }, { key: 'another' }, { agoSeconds: 400 }, { agoSeconds: -400 }])
    assertRefused(await readMovement(request, change), 'KEY_INVALID');
  const asMember = await system.api('POST /api/callback/chat/movement', { token: member.token, body: request });
  assertRefused(asMember, 'KEY_MISSING');
  for (const body of [
    '',
    '{',
    '[]',
    { conversation },
    { ...request, reference: 'W7\0' },
    { ...request, reference: 'A'.repeat(60_000) },
    { ...request, conversation: 'x\0' },
  ])
    assertRefused(await readMovement(body), 'NO_DATA', 'MALFORMED', 400);
  for (const unknown of [randomUUID(), 'x'])
    assertRefused(await readMovement({ ...request, conversation: unknown }), 'NO_DATA', 'CONVERSATION');
});

test('a refusal carries a reference exactly if it is about a stored item', async () => {
  const member = await registerFunded('300.00');
  await openGame(system, member.token, 'pg');
  await failProvider(system, 'pg', { fault: 'decline', call: 'TransferIn' });
  const refused = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 50 });
  assertRefused(refused, 'TRANSFER_FAIL');
  const item = await moneyOf(member, refused.body.reference);
  assert.deepEqual([item.kind, item.status, item.requested], ['transfer', 'FAILED', 50]);
  const tooMuch = await withdraw(system, member, 4_000);
  assertRefused(tooMuch, 'MONEY_NOT_ENOUGH');
  const payout = await moneyOf(member, tooMuch.body.reference);
  assert.deepEqual([payout.kind, payout.status, payout.requested], ['withdraw', 'FAILED', 4_000]);
  const tooLittle = await withdraw(system, member, 0.5);
  assert.equal(tooLittle.status, 400);
  assert.equal('reference' in tooLittle.body, false);
  const customer = qrCustomer(system, member);
  await system.simulatorsApi('POST /control/faults', {
    body: { target: 'kbank', fault: 'decline', call: 'qr_request' },
  });
  const { body: noCode } = await customer.create(150);
  assert.equal(noCode.hasQrcode, false);
  const code = await moneyOf(member, noCode.reference);
  assert.deepEqual([code.kind, code.status], ['qr', 'FAILED']);
  await system.simulatorsApi('DELETE /control/faults');
  const { body: live } = await customer.create(150);
  assert.equal((await moneyOf(member, live.reference)).status, 'PROCESSING');
});
