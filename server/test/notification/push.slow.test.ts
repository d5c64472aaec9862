import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Language, languages } from '@krapao/contract/languages';
import type { Ledger } from '../../src/ledger/index.ts';
import { addNotices } from '../../src/modules/notification/index.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { countLockWaits } from '../harness/lock-waits.ts';
import { logIn, registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { injectFault } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  newBrowser,
  readNotices,
  receivedPushes,
  subscribe,
  subscribeBrowser,
  type SubscriptionBody,
  waitForNotices,
  waitForPushes,
  waitUntilNotified,
  countSubscriptions,
} from './push-fixtures.ts';

const DAY_SECONDS = 86_400;

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
});
beforeEach(() => system.simulatorsApi('DELETE /control/faults?target=push'));
after(async () => {
  await ledger.close();
  await system.stop();
});

const deposit = (member: TestMember, amount = '500'): Promise<void> => fundWallet(ledger, member.id, amount);

const TEXTS: Readonly<Record<Language, { title: string; body: string; amountBody: string; lang: string }>> = {
  th: { title: 'เงินเข้าแล้ว', body: 'ยอดฝากถึงกระเป๋าแล้ว', amountBody: '฿1,500.25 ถึงกระเป๋าแล้ว', lang: 'th' },
  la: { title: 'ເງິນເຂົ້າແລ້ວ', body: 'ເງິນຝາກເຂົ້າກະເປົາແລ້ວ', amountBody: '฿1,500.25 ເຂົ້າກະເປົາແລ້ວ', lang: 'lo' },
  en: {
    title: 'Money in',
    body: 'Your deposit has reached your wallet',
    amountBody: '฿1,500.25 has reached your wallet',
    lang: 'en',
  },
};

for (const language of languages) {
  test(`a deposit is pushed once, encrypted, in the language of the subscription (${language}), with its page and without name and amount [R-WALLET-07]`, async () => {
    const member = await registerMember(system, { name: 'Private Name' });
    const { endpoint } = await subscribeBrowser(system, member, { language });
    await deposit(member, '1500.25');
    await waitForPushes(system, endpoint, 1);
    await waitUntilNotified(system);
    const [message, ...others] = await receivedPushes(system, endpoint);
    const { notices } = await waitForNotices(system, member, 1);
    const { title, body, lang } = TEXTS[language];
    const [notice] = notices;
    assert.deepEqual(others, []);
    assert.deepEqual(message?.payload, {
      web_push: 8030,
      notification: {
        title,
        body,
        lang,
        dir: 'ltr',
        tag: `money-in:${notice?.reference ?? ''}`,
        navigate: notice?.target,
        silent: false,
      },
    });
    assert.ok(message.ttl > DAY_SECONDS - 120 && message.ttl <= DAY_SECONDS, String(message.ttl));
    assert.deepEqual([message.urgency, message.subject], ['high', system.outside.publicUrl]);
    assert.match(message.topic, /^[\w-]{32}$/);
  });

  test(`the amount is shown only where the member asked for it (${language}) [R-WALLET-07]`, async () => {
    const member = await registerMember(system);
    const { endpoint } = await subscribeBrowser(system, member, { language, withAmounts: true });
    await deposit(member, '1500.25');
    const [message] = await waitForPushes(system, endpoint, 1);
    assert.equal(message?.payload?.notification['body'], TEXTS[language].amountBody);
  });
}

test('only chosen kinds are pushed, and every browser of the member has its own choice [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  const second = { ...member, token: await logIn(system, member.phone, member.password) };
  const third = { ...member, token: await logIn(system, member.phone, member.password) };
  const none = await subscribeBrowser(system, member, { kinds: [] });
  const other = await subscribeBrowser(system, second, { kinds: ['support', 'paid-out'] });
  const chosen = await subscribeBrowser(system, third, { kinds: ['money-in'] });
  await deposit(member);
  await waitForPushes(system, chosen.endpoint, 1);
  await waitUntilNotified(system);
  for (const { endpoint } of [none, other]) assert.deepEqual(await receivedPushes(system, endpoint), []);
  const { body } = await system.api('GET /api/push/subscription', { token: second.token });
  const { id: _, ...stored } = body.subscription;
  const { keys: __, ...sent } = other;
  assert.deepEqual(stored, sent);
  assert.deepEqual((await subscribe(system, second, { ...other, kinds: ['money-in'], language: 'la' })).status, 200);
  await deposit(member);
  const [changed] = await waitForPushes(system, other.endpoint, 1);
  assert.equal(changed?.payload?.notification['lang'], 'lo');
});

test("a subscription that its push service ended is deleted; the member's others stay [R-WALLET-07]", async () => {
  const member = await registerMember(system);
  const second = { ...member, token: await logIn(system, member.phone, member.password) };
  const [ended, kept] = [await subscribeBrowser(system, member), await subscribeBrowser(system, second)];
  await system.simulatorsApi('DELETE /push/subscriptions', { body: { endpoint: ended.endpoint } });
  await deposit(member);
  await waitForPushes(system, kept.endpoint, 1);
  await waitUntilNotified(system);
  assert.equal(await countSubscriptions(system, member), 1);
  const { body } = await system.api('GET /api/push/subscription', { token: member.token });
  assert.deepEqual(body, { subscription: null });
  await injectFault(system, { target: 'push', fault: 'not-found' });
  await deposit(member);
  await waitUntil(
    () => countSubscriptions(system, member),
    (count) => count === 0,
    'the subscription is forgotten',
  );
});

test('without a push key the API reports it, lists notices and refuses subscriptions [R-WALLET-07]', async () => {
  const silent = await startSystem({ hasPushKey: false });
  try {
    const member = await registerMember(silent);
    const { body } = await silent.api('GET /api/push/key', { token: member.token });
    assert.deepEqual(body, { publicKey: null });
    const { keys } = await newBrowser(system, await registerMember(system));
    const subscription = { endpoint: REFUSED_ENDPOINTS[0], keys, language: 'en', kinds: [], withAmounts: false };
    assertRefused(await subscribe(silent, member, subscription), 'NO_DATA', 'NO_PUSH');
    const silentLedger = createTestLedger(silent);
    await fundWallet(silentLedger, member.id, '500');
    await silentLedger.close();
    assert.equal((await waitForNotices(silent, member, 1)).total, 1);
  } finally {
    await silent.stop();
  }
});

for (const [fault, expected] of [
  ['too-many', 'text'],
  ['error-500', 'text'],
  ['bad-token', 'text'],
  ['too-large', null],
] as const) {
  test(`a push is received once after the push service failed (${fault}) [R-WALLET-07]`, async () => {
    const member = await registerMember(system);
    const { endpoint } = await subscribeBrowser(system, member);
    await injectFault(system, { target: 'push', fault });
    await deposit(member);
    await waitForPushes(system, endpoint, 1);
    await waitUntilNotified(system);
    const pushes = await receivedPushes(system, endpoint);
    assert.equal(pushes.length, 1);
    assert.equal(pushes[0]?.payload === null, expected === null);
  });
}

test('a message that the push service defers beyond its expiry is deleted [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  const { endpoint } = await subscribeBrowser(system, member);
  await injectFault(system, { target: 'push', fault: 'too-many', delayMs: 86_400_000 });
  await deposit(member);
  await waitForNotices(system, member, 1);
  await waitUntilNotified(system);
  assert.deepEqual(await receivedPushes(system, endpoint), []);
  assert.equal(await countSubscriptions(system, member), 1);
});

test('a browser gets push messages only of the last member who subscribed it [R-WALLET-07]', async () => {
  const [earlier, later] = await Promise.all([registerMember(system), registerMember(system)]);
  const subscription = await subscribeBrowser(system, earlier);
  assert.equal((await subscribe(system, later, { ...subscription, language: 'th' })).status, 200);
  assert.deepEqual([await countSubscriptions(system, earlier), await countSubscriptions(system, later)], [0, 1]);
  await deposit(earlier);
  await deposit(later);
  const [message] = await waitForPushes(system, subscription.endpoint, 1);
  await waitUntilNotified(system);
  assert.equal(message?.payload?.notification['lang'], 'th');
  assert.equal((await receivedPushes(system, subscription.endpoint)).length, 1);
  const remove = (member: TestMember) =>
    system.api('DELETE /api/push/subscription', {
      token: member.token,
      body: { endpoint: subscription.endpoint },
    });
  assert.equal((await remove(earlier)).status, 200);
  assert.equal(await countSubscriptions(system, later), 1);
  assert.equal((await remove(later)).status, 200);
  assert.equal(await countSubscriptions(system, later), 0);
});

test('a session has one subscription, and a member ten; concurrent calls keep both limits', async () => {
  const member = await registerMember(system);
  const [old, renewed] = [await subscribeBrowser(system, member), await subscribeBrowser(system, member)];
  assert.equal(await countSubscriptions(system, member), 1);
  assert.notEqual(old.endpoint, renewed.endpoint);
  const tokens: string[] = [];
  for (let session = 0; session < 11; session += 1) tokens.push(await logIn(system, member.phone, member.password));
  const browser = await newBrowser(system, member);
  const bodies = tokens.map((_, index) => ({
    ...browser,
    endpoint: `${browser.endpoint}${index}`,
    language: 'en',
    kinds: [],
    withAmounts: false,
  }));
  const replies = await Promise.all(tokens.map((token, index) => subscribe(system, { token }, bodies[index])));
  const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [...Array.from({ length: 9 }, () => 200), 429, 429]);
  const refused = replies.find(({ status }) => status === 429);
  assertRefused(refused ?? { status: 0, body: {}, headers: new Headers() }, 'REQUEST_LIMIT', 'SUBSCRIPTIONS');
  assert.equal(await countSubscriptions(system, member), 10);
});

const REFUSED_ENDPOINTS = [
  'http://fcm.googleapis.com/fcm/send/x',
  'https://fcm.googleapis.com:8443/fcm/send/x',
  'https://user@fcm.googleapis.com/fcm/send/x',
  'https://fcm.googleapis.com@evil.example/x',
  'https://fcm.googleapis.com.evil.example/x',
  'https://fcm.googleapis.com./x',
  'https://evil-fcm.googleapis.com/x',
  'https://push.apple.com.evil.example/x',
  'https://evilpush.apple.com/x',
  'https://notify.windows.com/x',
  'https://127.0.0.1/x',
  'https://[::1]/x',
  'https://2130706433/x',
  'https://169.254.169.254/latest/meta-data',
  'https://localhost/x',
  'https://fcm.googleapıs.com/x',
  'https://fcm.googleapis.com/x#fragment',
  'file:///etc/passwd',
  '/relative',
  'x',
];

test('only endpoints of known push services with valid keys are stored [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  const subscription = await subscribeBrowser(system, member);
  const simulators = new URL(subscription.endpoint).origin;
  const attempts = [...REFUSED_ENDPOINTS, `${simulators}/push/../control/faults`, `${simulators}/control/totals`];
  for (const endpoint of attempts) {
    assertRefused(await subscribe(system, member, { ...subscription, endpoint }), 'INVALID_USER_INFO', 'ENDPOINT');
  }
  for (const endpoint of [
    'https://fcm.googleapis.com/fcm/send/x',
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://web.push.apple.com/x',
    'https://sg2p.notify.windows.com/w/?token=x',
  ]) {
    assert.equal((await subscribe(system, member, { ...subscription, endpoint })).status, 200, endpoint);
  }
  const { p256dh, auth } = subscription.keys;
  const noPoint = Buffer.alloc(65, 4).toString('base64url');
  assertRefused(
    await subscribe(system, member, { ...subscription, keys: { p256dh: noPoint, auth } }),
    'INVALID_USER_INFO',
    'KEYS',
  );
  const malformed: Partial<Record<keyof SubscriptionBody, unknown>>[] = [
    { endpoint: '' },
    { endpoint: `https://fcm.googleapis.com/${'x'.repeat(2_000)}` },
    { endpoint: `https://fcm.googleapis.com/${'ก'.repeat(900)}` },
    { endpoint: 'https://fcm.googleapis.com/\u0000' },
    { endpoint: 'https://fcm.googleapis.com/\ud800' },
    { endpoint: 5 },
    { keys: null },
    { keys: { p256dh: 'x', auth } },
    { keys: { p256dh, auth: '' } },
    { language: 'xx' },
    { kinds: ['marketing'] },
    { kinds: Array.from({ length: 1_000 }, () => 'money-in') },
    { kinds: null },
    { withAmounts: 'yes' },
  ];
  for (const fields of malformed) {
    const reply = await subscribe(system, member, { ...subscription, ...fields });
    assertRefused(reply, 'INVALID_USER_INFO');
    assert.equal(reply.status, 400);
  }
  for (const body of ['[', 'null', {}]) {
    assert.equal((await subscribe(system, member, body)).status, 400);
    assert.equal((await system.api('DELETE /api/push/subscription', { token: member.token, body })).status, 400);
  }
});

test('a password change succeeds while a push subscription of the same or another session of the member is deleted [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  const second = { ...member, token: await logIn(system, member.phone, member.password) };
  const [own, other] = [await subscribeBrowser(system, member), await subscribeBrowser(system, second)];
  const passwords = [member.password, 'blue-basket-28', 'blue-basket-29'];
  for (const [index, { endpoint }] of [other, own].entries()) {
    const body = { oldPassword: passwords[index], newPassword: passwords[index + 1] };
    const change = await system.database.tx(async (tx) => {
      await tx.query('delete from push_subscription where endpoint = $1', [endpoint]);
      const reply = system.api('PUT /api/account/changepwd', { token: member.token, body });
      await waitUntil(
        () => countLockWaits(tx),
        (count) => count > 0,
        'the change waits for the deletion',
      );
      return { reply };
    });
    const { status, body: answer } = await change.reply;
    assert.equal(status, 200, JSON.stringify(answer));
    assert.equal((await readNotices(system, member)).total, index + 1);
  }
  assert.equal(await countSubscriptions(system, member), 0);
});

test("of two messages at one time each deposit has its own tag, and support's second reply alerts again", async () => {
  const member = await registerMember(system);
  const { endpoint } = await subscribeBrowser(system, member);
  const now = new Date();
  const money = { kind: 'money-in', facts: { amount: '1000', currency: 'BAHT' } } as const;
  const support = { kind: 'support', facts: {} } as const;
  const notices = [
    { ...money, reference: 'line-11' },
    { ...money, reference: 'line-12' },
    { ...support, reference: 'reply-1' },
    { ...support, reference: 'reply-2' },
  ].map((notice) => ({ ...notice, memberId: member.id, at: now }));
  await system.database.tx((tx) => addNotices(tx, notices, now));
  const pushes = await waitForPushes(system, endpoint, 4);
  assert.deepEqual(
    pushes
      .map(({ payload }) => [payload?.notification['tag'], payload?.notification['renotify']])
      .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    [
      ['money-in:line-11', undefined],
      ['money-in:line-12', undefined],
      ['support', true],
      ['support', true],
    ],
  );
});

test('an event that a server reads after its message would expire is listed, not pushed [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  const { endpoint } = await subscribeBrowser(system, member);
  const now = new Date();
  const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * 3_600_000);
  const notice = { memberId: member.id, kind: 'money-in', facts: { amount: '1000', currency: 'BAHT' } } as const;
  await system.database.tx((tx) =>
    addNotices(
      tx,
      [
        { ...notice, reference: 'line-1', at: hoursAgo(25) },
        { ...notice, reference: 'line-2', at: hoursAgo(23) },
      ],
      now,
    ),
  );
  await waitUntilNotified(system);
  const pushes = await receivedPushes(system, endpoint);
  assert.deepEqual(
    pushes.map(({ payload, ttl }) => [payload?.notification['tag'], Math.ceil(ttl / 3_600)]),
    [['money-in:line-2', 1]],
  );
  assert.equal((await readNotices(system, member)).total, 2);
});
