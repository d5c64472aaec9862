import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefused } from '../harness/assert-refused.ts';
import { openGame, openLaunchLink } from '../harness/games.ts';
import { logIn, readNewestSms, registerMember, registrationBody, verifyPhone } from '../harness/members.ts';
import { setSettings } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem({ variant: 'lao' });
});
after(() => system.stop());

const newLaoPhone = (): string => `205${String(randomInt(10_000_000)).padStart(7, '0')}`;

test("at registration a Lao site's member chooses LAK or BAHT; the default is LAK", async () => {
  for (const [requestedLanguage, storedLanguage] of [
    ['', 'LAK'],
    ['LAK', 'LAK'],
    ['BAHT', 'BAHT'],
  ] as const) {
    const member = await registerMember(system, {
      phone: newLaoPhone(),
      bankCode: 'BCEL',
      currency: requestedLanguage,
    });
    const { body } = await system.api('GET /api/account/profile', { token: member.token });
    assert.equal(body.profile.currency, storedLanguage);
    assert.equal(body.bankAccount.bankCode, 'BCEL');
  }
});

test('on a Lao site a phone may have other than 10 digits, and each number is one member in every notation', async () => {
  const phone = newLaoPhone();
  const member = await registerMember(system, { phone });
  const spacedPhone = `+856 20 ${phone.slice(2, 6)} ${phone.slice(6)}`;
  const phoneInLaoDigits = phone.replace(/\d/g, (digit) => String.fromCharCode(0x0ed0 + Number(digit)));
  for (const writtenNumber of [`0${phone}`, `856${phone}`, `+856${phone}`, spacedPhone, phoneInLaoDigits]) {
    assert.ok(await logIn(system, writtenNumber, member.password));
    assertRefused(
      await system.api('POST /api/account/validate', { body: registrationBody({ phone: writtenNumber }) }),
      'EXISTING_USER',
    );
  }
});

test('a number in no Thai or Lao mobile range is INVALID_USER_INFO at any length, and nothing is sent', async () => {
  for (const phone of [
    '',
    '12345',
    '021234567',
    '0212345678',
    '2012345678',
    '02112345678',
    '081234567',
    '14155552671',
  ]) {
    const otpReply = await system.api('POST /api/otp/send', { body: { phoneNumber: phone } });
    assertRefused(otpReply, 'INVALID_USER_INFO', 'PHONE_NOT_MOBILE');
    const body = { ...registrationBody(), username: phone };
    assertRefused(await system.api('POST /api/account', { body }), 'INVALID_USER_INFO', 'PHONE_NOT_MOBILE');
  }
  const { rows } = await system.database.query(`select phone from otp_phone where phone !~ '^(205|08)'`);
  assert.deepEqual(rows, []);
});

test('a phone in a Lao range that the operator permits can be registered', async () => {
  const phone = '2066123456';
  const sendOtp = () => system.api('POST /api/otp/send', { body: { phoneNumber: `+856 ${phone}` } });
  assertRefused(await sendOtp(), 'INVALID_USER_INFO', 'PHONE_NOT_MOBILE');
  const { rows } = await system.database.query<{ value: string[] }>(
    `select value from operator_data_setting where name = 'phoneRanges'`,
  );
  await setSettings(system, { phoneRanges: [...(rows[0]?.value ?? []), '2066xxxxxx'] });
  const member = await registerMember(system, { phone });
  assert.ok(await logIn(system, `020${phone.slice(2)}`, member.password));
});

test('an SMS code is sent to Lao and Thai phones', async () => {
  for (const phone of [newLaoPhone(), '0304234567', '0812345678']) {
    await verifyPhone(system, phone);
    assert.match((await readNewestSms(system, phone))?.code ?? '', /^\d{6}$/);
  }
});

test('a Lao site lists Lao banks first, and its default language is Lao', async () => {
  const banks = await system.api('GET /api/lookup/banks');
  assert.equal(banks.body[0].code, 'BCEL');
  const sources = await system.api('GET /api/lookup/sources');
  assert.equal(sources.body[0].description, 'ໝູ່ແນະນຳ');
});

test('on a Lao site games open in Lao, or in the language that the member has chosen', async () => {
  const { token } = await registerMember(system, { phone: newLaoPhone() });
  const { username } = await openGame(system, token, 'pg');
  for (const [cookie, language] of [
    ['', 'la'],
    ['language=TH', 'th'],
  ] as const) {
    const { body } = await system.api(`GET /api/autoLogin/pg/${username}`, { token, headers: { cookie } });
    assert.equal((await openLaunchLink(body.link)).language, language);
  }
});
