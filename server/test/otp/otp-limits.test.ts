import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newPhone } from '../harness/members.ts';
import { setLimits } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());

const from = (address: string): { headers: Record<string, string> } => ({ headers: { 'x-forwarded-for': address } });

test('one address orders codes up to its limit, then OTP_BLOCK; others go on [R-REG-08]', async () => {
  await setLimits(system, { 'otp.send.address': 3 });
  const send = (address: string) =>
    system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...from(address) });
  for (let sent = 0; sent < 3; sent += 1) assert.equal((await send('203.0.113.7')).status, 200);
  const blocked = await send('203.0.113.7');
  assertRefused(blocked, 'OTP_BLOCK');
  assert.ok(Number(blocked.headers.get('retry-after')) > 3000);
  assert.equal((await send('203.0.113.8')).status, 200);
  assert.equal((await send('2001:db8::1')).status, 200);
  assert.equal((await send('2001:db8::2')).status, 200);
  assert.equal((await send('2001:db8:0:0:ffff::3')).status, 200);
  assertRefused(await send('2001:db8::4'), 'OTP_BLOCK');
});

test('a blocked request leaves nothing behind: the phone may ask from elsewhere at once', async () => {
  await setLimits(system, { 'otp.send.address': 1 });
  const body = { phoneNumber: newPhone() };
  await system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...from('203.0.113.20') });
  assertRefused(await system.api('POST /api/otp/send', { body, ...from('203.0.113.20') }), 'OTP_BLOCK');
  assert.equal((await system.api('POST /api/otp/send', { body, ...from('203.0.113.21') })).status, 200);
});

test('one address guesses up to its limit over all tokens, then OTP_BLOCK [R-REG-08]', async () => {
  await setLimits(system, { 'otp.failure.address': 3, 'otp.send.address': 1000 });
  const guess = (address: string) =>
    system.api('POST /api/otp/verify', { body: { otpToken: 'y'.repeat(43), otpCode: '123456' }, ...from(address) });
  for (let tried = 0; tried < 3; tried += 1) assertRefused(await guess('203.0.113.30'), 'OTP_TOKEN_INVALID');
  assertRefused(await guess('203.0.113.30'), 'OTP_BLOCK');
  assertRefused(await guess('203.0.113.31'), 'OTP_TOKEN_INVALID');
});

test('all messages of all addresses have a limit too', async () => {
  await setLimits(system, { 'otp.send.all': 1 });
  await system.database.query(`delete from rate_limit where key = 'otp.send.all'`);
  const send = (address: string) =>
    system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...from(address) });
  assert.equal((await send('203.0.113.40')).status, 200);
  assertRefused(await send('203.0.113.41'), 'OTP_BLOCK');
});
