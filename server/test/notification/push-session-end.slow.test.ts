import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Language } from '@krapao/contract/languages';
import type { Ledger } from '../../src/ledger/index.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { logIn, registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { injectFault } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  countSubscriptions,
  readNotices,
  receivedPushes,
  subscribe,
  subscribeBrowser,
  waitForPushes,
  waitUntilNotified,
} from './push-fixtures.ts';

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

const NEW_PASSWORD = 'blue-basket-28';
const PASSWORD_TITLES: Readonly<Record<Language, string>> = {
  th: 'เปลี่ยนรหัสผ่านแล้ว',
  la: 'ປ່ຽນລະຫັດຜ່ານແລ້ວ',
  en: 'Password changed',
};

/** A further session of the member. */
const openSession = async (member: TestMember): Promise<TestMember> => ({
  ...member,
  token: await logIn(system, member.phone, member.password),
});

async function changePassword({ token, password }: TestMember): Promise<void> {
  const body = { oldPassword: password, newPassword: NEW_PASSWORD };
  assert.equal((await system.api('PUT /api/account/changepwd', { token, body })).status, 200);
}

const titlesAt = async (endpoint: string): Promise<unknown[]> =>
  (await receivedPushes(system, endpoint)).map(({ payload }) => payload?.notification['title']);

const untilSubscriptions = (member: TestMember, expected: number): Promise<number> =>
  waitUntil(
    () => countSubscriptions(system, member),
    (count) => count === expected,
    `${expected} subscriptions are left`,
  );

const deposit = (member: TestMember): Promise<void> => fundWallet(ledger, member.id, '500');

test('a changed password is pushed to the sessions that it ends, each in its language, and nothing after it [R-OPS-08]', async () => {
  const member = await registerMember(system);
  const own = await subscribeBrowser(system, member);
  const others: { language: Language; endpoint: string }[] = [];
  for (const language of ['th', 'la', 'en'] as const) {
    const { endpoint } = await subscribeBrowser(system, await openSession(member), { language });
    others.push({ language, endpoint });
  }
  await changePassword(member);
  await deposit(member);
  for (const { language, endpoint } of others) {
    await waitForPushes(system, endpoint, 1);
    assert.deepEqual(await titlesAt(endpoint), [PASSWORD_TITLES[language]]);
  }
  await untilSubscriptions(member, 1);
  await waitForPushes(system, own.endpoint, 2);
  await waitUntilNotified(system);
  for (const { language, endpoint } of others) assert.deepEqual(await titlesAt(endpoint), [PASSWORD_TITLES[language]]);
  const { notices } = await readNotices(system, member);
  assert.deepEqual(
    notices.filter(({ kind }) => kind === 'security').map(({ facts }) => facts),
    [{ subject: 'password' }],
  );
});

test('the last message survives a push service that fails, and messages that waited before the end are not sent [R-OPS-08]', async () => {
  const member = await registerMember(system);
  const ended = await subscribeBrowser(system, await openSession(member));
  await injectFault(system, { target: 'push', fault: 'too-many', delayMs: 3_000, times: 2 });
  await deposit(member);
  await waitUntil(
    async () => (await system.database.query('select from push_outbox where tries > 0')).rowCount,
    (count) => count > 0,
    'the message of the deposit waits for another try',
  );
  await changePassword(member);
  await deposit(member);
  await waitForPushes(system, ended.endpoint, 1);
  await untilSubscriptions(member, 0);
  assert.deepEqual(await titlesAt(ended.endpoint), [PASSWORD_TITLES.en]);
});

test('a browser that chose no security messages gets none, and its subscription ends with the session', async () => {
  const member = await registerMember(system);
  const silent = await subscribeBrowser(system, await openSession(member), { kinds: ['money-in'] });
  await changePassword(member);
  assert.equal(await countSubscriptions(system, member), 0);
  await deposit(member);
  await waitUntilNotified(system);
  assert.deepEqual(await titlesAt(silent.endpoint), []);
});

test('a browser that subscribes with a new session before the last message is sent keeps its subscription', async () => {
  const member = await registerMember(system);
  const browser = await subscribeBrowser(system, await openSession(member));
  await injectFault(system, { target: 'push', fault: 'too-many', delayMs: 2_000 });
  await changePassword(member);
  const renewed = { ...member, token: await logIn(system, member.phone, NEW_PASSWORD) };
  assert.equal((await subscribe(system, renewed, browser)).status, 200);
  await waitForPushes(system, browser.endpoint, 1);
  await waitUntilNotified(system);
  await deposit(member);
  await waitForPushes(system, browser.endpoint, 2);
  assert.deepEqual(await titlesAt(browser.endpoint), [PASSWORD_TITLES.en, 'Money in']);
  assert.equal(await countSubscriptions(system, member), 1);
});

test('an account that an operator closes is pushed to its sessions once, and the bell lists both changes after it opens [R-OPS-08]', async () => {
  for (const status of ['inactive', 'restricted', 'deleted']) {
    const member = await registerMember(system);
    const { endpoint } = await subscribeBrowser(system, member);
    await system.database.query('update member set status = $2 where id = $1', [member.id, status]);
    await system.database.query('update member set status = $2 where id = $1', [member.id, 'inactive']);
    await deposit(member);
    await waitForPushes(system, endpoint, 1);
    await untilSubscriptions(member, 0);
    await waitUntilNotified(system);
    assert.deepEqual(await titlesAt(endpoint), ['Account closed'], status);
    await system.database.query(`update member set status = 'active' where id = $1`, [member.id]);
    const { notices } = await readNotices(system, member);
    assert.deepEqual(
      notices.filter(({ kind }) => kind === 'security').map(({ facts }) => facts),
      [{ subject: 'accountOpened' }, { subject: 'accountClosed' }],
    );
  }
});

test('logout and the end of a session end its subscription without a message [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  const second = await openSession(member);
  const [kept, loggedOut] = [await subscribeBrowser(system, member), await subscribeBrowser(system, second)];
  await system.api('POST /api/logout', { token: second.token });
  assert.equal(await countSubscriptions(system, member), 1);
  await deposit(member);
  await waitForPushes(system, kept.endpoint, 1);
  await system.database.query(
    `update member_session set expires_at = now() - interval '1 second' where member_id = $1`,
    [member.id],
  );
  await deposit(member);
  await waitUntilNotified(system);
  assert.equal((await receivedPushes(system, kept.endpoint)).length, 1);
  assert.deepEqual(await receivedPushes(system, loggedOut.endpoint), []);
});
