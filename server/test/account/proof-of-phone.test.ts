import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newestMessage, newPhone, registrationOf } from '../harness/members.ts';
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
