import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newestMessage, newPhone, registrationOf } from '../harness/members.ts';
import { setLimits } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';

const HOME = { 'x-forwarded-for': '203.0.113.7' };
const ROAD = { 'x-forwarded-for': '198.51.100.20' };
const STRANGER = { 'x-forwarded-for': '192.0.2.66' };

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());

/** Proves a phone from the home network. @returns the token of the code */
async function proveFromHome(phone: string): Promise<string> {
  const sent = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, headers: HOME });
  const otpToken = sent.body.otpToken as string;
  const otpCode = (await newestMessage(system, phone))?.code;
  const proved = await system.api('POST /api/otp/verify', { body: { otpToken, otpCode }, headers: HOME });
  assert.equal(proved.status, 200);
  return otpToken;
}

const register = (phone: string, headers: Record<string, string>, otpToken?: string) => {
  const body = { ...registrationOf({ phone }), ...(otpToken === undefined ? {} : { otpToken }) };
  return system.api('POST /api/account', { body, headers });
};

test('another caller can’t register a phone that was just proved', async () => {
  const phone = newPhone();
  await proveFromHome(phone);
  assertRefused(await register(phone, STRANGER), 'UNVERIFIED_OTP');
  assertRefused(await register(phone, STRANGER, ''), 'UNVERIFIED_OTP');
  assertRefused(await register(phone, STRANGER, 'x'.repeat(43)), 'UNVERIFIED_OTP');
  const body = registrationOf({ phone });
  assertRefused(await system.api('POST /api/account/validate', { body, headers: STRANGER }), 'UNVERIFIED_OTP');
  assert.equal((await register(phone, HOME)).status, 200);
});

test('a proved phone is registered from another network with the token of the code', async () => {
  const phone = newPhone();
  const otpToken = await proveFromHome(phone);
  assertRefused(await register(newPhone(), ROAD, otpToken), 'UNVERIFIED_OTP');
  assert.equal((await register(phone, ROAD, otpToken)).status, 200);
});

test('no reply reveals that a phone is proved; only the code that the phone receives proves it', async () => {
  const phone = newPhone();
  await proveFromHome(phone);
  const early = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, headers: STRANGER });
  assertRefused(early, 'REQUEST_LIMIT_1MIN');
  await system.database.query(`update otp set created_at = created_at - interval '61 seconds' where phone = $1`, [
    phone,
  ]);
  const sent = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, headers: ROAD });
  assert.equal(sent.body.code, 'OTP_SENT');
  const { otpToken } = sent.body;
  const otpCode = (await newestMessage(system, phone))?.code;
  const wrong = { otpToken, otpCode: otpCode === '000000' ? '000001' : '000000' };
  assertRefused(await system.api('POST /api/otp/verify', { body: wrong, headers: ROAD }), 'OTP_CODE_INVALID');
  const proved = await system.api('POST /api/otp/verify', { body: { otpToken, otpCode }, headers: ROAD });
  assert.equal(proved.status, 200);
  assert.equal((await register(phone, ROAD)).status, 200);
});

/** Proves a phone as our app does, from HOME. @returns the token of the code */
async function proveByApp(phone: string): Promise<string> {
  const sent = await system.api('POST /api/otp/send', { body: { phoneNumber: phone, otpToken: '' }, headers: HOME });
  const otpToken = sent.body.otpToken as string;
  const otpCode = (await newestMessage(system, phone))?.code;
  const body = { otpToken, otpCode, tokenOnly: true };
  assert.equal((await system.api('POST /api/otp/verify', { body, headers: HOME })).status, 200);
  // Its answer may have been lost.
  assertRefused(await system.api('POST /api/otp/verify', { body, headers: HOME }), 'OTP_VERIFIED');
  return otpToken;
}
const minuteLater = (phone: string) =>
  system.database.query(`update otp set created_at = created_at - interval '61 seconds' where phone = $1`, [phone]);

test('a proof made by the app is bound to its otpToken: no other caller behind the same address registers the phone', async () => {
  const phone = newPhone();
  const otpToken = await proveByApp(phone);
  const body = registrationOf({ phone });
  for (const stolen of [undefined, '', 'x'.repeat(43)]) {
    assertRefused(await register(phone, HOME, stolen), 'UNVERIFIED_OTP');
    const validated = await system.api('POST /api/account/validate', {
      body: { ...body, ...(stolen === undefined ? {} : { otpToken: stolen }) },
      headers: HOME,
    });
    assertRefused(validated, 'UNVERIFIED_OTP');
  }
  const validated = await system.api('POST /api/account/validate', { body: { ...body, otpToken }, headers: HOME });
  assert.equal(validated.status, 200);
  assert.equal((await register(phone, ROAD, otpToken)).status, 200);
});

test('only the browser that made the proof skips the code; another behind the same address gets one of its own', async () => {
  const phone = newPhone();
  const otpToken = await proveByApp(phone);
  const send = (held: object) =>
    system.api('POST /api/otp/send', { body: { phoneNumber: phone, ...held }, headers: HOME });
  assert.equal((await send({ otpToken })).body.code, 'OTP_VERIFIED');
  for (const held of [{}, { otpToken: '' }, { otpToken: 'x'.repeat(43) }]) {
    assertRefused(await send(held), 'REQUEST_LIMIT_1MIN');
  }
  await minuteLater(phone);
  const other = await send({ otpToken: '' });
  assert.equal(other.body.code, 'OTP_SENT');
  assertRefused(await register(phone, HOME, other.body.otpToken), 'UNVERIFIED_OTP');
  const otpCode = (await newestMessage(system, phone))?.code;
  const wrong = { otpToken: other.body.otpToken, otpCode: otpCode === '000000' ? '000001' : '000000', tokenOnly: true };
  assertRefused(await system.api('POST /api/otp/verify', { body: wrong, headers: HOME }), 'OTP_CODE_INVALID');
  assert.equal((await register(phone, HOME, otpToken)).status, 200, 'the first proof counts until the second is made');
});

test('a client of the fixed wire, which sends no otpToken, registers in the network of its proof', async () => {
  const [phone, skipped] = [newPhone(), newPhone()];
  await proveFromHome(phone);
  assert.equal((await register(phone, HOME)).status, 200);
  await proveFromHome(skipped);
  const again = await system.api('POST /api/otp/send', { body: { phoneNumber: skipped }, headers: HOME });
  assert.equal(again.body.code, 'OTP_VERIFIED');
});

test('a registered number is reported before any other field, to a caller who has proved it', async () => {
  const phone = newPhone();
  const otpToken = await proveByApp(phone);
  const validate = (body: object) => system.api('POST /api/account/validate', { body, headers: HOME });
  assertRefused(await validate({ username: phone, otpToken }), 'INVALID_USER_INFO', 'name');
  assert.equal((await register(phone, HOME, otpToken)).status, 200);
  assertRefused(await validate({ username: phone, otpToken }), 'EXISTING_USER');
  assertRefused(await validate({ username: phone }), 'UNVERIFIED_OTP');
});

test('callers without a proof use up neither the registrations of a phone nor those of proved phones behind their address', async () => {
  const phone = newPhone();
  const otpToken = await proveByApp(phone);
  await setLimits(system, { 'register.address': 3, 'register.phone': 30 });
  const attack = () => system.api('POST /api/account/validate', { body: registrationOf({ phone }), headers: HOME });
  for (let tried = 0; tried < 3; tried += 1) await attack();
  assertRefused(await attack(), 'REQUEST_LIMIT');
  const validate = () =>
    system.api('POST /api/account/validate', { body: { ...registrationOf({ phone }), otpToken }, headers: HOME });
  for (let tried = 0; tried < 2; tried += 1) assert.equal((await validate()).status, 200);
  assert.equal((await register(phone, HOME, otpToken)).status, 200);
  assertRefused(await validate(), 'REQUEST_LIMIT');
  await setLimits(system, { 'register.address': 1200, 'register.phone': 60 });
});
