import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ApiReply } from '../harness/api-client.ts';
import { newestMessage, newPhone, registrationOf } from '../harness/members.ts';
import { movableClock } from '../harness/movable-clock.ts';
import { setLimits } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';

const MINUTE = 60_000;
const clock = movableClock();
let system: System;
before(async () => {
  system = await startSystem({ clock });
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

test('when others behind an address have used up its wrong codes, each code still has its first try, and no more', async () => {
  await setLimits(system, { 'otp.failure.address': 3, 'otp.send.address': 1000 });
  const headers = from('203.0.113.32');
  const verify = (otpToken: string, otpCode: string) =>
    system.api('POST /api/otp/verify', { body: { otpToken, otpCode }, ...headers });
  for (let tried = 0; tried < 3; tried += 1) assertRefused(await verify('y'.repeat(43), '123456'), 'OTP_TOKEN_INVALID');
  assertRefused(await verify('y'.repeat(43), '123456'), 'OTP_BLOCK');
  const order = async (): Promise<[token: string, code: string]> => {
    const phone = newPhone();
    const sent = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, ...headers });
    return [sent.body.otpToken, String((await newestMessage(system, phone))?.code)];
  };
  const [token, code] = await order();
  assert.equal((await verify(token, code)).status, 200);
  const [guessed, right] = await order();
  assertRefused(await verify(guessed, right === '000000' ? '000001' : '000000'), 'OTP_BLOCK');
  assertRefused(await verify(guessed, right), 'OTP_BLOCK');
  assert.equal(
    (await system.api('POST /api/otp/verify', { body: { otpToken: guessed, otpCode: right }, ...from('203.0.113.33') }))
      .status,
    200,
  );
});

test('one phone gets ten codes a day, then OTP_BLOCK until the first is a day old, for every caller [R-REG-08]', async () => {
  const phone = newPhone();
  const send = (turn: number): Promise<ApiReply> =>
    system.api('POST /api/otp/send', { body: { phoneNumber: phone }, ...from(`198.51.100.${turn}`) });
  for (let sent = 0; sent < 10; sent += 1) {
    assert.equal((await send(sent)).status, 200);
    clock.advance(61 * MINUTE);
  }
  const blocked = await send(10);
  assertRefused(blocked, 'OTP_BLOCK');
  const wait = Number(blocked.headers.get('retry-after'));
  assert.ok(wait > 13 * 3600 && wait < 14 * 3600, `retry after ${wait} s`);
  clock.advance(wait * 1000);
  assert.equal((await send(11)).status, 200);
});

/** Proves a phone from an address; answers the cookie that its device was given. */
async function prove(phone: string, address: string, cookie?: string): Promise<string> {
  const headers = { ...from(address).headers, ...(cookie && { cookie }) };
  const sent = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, headers });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const otpCode = (await newestMessage(system, phone))?.code;
  const body = { otpToken: sent.body.otpToken, otpCode };
  const proved = await system.api('POST /api/otp/verify', { body, headers });
  assert.equal(proved.status, 200, JSON.stringify(proved.body));
  return proved.headers.get('set-cookie') ?? '';
}

const messagesTo = async (phone: string): Promise<number> =>
  (await system.world(`GET /phone/messages?to=${phone}`)).body.length;

test('while an attacker uses up what strangers may order, a new phone still registers from an address, a device or a phone that proved one before', async () => {
  await setLimits(system, { 'otp.send.address': 1000, 'otp.send.all': 1000, 'otp.send.strangers': 1000 });
  const HOME = '203.0.113.50';
  const known = newPhone();
  const cookie = await prove(known, HOME);
  assert.match(cookie, /^device=[\w-]{43}; Path=\/api\/otp; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
  const [device = ''] = cookie.split(';');
  clock.advance(31 * MINUTE);

  await setLimits(system, { 'otp.send.strangers': 5 });
  await system.database.query(`delete from rate_limit where key = 'otp.send.strangers'`);
  const attack = await Promise.all(
    Array.from({ length: 40 }, (_, turn) =>
      system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...from(`192.0.2.${turn}`) }),
    ),
  );
  assert.equal(attack.filter(({ status }) => status === 200).length, 5, 'what strangers may order');
  assert.equal(attack.filter(({ body }) => body.message === 'OTP_BLOCK').length, 35);

  const stranger = newPhone();
  const refused = await system.api('POST /api/otp/send', { body: { phoneNumber: stranger }, ...from('192.0.2.99') });
  assertRefused(refused, 'OTP_BLOCK');
  assert.equal(await messagesTo(stranger), 0);

  const [athome, elsewhere] = [newPhone(), newPhone()];
  await prove(athome, HOME);
  await prove(elsewhere, '198.51.100.77', device);
  await prove(known, '198.51.100.78');
  for (const [phone, address] of [
    [athome, HOME],
    [elsewhere, '198.51.100.77'],
  ] as const) {
    const body = registrationOf({ phone });
    const registered = await system.api('POST /api/account', { body, ...from(address) });
    assert.equal(registered.status, 200, JSON.stringify(registered.body));
  }
  const forged = { headers: { ...from('192.0.2.98').headers, cookie: `device=${'x'.repeat(43)}` } };
  assertRefused(await system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...forged }), 'OTP_BLOCK');
});

test('an address from which codes are ordered and never typed loses its share; a device has a limit of its own', async () => {
  await setLimits(system, {
    'otp.send.address': 1000,
    'otp.send.strangers': 1,
    'otp.unanswered.address': 3,
    'otp.send.device': 4,
  });
  const send = (address: string, cookie = '') =>
    system.api('POST /api/otp/send', {
      body: { phoneNumber: newPhone() },
      headers: { ...from(address).headers, cookie },
    });
  await system.database.query(
    `insert into otp_known (kind, name, verified_at) values ('address', '203.0.113.60', $1)`,
    [clock.now()],
  );
  for (let sent = 0; sent < 3; sent += 1) assert.equal((await send('203.0.113.60')).status, 200);
  assertRefused(await send('203.0.113.60'), 'OTP_BLOCK');

  await setLimits(system, { 'otp.send.strangers': 1000 });
  const [device = ''] = (await prove(newPhone(), '203.0.113.61')).split(';');
  await setLimits(system, { 'otp.send.strangers': 1 });
  for (let sent = 0; sent < 4; sent += 1) assert.equal((await send(`203.0.113.${70 + sent}`, device)).status, 200);
  assertRefused(await send('203.0.113.80', device), 'OTP_BLOCK');
  await setLimits(system, { 'otp.send.strangers': 1000, 'otp.unanswered.address': 30, 'otp.send.device': 20 });
});

test('a run of adjacent numbers is OTP_BLOCK from its seventh on, from however many addresses and at one moment', async () => {
  await setLimits(system, { 'otp.send.address': 1000, 'otp.send.all': 1000, 'otp.send.strangers': 1000 });
  const run = (first: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, turn) =>
        system.api('POST /api/otp/send', {
          body: { phoneNumber: `09${String(first + turn).padStart(8, '0')}` },
          ...from(`198.18.${count}.${turn}`),
        }),
      ),
    );
  const sentOf = (replies: ApiReply[]): number => replies.filter(({ status }) => status === 200).length;
  assert.equal(sentOf(await run(12_345_600, 20)), 6);
  assert.equal(sentOf(await run(23_456_790, 21)), 6, 'also where the hundred changes');
  assert.equal(sentOf(await run(34_567_800, 6)), 6, 'a family with numbers in a row');
  assertRefused(
    await system.api('POST /api/otp/send', { body: { phoneNumber: '0934567806' }, ...from('198.19.0.1') }),
    'OTP_BLOCK',
  );
  assert.equal(await messagesTo('0934567806'), 0);
  clock.advance(61_000);
  const again = await system.api('POST /api/otp/send', { body: { phoneNumber: '0934567800' }, ...from('198.19.0.2') });
  assert.equal(again.status, 200, 'another code for one of them is no further number');
});

test('all messages of all addresses have a limit too', async () => {
  await setLimits(system, { 'otp.send.all': 1 });
  await system.database.query(`delete from rate_limit where key = 'otp.send.all'`);
  const send = (address: string) =>
    system.api('POST /api/otp/send', { body: { phoneNumber: newPhone() }, ...from(address) });
  assert.equal((await send('203.0.113.40')).status, 200);
  assertRefused(await send('203.0.113.41'), 'OTP_BLOCK');
});
