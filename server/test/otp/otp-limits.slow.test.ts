import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { readNewestSms, newPhone, registrationBody } from '../harness/members.ts';
import { movableClock } from '../harness/movable-clock.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

const MINUTE_MS = 60_000;
const clock = movableClock();
let system: System;
before(async () => {
  system = await startSystem({ clock });
});
after(() => system.stop());

const headersFrom = (address: string): { headers: Record<string, string> } => ({
  headers: { 'x-forwarded-for': address },
});

test('one address requests codes up to its limit, then OTP_BLOCK; other addresses continue [R-REG-08]', async () => {
  await setRateLimits(system, { 'otp.send.address': 3 });
  const sendOtp = (address: string) =>
    system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...headersFrom(address) });
  for (let attempt = 0; attempt < 3; attempt += 1) assert.equal((await sendOtp('203.0.113.7')).status, 200);
  const blockedReply = await sendOtp('203.0.113.7');
  assertRefused(blockedReply, 'OTP_BLOCK');
  assert.ok(Number(blockedReply.headers.get('retry-after')) > 3000);
  assert.equal((await sendOtp('203.0.113.8')).status, 200);
  assert.equal((await sendOtp('2001:db8::1')).status, 200);
  assert.equal((await sendOtp('2001:db8::2')).status, 200);
  assert.equal((await sendOtp('2001:db8:0:0:ffff::3')).status, 200);
  assertRefused(await sendOtp('2001:db8::4'), 'OTP_BLOCK');
});

test('a blocked request of a code leaves no trace: the phone may request from elsewhere immediately', async () => {
  await setRateLimits(system, { 'otp.send.address': 1 });
  const body = { phoneNumber: newPhone() };
  await system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...headersFrom('203.0.113.20') });
  assertRefused(await system.api('POST /api/otp/send', { body, ...headersFrom('203.0.113.20') }), 'OTP_BLOCK');
  assert.equal((await system.api('POST /api/otp/send', { body, ...headersFrom('203.0.113.21') })).status, 200);
});

test('wrong codes of one address are limited over all tokens, then OTP_BLOCK [R-REG-08]', async () => {
  await setRateLimits(system, { 'otp.failure.address': 3, 'otp.send.address': 1000 });
  const guessCode = (address: string) =>
    system.api('POST /api/otp/verify', {
      body: { otpToken: 'y'.repeat(43), otpCode: '123456' },
      ...headersFrom(address),
    });
  for (let attempt = 0; attempt < 3; attempt += 1) assertRefused(await guessCode('203.0.113.30'), 'OTP_TOKEN_INVALID');
  assertRefused(await guessCode('203.0.113.30'), 'OTP_BLOCK');
  assertRefused(await guessCode('203.0.113.31'), 'OTP_TOKEN_INVALID');
});

test("after others have used up an address's wrong codes, each code there still has one attempt", async () => {
  await setRateLimits(system, { 'otp.failure.address': 3, 'otp.send.address': 1000 });
  const headers = headersFrom('203.0.113.32');
  const verify = (otpToken: string, otpCode: string) =>
    system.api('POST /api/otp/verify', { body: { otpToken, otpCode }, ...headers });
  for (let attempt = 0; attempt < 3; attempt += 1)
    assertRefused(await verify('y'.repeat(43), '123456'), 'OTP_TOKEN_INVALID');
  assertRefused(await verify('y'.repeat(43), '123456'), 'OTP_BLOCK');
  const orderCode = async (): Promise<[token: string, code: string]> => {
    const phone = newPhone();
    const otpReply = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, ...headers });
    return [otpReply.body.otpToken, String((await readNewestSms(system, phone))?.code)];
  };
  const [token, code] = await orderCode();
  assert.equal((await verify(token, code)).status, 200);
  const [guessedToken, rightToken] = await orderCode();
  assertRefused(await verify(guessedToken, rightToken === '000000' ? '000001' : '000000'), 'OTP_BLOCK');
  assertRefused(await verify(guessedToken, rightToken), 'OTP_BLOCK');
  assert.equal(
    (
      await system.api('POST /api/otp/verify', {
        body: { otpToken: guessedToken, otpCode: rightToken },
        ...headersFrom('203.0.113.33'),
      })
    ).status,
    200,
  );
});

test('one phone gets ten codes a day, then OTP_BLOCK until the first is a day old, for every caller [R-REG-08]', async () => {
  const phone = newPhone();
  const sendOtp = (requestNumber: number): Promise<ApiReply> =>
    system.api('POST /api/otp/send', { body: { phoneNumber: phone }, ...headersFrom(`198.51.100.${requestNumber}`) });
  for (let attempt = 0; attempt < 10; attempt += 1) {
    assert.equal((await sendOtp(attempt)).status, 200);
    clock.advance(61 * MINUTE_MS);
  }
  const blockedReply = await sendOtp(10);
  assertRefused(blockedReply, 'OTP_BLOCK');
  const wait = Number(blockedReply.headers.get('retry-after'));
  assert.ok(wait > 13 * 3600 && wait < 14 * 3600, `retry after ${wait} s`);
  clock.advance(wait * 1000);
  assert.equal((await sendOtp(11)).status, 200);
});

/** Verifies a phone from an address. @returns the cookie of the device */
async function provePhone(phone: string, address: string, cookie?: string): Promise<string> {
  const headers = { ...headersFrom(address).headers, ...(cookie && { cookie }) };
  const otpReply = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, headers });
  assert.equal(otpReply.status, 200, JSON.stringify(otpReply.body));
  const otpCode = (await readNewestSms(system, phone))?.code;
  const body = { otpToken: otpReply.body.otpToken, otpCode };
  const verifyReply = await system.api('POST /api/otp/verify', { body, headers });
  assert.equal(verifyReply.status, 200, JSON.stringify(verifyReply.body));
  return verifyReply.headers.get('set-cookie') ?? '';
}

const countMessagesTo = async (phone: string): Promise<number> =>
  (await system.simulatorsApi(`GET /phone/messages?to=${phone}`)).body.length;

test("while strangers' codes are used up, a new phone can register from an address, device or phone with an earlier proof", async () => {
  await setRateLimits(system, { 'otp.send.address': 1000, 'otp.send.all': 1000, 'otp.send.strangers': 1000 });
  const HOME_ADDRESS = '203.0.113.50';
  const knownPhone = newPhone();
  const cookie = await provePhone(knownPhone, HOME_ADDRESS);
  assert.match(cookie, /^device=[\w-]{43}; Path=\/api\/otp; Max-Age=15552000; HttpOnly; SameSite=Strict$/);
  const [device = ''] = cookie.split(';');
  clock.advance(31 * MINUTE_MS);

  await setRateLimits(system, { 'otp.send.strangers': 5 });
  await system.database.query(`delete from rate_limit where key = 'otp.send.strangers'`);
  const attackReplies = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...headersFrom(`192.0.2.${index}`) }),
    ),
  );
  assert.equal(attackReplies.filter(({ status }) => status === 200).length, 5, 'what strangers may order');
  assert.equal(attackReplies.filter(({ body }) => body.message === 'OTP_BLOCK').length, 35);

  const unknownPhone = newPhone();
  const refusedReply = await system.api('POST /api/otp/send', {
    body: { phoneNumber: unknownPhone },
    ...headersFrom('192.0.2.99'),
  });
  assertRefused(refusedReply, 'OTP_BLOCK');
  assert.equal(await countMessagesTo(unknownPhone), 0);

  const [homePhone, otherPhone] = [newPhone(), newPhone()];
  await provePhone(homePhone, HOME_ADDRESS);
  await provePhone(otherPhone, '198.51.100.77', device);
  await provePhone(knownPhone, '198.51.100.78');
  for (const [phone, address] of [
    [homePhone, HOME_ADDRESS],
    [otherPhone, '198.51.100.77'],
  ] as const) {
    const body = registrationBody({ phone });
    const registerReply = await system.api('POST /api/account', { body, ...headersFrom(address) });
    assert.equal(registerReply.status, 200, JSON.stringify(registerReply.body));
  }
  const forgedCookie = { headers: { ...headersFrom('192.0.2.98').headers, cookie: `device=${'x'.repeat(43)}` } };
  assertRefused(
    await system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...forgedCookie }),
    'OTP_BLOCK',
  );
});

test('an address whose codes are never entered loses its share; a device has its own limit', async () => {
  await setRateLimits(system, {
    'otp.send.address': 1000,
    'otp.send.strangers': 1,
    'otp.unanswered.address': 3,
    'otp.send.device': 4,
  });
  const sendOtp = (address: string, cookie = '') =>
    system.api('POST /api/otp/send', {
      body: { phoneNumber: newPhone() },
      headers: { ...headersFrom(address).headers, cookie },
    });
  await system.database.query(
    `insert into otp_known (kind, name, verified_at) values ('address', '203.0.113.60', $1)`,
    [clock.now()],
  );
  for (let attempt = 0; attempt < 3; attempt += 1) assert.equal((await sendOtp('203.0.113.60')).status, 200);
  assertRefused(await sendOtp('203.0.113.60'), 'OTP_BLOCK');

  await setRateLimits(system, { 'otp.send.strangers': 1000 });
  const [device = ''] = (await provePhone(newPhone(), '203.0.113.61')).split(';');
  await setRateLimits(system, { 'otp.send.strangers': 1 });
  for (let sent = 0; sent < 4; sent += 1) assert.equal((await sendOtp(`203.0.113.${70 + sent}`, device)).status, 200);
  assertRefused(await sendOtp('203.0.113.80', device), 'OTP_BLOCK');
  await setRateLimits(system, { 'otp.send.strangers': 1000, 'otp.unanswered.address': 30, 'otp.send.device': 20 });
});

test('a run of adjacent numbers is OTP_BLOCK from the seventh on, from any number of addresses at the same moment', async () => {
  await setRateLimits(system, { 'otp.send.address': 1000, 'otp.send.all': 1000, 'otp.send.strangers': 1000 });
  const sendMany = (first: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        system.api('POST /api/otp/send', {
          body: { phoneNumber: `09${String(first + index).padStart(8, '0')}` },
          ...headersFrom(`198.18.${count}.${index}`),
        }),
      ),
    );
  const countAccepted = (replies: ApiReply[]): number => replies.filter(({ status }) => status === 200).length;
  assert.equal(countAccepted(await sendMany(12_345_600, 20)), 6);
  assert.equal(countAccepted(await sendMany(23_456_790, 21)), 6, 'also where the hundred changes');
  assert.equal(countAccepted(await sendMany(34_567_800, 6)), 6, 'a family with numbers in a row');
  assertRefused(
    await system.api('POST /api/otp/send', { body: { phoneNumber: '0934567806' }, ...headersFrom('198.19.0.1') }),
    'OTP_BLOCK',
  );
  assert.equal(await countMessagesTo('0934567806'), 0);
  clock.advance(61_000);
  const repeatedReply = await system.api('POST /api/otp/send', {
    body: { phoneNumber: '0934567800' },
    ...headersFrom('198.19.0.2'),
  });
  assert.equal(repeatedReply.status, 200, 'another code for one of them is no further number');
});

test('all SMS codes of all addresses together have a limit', async () => {
  await setRateLimits(system, { 'otp.send.all': 1 });
  await system.database.query(`delete from rate_limit where key = 'otp.send.all'`);
  const sendOtp = (address: string) =>
    system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...headersFrom(address) });
  assert.equal((await sendOtp('203.0.113.40')).status, 200);
  assertRefused(await sendOtp('203.0.113.41'), 'OTP_BLOCK');
});
