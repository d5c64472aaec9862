import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import type { Ledger } from '../../src/ledger/index.ts';
import { followLedger } from '../../src/modules/notification/follow-ledger.ts';
import { deleteOld } from '../../src/modules/notification/queries.ts';
import { formatPush } from '../../src/modules/notification/send-push.ts';
import { systemClock } from '../../src/platform/time.ts';
import { readConversationId, sendText, type ChatCustomer } from '../chat/chat-fixtures.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { sendSlip, slipImage, waitForSlipEnd } from '../deposit/slip/slip-fixtures.ts';
import { runCommand } from '../harness/command.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { openSlipDeposits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { ledgerAccountsOf } from '../ledger/books.ts';
import { setPayoutDelay, withdraw } from '../withdraw/payout-fixtures.ts';
import { readNotices, waitForNotices, waitUntilNotified } from './push-fixtures.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await openSlipDeposits(system);
});
after(async () => {
  await ledger.close();
  await system.stop();
});

const seen = ({ kind, facts, isRead, target }: Awaited<ReturnType<typeof readNotices>>['notices'][number]) => ({
  kind,
  facts,
  isRead,
  target,
});

test('a deposit and both ends of a withdrawal are listed once, newest first, and link to their timeline [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  assert.deepEqual(await readNotices(system, member), { total: 0, unread: 0, notices: [] });
  await fundWallet(ledger, member.id, '1500.25');
  await waitForNotices(system, member, 1);
  await setPayoutDelay(system, 86_400_000);
  const references: string[] = [];
  for (const outcome of ['PAID', 'FAILED'] as const) {
    const { body } = await withdraw(system, member, 100);
    references.push(body.reference);
    await waitUntil(
      () => system.simulatorsApi(`POST /control/payouts/${body.reference}`, { body: { outcome } }),
      ({ status }) => status === 200,
      'the bank ends the payout',
    );
    await waitForNotices(system, member, references.length + 1);
  }
  const [paid = '', failed = ''] = references;
  const { total, unread, notices } = await waitForNotices(system, member, 3);
  assert.deepEqual([total, unread], [3, 3]);
  const deposit = notices[2]?.reference ?? '';
  assert.match(deposit, /^line-\d+$/);
  assert.deepEqual(notices.map(seen), [
    {
      kind: 'refused',
      facts: { amount: 100, currency: 'BAHT', subject: 'withdraw' },
      isRead: false,
      target: `/user/home#money=${failed}`,
    },
    { kind: 'paid-out', facts: { amount: 100, currency: 'BAHT' }, isRead: false, target: `/user/home#money=${paid}` },
    {
      kind: 'money-in',
      facts: { amount: 1500.25, currency: 'BAHT' },
      isRead: false,
      target: `/user/home#money=${deposit}`,
    },
  ]);
  for (const { reference } of notices) {
    const { status } = await system.api('GET /api/money/{key}', { token: member.token, params: { key: reference } });
    assert.equal(status, 200, reference);
  }
});

test('concurrent and restarted workers list each deposit once [R-WALLET-07]', async () => {
  const members = await Promise.all(Array.from({ length: 4 }, () => registerMember(system)));
  const deps = { database: system.database, ledger, clock: systemClock };
  const followAtOnce = () =>
    Promise.all(Array.from({ length: 8 }, () => followLedger(deps, new AbortController().signal)));
  for (let round = 1; round <= 5; round += 1) {
    await Promise.all(members.map(({ id }) => fundWallet(ledger, id, '10')));
    await followAtOnce();
    await system.database.query('update notification_cursor set batch = 0');
    await followAtOnce();
    await waitUntilNotified(system);
    for (const member of members) assert.equal((await readNotices(system, member)).total, round);
  }
});

test('transfers, play, bonuses and holds add no notice [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  const operations = ledgerAccountsOf(member.id);
  await fundWallet(ledger, member.id, '500');
  const hold = randomUUID();
  await ledger.post(operations.hold(hold, 10_000n));
  await ledger.post(operations.resolve('post', `${hold}p`, hold));
  await ledger.post(operations.adjust(randomUUID(), 20_000n));
  await waitUntilNotified(system);
  assert.deepEqual(
    (await readNotices(system, member)).notices.map(({ kind }) => kind),
    ['money-in'],
  );
});

test('a refused slip, a reply of support and a change of credentials are listed [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  const slip = await waitForSlipEnd(
    system,
    member.token,
    await sendSlip(system, member.token, await slipImage('not a slip')),
  );
  const customer: ChatCustomer = {
    id: member.id,
    authorization: `Bearer ${member.token}`,
    userId: member.id,
    guestId: '',
    proof: { token: member.token },
  };
  await sendText(system, customer, 'hello');
  const conversation = await readConversationId(system, customer);
  assert.equal((await runCommand(system, 'chat', ['reply', conversation, 'suda', 'Hello.'])).status, 0);
  const body = { oldPassword: member.password, newPassword: 'blue-basket-28' };
  assert.equal((await system.api('PUT /api/account/changepwd', { token: member.token, body })).status, 200);
  const { notices } = await waitForNotices(system, member, 3);
  assert.deepEqual(notices.map(seen), [
    { kind: 'security', facts: { subject: 'password' }, isRead: false, target: '/user/profile' },
    { kind: 'support', facts: {}, isRead: false, target: '/user/home#chat' },
    {
      kind: 'refused',
      facts: { subject: 'slip', reason: slip.note },
      isRead: false,
      target: `/user/home#money=${slip.reference}`,
    },
  ]);
  // Who reads the reply in the chat has read its notice.
  const reading = { token: member.token, body: { userId: member.id, guestId: '' } };
  assert.equal((await system.api('PUT /api/chat/read-customer/', reading)).status, 200);
  assert.deepEqual(
    (await readNotices(system, member)).notices.map(({ isRead }) => isRead),
    [false, true, false],
  );
});

test("reading a notice marks it and the member's older ones as read; pages are bounded [R-WALLET-07]", async () => {
  const [member, other] = await Promise.all([registerMember(system), registerMember(system)]);
  for (let deposit = 1; deposit <= 3; deposit += 1) {
    await fundWallet(ledger, member.id, '10');
    await fundWallet(ledger, other.id, '10');
  }
  const { notices } = await waitForNotices(system, member, 3);
  await waitForNotices(system, other, 3);
  const read = (token: string, until: unknown) => system.api('POST /api/notices/read', { token, body: { until } });
  assert.equal((await read(member.token, notices[1]?.id)).status, 200);
  const marked = await readNotices(system, member);
  assert.deepEqual([marked.unread, marked.notices.map(({ isRead }) => isRead)], [1, [false, true, true]]);
  assert.equal((await read(other.token, '999999999999999999')).status, 200);
  assert.equal((await readNotices(system, member)).unread, 1);
  await fundWallet(ledger, member.id, '10');
  const { notices: later } = await waitForNotices(system, member, 4);
  const ids = later.map(({ id }) => id);
  const readShown = (body: object) => system.api('POST /api/notices/read', { token: member.token, body });
  assert.equal((await readShown({ until: ids[0], from: ids[0] })).status, 200);
  assert.deepEqual(
    (await readNotices(system, member)).notices.map(({ isRead }) => isRead),
    [true, false, true, true],
  );
  assert.equal((await readShown({ until: ids[1], from: '999999999999999999' })).status, 200);
  assert.equal((await readNotices(system, member)).unread, 1);
  assert.deepEqual((await readShown({ until: ids[0], from: 'x' })).body, { message: 'NO_DATA', detail: 'from' });
  const page = await system.api('POST /api/notices', { token: member.token, body: { page: 2, limit: 2 } });
  assert.deepEqual([page.body.total, page.body.notices.length], [4, 2]);
  for (const until of [undefined, 5, '', '-1', '1e3', '9'.repeat(19), "1' or true"]) {
    const { status, body } = await read(member.token, until);
    assert.deepEqual([status, body], [400, { message: 'NO_DATA', detail: 'until' }]);
  }
  for (const body of [{ page: 0 }, { limit: 1e9 }, { page: 'x' }, '[', 'null']) {
    const { status } = await system.api('POST /api/notices', { token: member.token, body });
    assert.equal(status, 400, JSON.stringify(body));
  }
});

async function ageNotices(member: TestMember, days: number): Promise<void> {
  await system.database.query('update notification_item set at = at - make_interval(days => $2) where member_id = $1', [
    member.id,
    days,
  ]);
}

test('notices are deleted after 90 days [R-WALLET-07]', async () => {
  const [old, recent] = await Promise.all([registerMember(system), registerMember(system)]);
  await fundWallet(ledger, old.id, '10');
  await fundWallet(ledger, recent.id, '10');
  await Promise.all([waitForNotices(system, old, 1), waitForNotices(system, recent, 1)]);
  await ageNotices(old, 91);
  await ageNotices(recent, 89);
  await deleteOld(system.database);
  assert.deepEqual([(await readNotices(system, old)).total, (await readNotices(system, recent)).total], [0, 1]);
});

test('a push message of a deposit mentions its bonus, and amounts only if the member wants them [R-WALLET-07]', () => {
  const deposit = {
    kind: 'money-in',
    reference: 'line-1',
    facts: { amount: '30000', currency: 'BAHT' },
    bonus: minor(5_000n),
  } as const;
  const bodyOf = (withAmounts: boolean): string =>
    (JSON.parse(formatPush(deposit, { language: 'en', withAmounts })) as { notification: { body: string } })
      .notification.body;
  assert.equal(bodyOf(false), 'Your deposit and its bonus have reached your wallet');
  assert.equal(bodyOf(true), '฿300.00 and a bonus of ฿50.00 have reached your wallet');
});

test('a notice of an unknown kind or subject is not listed or counted, and is pushed with a general text', async () => {
  const member = await registerMember(system);
  const insert = `insert into notification_item (member_id, kind, reference, at, facts)
    values ($1, 'security', 'r1', now(), '{"subject":"passkey"}'), ($1, 'limit', 'r2', now(), '{"subject":"day"}')`;
  await system.database.query('alter table notification_item drop constraint notification_item_kind');
  await system.database.query(insert, [member.id]);
  const { total, unread, notices } = await readNotices(system, member);
  assert.deepEqual([total, unread], [1, 1]);
  assert.deepEqual(notices.map(seen), [{ kind: 'security', facts: {}, isRead: false, target: '/user/profile' }]);
  const shownFor = (kind: string, subject: string): unknown => {
    const notice = { kind, reference: 'r', facts: { subject } } as unknown as Parameters<typeof formatPush>[0];
    const { notification } = JSON.parse(formatPush(notice, { language: 'en', withAmounts: true })) as {
      notification: { title: string; navigate: string };
    };
    return [notification.title, notification.navigate];
  };
  assert.deepEqual(shownFor('security', 'passkey'), ['Account security changed', '/user/profile']);
  assert.deepEqual(shownFor('limit', 'day'), ['New notification', '/user/home']);
});
