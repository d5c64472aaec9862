import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused } from '../harness/assert-refused.ts';
import { readNewestSms, newPhone, registrationBody } from '../harness/members.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

const HOME_HEADERS = { 'x-forwarded-for': '203.0.113.7' };
const TRAVEL_HEADERS = { 'x-forwarded-for': '198.51.100.20' };
const STRANGER_HEADERS = { 'x-forwarded-for': '192.0.2.66' };

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());

/** Proves a phone from the home network. @returns the token of the code */
async function provePhoneFromHome(phone: string): Promise<string> {
  const otpReply = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, headers: HOME_HEADERS });
  const otpToken = otpReply.body.otpToken as string;
  const otpCode = (await readNewestSms(system, phone))?.code;
  const verifyReply = await system.api('POST /api/otp/verify', { body: { otpToken, otpCode }, headers: HOME_HEADERS });
  assert.equal(verifyReply.status, 200);
  return otpToken;
}

const register = (phone: string, headers: Record<string, string>, otpToken?: string) => {
  const body = { ...registrationBody({ phone }), ...(otpToken === undefined ? {} : { otpToken }) };
  return system.api('POST /api/account', { body, headers });
};

test('another caller cannot register a phone that was just proved', async () => {
  const phone = newPhone();
  await provePhoneFromHome(phone);
  assertRefused(await register(phone, STRANGER_HEADERS), 'UNVERIFIED_OTP');
  assertRefused(await register(phone, STRANGER_HEADERS, ''), 'UNVERIFIED_OTP');
  assertRefused(await register(phone, STRANGER_HEADERS, 'x'.repeat(43)), 'UNVERIFIED_OTP');
  const body = registrationBody({ phone });
  assertRefused(await system.api('POST /api/account/validate', { body, headers: STRANGER_HEADERS }), 'UNVERIFIED_OTP');
  assert.equal((await register(phone, HOME_HEADERS)).status, 200);
});

test('a proved phone can be registered from another network with the otpToken of its code', async () => {
  const phone = newPhone();
  const otpToken = await provePhoneFromHome(phone);
  assertRefused(await register(newPhone(), TRAVEL_HEADERS, otpToken), 'UNVERIFIED_OTP');
  assert.equal((await register(phone, TRAVEL_HEADERS, otpToken)).status, 200);
});

test('no reply reveals that a phone is proved; only the code that the phone receives proves it', async () => {
  const phone = newPhone();
  await provePhoneFromHome(phone);
  const earlyReply = await system.api('POST /api/otp/send', {
    body: { phoneNumber: phone },
    headers: STRANGER_HEADERS,
  });
  assertRefused(earlyReply, 'REQUEST_LIMIT_1MIN');
  await system.database.query(`update otp set created_at = created_at - interval '61 seconds' where phone = $1`, [
    phone,
  ]);
  const otpReply = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, headers: TRAVEL_HEADERS });
  assert.equal(otpReply.body.code, 'OTP_SENT');
  const { otpToken } = otpReply.body;
  const otpCode = (await readNewestSms(system, phone))?.code;
  const wrongCode = { otpToken, otpCode: otpCode === '000000' ? '000001' : '000000' };
  assertRefused(
    await system.api('POST /api/otp/verify', { body: wrongCode, headers: TRAVEL_HEADERS }),
    'OTP_CODE_INVALID',
  );
  const verifyReply = await system.api('POST /api/otp/verify', {
    body: { otpToken, otpCode },
    headers: TRAVEL_HEADERS,
  });
  assert.equal(verifyReply.status, 200);
  assert.equal((await register(phone, TRAVEL_HEADERS)).status, 200);
});

/** Proves a phone like the app, from HOME_HEADERS. @returns the token of the code */
async function provePhoneByApp(phone: string): Promise<string> {
  const otpReply = await system.api('POST /api/otp/send', {
    body: { phoneNumber: phone, otpToken: '' },
    headers: HOME_HEADERS,
  });
  const otpToken = otpReply.body.otpToken as string;
  const otpCode = (await readNewestSms(system, phone))?.code;
  const body = { otpToken, otpCode, tokenOnly: true };
  assert.equal((await system.api('POST /api/otp/verify', { body, headers: HOME_HEADERS })).status, 200);
  // Its answer may have been lost.
  assertRefused(await system.api('POST /api/otp/verify', { body, headers: HOME_HEADERS }), 'OTP_VERIFIED');
  return otpToken;
}
const sendOtpMinuteLater = (phone: string) =>
  system.database.query(`update otp set created_at = created_at - interval '61 seconds' where phone = $1`, [phone]);

test('a proof made by the app is bound to its otpToken: no other caller behind the same address registers the phone', async () => {
  const phone = newPhone();
  const otpToken = await provePhoneByApp(phone);
  const body = registrationBody({ phone });
  for (const stolenToken of [undefined, '', 'x'.repeat(43)]) {
    assertRefused(await register(phone, HOME_HEADERS, stolenToken), 'UNVERIFIED_OTP');
    const validateReply = await system.api('POST /api/account/validate', {
      body: { ...body, ...(stolenToken === undefined ? {} : { otpToken: stolenToken }) },
      headers: HOME_HEADERS,
    });
    assertRefused(validateReply, 'UNVERIFIED_OTP');
  }
  const validated = await system.api('POST /api/account/validate', {
    body: { ...body, otpToken },
    headers: HOME_HEADERS,
  });
  assert.equal(validated.status, 200);
  assert.equal((await register(phone, TRAVEL_HEADERS, otpToken)).status, 200);
});

test('only the browser that made the proof skips the code; another browser at the same address gets a code of its own', async () => {
  const phone = newPhone();
  const otpToken = await provePhoneByApp(phone);
  const sendOtp = (tokenFields: object) =>
    system.api('POST /api/otp/send', { body: { phoneNumber: phone, ...tokenFields }, headers: HOME_HEADERS });
  assert.equal((await sendOtp({ otpToken })).body.code, 'OTP_VERIFIED');
  for (const tokenFields of [{}, { otpToken: '' }, { otpToken: 'x'.repeat(43) }]) {
    assertRefused(await sendOtp(tokenFields), 'REQUEST_LIMIT_1MIN');
  }
  await sendOtpMinuteLater(phone);
  const otherReply = await sendOtp({ otpToken: '' });
  assert.equal(otherReply.body.code, 'OTP_SENT');
  assertRefused(await register(phone, HOME_HEADERS, otherReply.body.otpToken), 'UNVERIFIED_OTP');
  const otpCode = (await readNewestSms(system, phone))?.code;
  const wrongCode = {
    otpToken: otherReply.body.otpToken,
    otpCode: otpCode === '000000' ? '000001' : '000000',
    tokenOnly: true,
  };
  assertRefused(
    await system.api('POST /api/otp/verify', { body: wrongCode, headers: HOME_HEADERS }),
    'OTP_CODE_INVALID',
  );
  assert.equal(
    (await register(phone, HOME_HEADERS, otpToken)).status,
    200,
    'the first proof counts until the second is made',
  );
});

test('a client of the fixed wire format, which sends no otpToken, registers in the network of its proof', async () => {
  const [phone, unprovenPhone] = [newPhone(), newPhone()];
  await provePhoneFromHome(phone);
  assert.equal((await register(phone, HOME_HEADERS)).status, 200);
  await provePhoneFromHome(unprovenPhone);
  const repeatedReply = await system.api('POST /api/otp/send', {
    body: { phoneNumber: unprovenPhone },
    headers: HOME_HEADERS,
  });
  assert.equal(repeatedReply.body.code, 'OTP_VERIFIED');
});

test('a registered number is reported before any other field, to a caller who has proved it', async () => {
  const phone = newPhone();
  const otpToken = await provePhoneByApp(phone);
  const validateRegistration = (body: object) =>
    system.api('POST /api/account/validate', { body, headers: HOME_HEADERS });
  assertRefused(await validateRegistration({ username: phone, otpToken }), 'INVALID_USER_INFO', 'name');
  assert.equal((await register(phone, HOME_HEADERS, otpToken)).status, 200);
  assertRefused(await validateRegistration({ username: phone, otpToken }), 'EXISTING_USER');
  assertRefused(await validateRegistration({ username: phone }), 'UNVERIFIED_OTP');
});

test('registrations without a verified phone do not use up the limit of that phone or of verified phones at the address', async () => {
  const phone = newPhone();
  const otpToken = await provePhoneByApp(phone);
  await setRateLimits(system, { 'register.address': 3, 'register.phone': 30 });
  const validateAsStranger = () =>
    system.api('POST /api/account/validate', { body: registrationBody({ phone }), headers: HOME_HEADERS });
  for (let attempt = 0; attempt < 3; attempt += 1) await validateAsStranger();
  assertRefused(await validateAsStranger(), 'REQUEST_LIMIT');
  const validateRegistration = () =>
    system.api('POST /api/account/validate', {
      body: { ...registrationBody({ phone }), otpToken },
      headers: HOME_HEADERS,
    });
  for (let tried = 0; tried < 2; tried += 1) assert.equal((await validateRegistration()).status, 200);
  assert.equal((await register(phone, HOME_HEADERS, otpToken)).status, 200);
  assertRefused(await validateRegistration(), 'REQUEST_LIMIT');
  await setRateLimits(system, { 'register.address': 1200, 'register.phone': 60 });
});
