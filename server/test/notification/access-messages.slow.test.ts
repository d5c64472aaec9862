import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Language } from '@krapao/contract/languages';
import type { Ledger } from '../../src/ledger/index.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { runCommand } from '../harness/command.ts';
import { logIn, newAccountNo, newPhone, registerMember, type TestMember, verifyPhone } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { injectFault, setRateLimits, setSettings } from '../harness/operator.ts';
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

async function changePassword(
  { token, password }: TestMember,
  newPassword = NEW_PASSWORD,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const body = { oldPassword: password, newPassword };
  assert.equal((await system.api('PUT /api/account/changepwd', { token, body, headers })).status, 200);
}

/** Text messages on a phone without those of codes, oldest first. */
async function readSms(phone: string): Promise<string[]> {
  const { body } = await system.simulatorsApi(`GET /phone/messages?to=${phone}`);
  const texts = (body as { text: string; ref: string | null }[]).filter(({ ref }) => ref === null);
  return texts.map(({ text }) => text).toReversed();
}

const waitForSms = (phone: string, count: number): Promise<string[]> =>
  waitUntil(
    () => readSms(phone),
    (texts) => texts.length >= count,
    `${count} text messages are received`,
  );

const smsRows = async ({ id }: TestMember) =>
  (
    await system.database.query<{ isSent: boolean; isOpen: boolean; tries: number; error: string | null }>(
      `select sent_at is not null as "isSent", work_at is not null as "isOpen", tries, error from notification_sms
        where member_id = $1 order by created_at`,
      [id],
    )
  ).rows;

const TIME = String.raw`\d\d/\d\d \d\d:\d\d`;

const titlesAt = async (endpoint: string): Promise<unknown[]> =>
  (await receivedPushes(system, endpoint)).map(({ payload }) => payload?.notification['title']);

const untilSubscriptions = (member: TestMember, expected: number): Promise<number> =>
  waitUntil(
    () => countSubscriptions(system, member),
    (count) => count === expected,
    `${expected} subscriptions are left`,
  );

const deposit = (member: TestMember): Promise<void> => fundWallet(ledger, member.id, '500');

test('a changed password is pushed to each session that it ends, in its language, and no message follows [R-OPS-08]', async () => {
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

test('the last push survives a failing push service, and messages waiting before the end are not sent [R-OPS-08]', async () => {
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

test('a browser without security messages gets none, and its subscription ends with the session', async () => {
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

test('closing an account is pushed once to each session, and the bell lists closing and reopening [R-OPS-08]', async () => {
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

test('a changed password is sent to the phone in the language of the last call, in two parts at most, without a link [R-OPS-08]', async () => {
  const texts = {
    TH: new RegExp(`^Krapao: เปลี่ยนรหัสผ่าน ${TIME} เครื่องอื่นออกจากระบบแล้ว ถ้าไม่ใช่คุณ ติดต่อทีมงานในแอปทันที$`),
    LA: new RegExp(`^Krapao: ປ່ຽນລະຫັດຜ່ານ ${TIME} ເຄື່ອງອື່ນອອກຈາກລະບົບແລ້ວ ຖ້າບໍ່ແມ່ນທ່ານ ຕິດຕໍ່ທີມງານໃນແອັບທັນທີ$`),
    EN: new RegExp(
      `^Krapao: Password changed ${TIME}, other devices logged out. Not you\\? Contact support in the app right away.$`,
    ),
  };
  for (const [language, expected] of Object.entries(texts)) {
    const member = await registerMember(system);
    await system.api('GET /api/account/profile', { token: member.token, headers: { cookie: `language=${language}` } });
    await changePassword(member);
    const [text = ''] = await waitForSms(member.phone, 1);
    assert.match(text, expected);
    assert.ok(text.length <= (language === 'EN' ? 160 : 134), `${text.length} characters`);
    assert.doesNotMatch(text, /https?:|www\.|\d{4}/);
  }
});

test('changes of bank account, holder, phone, status and wallet are each sent by SMS once to the phone before the change [R-OPS-08]', async () => {
  const member = await registerMember(system);
  const { token, id, phone } = member;
  await system.api('GET /api/account/profile', { token, headers: { cookie: 'language=EN' } });
  const account = { name: 'Somjai', bankCode: 'SCB', bankAccountName: 'SOMJAI DEEMAK', bankAccountNo: newAccountNo() };
  assert.equal((await system.api('PUT /api/account/profile', { token, body: account })).status, 200);
  const holder = { bankCode: 'SCB', bankAccountName: 'SOMJAI DEEMAKS' };
  assert.equal((await system.api('PUT /api/account/bankAccountName', { token, body: holder })).status, 200);
  for (const args of [
    ['status', id, 'restricted', 'TIME_OUT'],
    ['status', id, 'active'],
    ['wallet', id, 'close'],
    ['wallet', id, 'open'],
  ]) {
    const { status, output } = await runCommand(system, 'members', [...args, 'Malee', 'under review']);
    assert.equal(status, 0, output);
  }
  const phoneAfter = newPhone();
  await system.database.query('update member set phone = $2 where id = $1', [id, phoneAfter]);
  const texts = await waitForSms(phone, 7);
  assert.deepEqual(texts.map((text) => text.replace(new RegExp(TIME), 'TIME').replace('Krapao: ', '')).toSorted(), [
    'Bank account changed TIME. Not you? Contact support in the app right away.',
    'Bank account changed TIME. Not you? Contact support in the app right away.',
    'Phone number of your account changed TIME. Not you? Contact support in the app right away.',
    'Your account is open again since TIME. You can log in.',
    'Your account was closed TIME. Contact support in the app.',
    'Your wallet is open again since TIME.',
    'Your wallet was closed TIME. Contact support in the app.',
  ]);
  assert.deepEqual(await readSms(phoneAfter), []);
  const { notices } = await readNotices(system, member);
  assert.deepEqual(
    notices.map(({ facts }) => (facts as { subject: string }).subject),
    ['phone', 'walletOpened', 'walletClosed', 'accountOpened', 'accountClosed', 'bankAccount', 'bankAccount'],
  );
});

test('a silent SMS gateway delays neither the change nor a one-time code, and the message arrives once [R-OPS-08]', async () => {
  const member = await registerMember(system);
  await injectFault(system, { target: 'sms', fault: 'timeout-applied' });
  const startedMs = Date.now();
  await changePassword(member);
  await waitUntil(
    () => smsRows(member),
    ([row]) => row?.tries === 1,
    'the message is being sent',
  );
  await verifyPhone(system, newPhone());
  assert.ok(Date.now() - startedMs < 2_500, `${Date.now() - startedMs} ms`);
  await waitUntil(
    () => smsRows(member),
    ([row]) => row?.isSent === true,
    'a repetition is accepted',
  );
  assert.equal((await readSms(member.phone)).length, 1);
  assert.ok(((await smsRows(member))[0]?.tries ?? 0) > 1);
});

test('a message that the gateway refuses is tried again and listed by `krapao queues`; one to an impossible number is given up [R-OPS-08]', async () => {
  const [member, unreachable] = [await registerMember(system), await registerMember(system)];
  await injectFault(system, { target: 'sms', fault: 'decline' });
  await changePassword(member);
  await waitUntil(
    () => smsRows(member),
    ([row]) => row?.error === 'ERROR_SENDING_REFUSED',
    'the gateway has refused it',
  );
  await system.database.query(
    `update notification_sms set tries = 10, work_at = now() + interval '1 hour' where member_id = $1`,
    [member.id],
  );
  const { output } = await runCommand(system, 'queues');
  const line = `^sms  FAULT ${member.id} password  tried 10 times in 0 min: ERROR_SENDING_REFUSED$`;
  assert.match(output, new RegExp(line, 'm'));
  await system.database.query('update notification_sms set work_at = now() where member_id = $1', [member.id]);
  assert.equal((await waitForSms(member.phone, 1)).length, 1);
  await system.database.query(`update member set phone = '0212345678' where id = $1`, [unreachable.id]);
  await changePassword(unreachable);
  await waitUntil(
    () => smsRows(unreachable),
    (rows) => rows.every(({ isOpen }) => !isOpen),
    'nothing waits',
  );
  const rows = await smsRows(unreachable);
  assert.deepEqual(
    rows.map(({ isSent, tries, error }) => [isSent, tries, error]),
    [
      [true, 1, null],
      [false, 1, 'ERROR_MSISDN_INVALID'],
    ],
  );
});

test('a member gets five security messages of one kind a day, all members together as many as `security-sms.all` allows [R-OPS-08]', async () => {
  const member = await registerMember(system);
  let { password } = member;
  for (let change = 1; change <= 6; change += 1) {
    await changePassword({ ...member, password }, `blue-basket-${change}`);
    password = `blue-basket-${change}`;
  }
  await setRateLimits(system, { 'security-sms.all': 1 });
  const second = await registerMember(system);
  await changePassword(second);
  await waitUntilNotified(system);
  assert.equal((await smsRows(member)).length, 5);
  assert.deepEqual(await readSms(second.phone), []);
  await setRateLimits(system, { 'security-sms.all': 1000 });
  await waitForSms(second.phone, 1);
  assert.equal((await waitForSms(member.phone, 5)).length, 5);
});

test('without registerOTP no security message is sent or queued', async () => {
  const member = await registerMember(system);
  await setSettings(system, { registerOTP: false });
  await changePassword(member);
  await waitUntil(
    () => smsRows(member),
    ([row]) => row?.isOpen === false,
    'nothing waits',
  );
  await setSettings(system, { registerOTP: true });
  assert.deepEqual(await smsRows(member), [{ isSent: false, isOpen: false, tries: 1, error: 'phones are not proved' }]);
  assert.deepEqual(await readSms(member.phone), []);
});
