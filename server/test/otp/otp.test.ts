import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { readNewestSms, newPhone, verifyPhone } from '../harness/members.ts';
import { movableClock } from '../harness/movable-clock.ts';
import { injectFault } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

const clock = movableClock();
let system: System;
before(async () => {
  // Two answers of the gateway are meant to be lost.
  system = await startSystem({ clock, outside: (config) => ({ ...config, sms: { ...config.sms, timeoutMs: 4_000 } }) });
});
after(() => system.stop());

const sendOtp = (phoneNumber: unknown): Promise<ApiReply> =>
  system.api('POST /api/otp/send', { body: { phoneNumber } });
const verify = (otpToken: unknown, otpCode: unknown): Promise<ApiReply> =>
  system.api('POST /api/otp/verify', { body: { otpToken, otpCode } });

/** Sends a code; returns its token and the message on the phone. */
async function sendTo(phone: string): Promise<{ otpToken: string; otpRef: string; code: string; wrong: string }> {
  const { status, body } = await sendOtp(phone);
  assert.equal(status, 200, JSON.stringify(body));
  const code = (await readNewestSms(system, phone))?.code ?? '';
  return { ...body, code, wrong: code === '000000' ? '000001' : '000000' };
}

test('sending a code returns reference and token; the phone receives reference and code [R-REG-08]', async () => {
  const phone = newPhone();
  const { status, body } = await sendOtp(phone);
  assert.equal(status, 200);
  assert.equal(body.code, 'OTP_SENT');
  assert.match(body.otpToken, /^[\w-]{43}$/);
  const message = await readNewestSms(system, phone);
  assert.match(message?.code ?? '', /^\d{6}$/);
  assert.equal(message?.ref, body.otpRef);
  const lifetimeMs = Date.parse(body.expiresAt) - clock.now().getTime();
  assert.ok(lifetimeMs > 4 * MINUTE_MS && lifetimeMs <= 5 * MINUTE_MS);
});

test("the SMS is in the app's language, and each phone can extract code and reference from it", async () => {
  for (const [cookie, expectedText] of [
    ['TH', 'รหัส OTP ของคุณคือ'],
    ['LA', 'ລະຫັດ OTP ຂອງທ່ານແມ່ນ'],
    ['EN', 'Your OTP is'],
  ] as const) {
    const phone = newPhone();
    const headers = { cookie: `language=${cookie}` };
    const { body } = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, headers });
    const message = await readNewestSms(system, phone);
    assert.ok(message?.text.includes(expectedText), message?.text);
    assert.match(message?.code ?? '', /^\d{6}$/);
    assert.equal(message?.ref, body.otpRef);
  }
});

test('the right code proves the phone for 30 minutes: OTP_VERIFIED when sending and verifying [R-REG-08]', async () => {
  const phone = newPhone();
  const { otpToken, code } = await sendTo(phone);
  const verifyReply = await verify(otpToken, code);
  assert.equal(verifyReply.status, 200);
  assertRefused(await verify(otpToken, code), 'OTP_VERIFIED');
  clock.advance(29 * MINUTE_MS);
  const repeatedReply = await sendOtp(phone);
  assert.equal(repeatedReply.status, 200);
  assert.deepEqual(repeatedReply.body, {
    otpRef: '',
    otpToken: '',
    code: 'OTP_VERIFIED',
    expiresAt: verifyReply.body.verifiedUntil,
  });
  clock.advance(MINUTE_MS + SECOND_MS);
  assertRefused(await verify(otpToken, code), 'OTP_NOT_EXIST');
  assert.equal((await sendOtp(phone)).body.code, 'OTP_SENT');
});

test('an unknown otpToken is OTP_TOKEN_INVALID [R-REG-08]', async () => {
  const { otpToken, code } = await sendTo(newPhone());
  assertRefused(await verify('x'.repeat(43), code), 'OTP_TOKEN_INVALID');
  assertRefused(await verify('', code), 'OTP_TOKEN_INVALID');
  assertRefused(await verify(undefined, code), 'OTP_TOKEN_INVALID');
  assertRefused(await verify(7, code), 'OTP_TOKEN_INVALID', 'otpToken');
  assertRefused(await verify(`${otpToken.slice(0, -1)}!`, code), 'OTP_TOKEN_INVALID');
});

test('the code of one phone does not prove another', async () => {
  const [ownOrder, otherOrder] = [await sendTo(newPhone()), await sendTo(newPhone())];
  if (ownOrder.code !== otherOrder.code)
    assertRefused(await verify(otherOrder.otpToken, ownOrder.code), 'OTP_CODE_INVALID');
  assert.equal((await verify(otherOrder.otpToken, otherOrder.code)).status, 200);
});

test('after a resend the previous token is OTP_NOT_EXIST and the new code verifies [R-REG-08]', async () => {
  const phone = newPhone();
  const first = await sendTo(phone);
  assertRefused(await sendOtp(phone), 'REQUEST_LIMIT_1MIN');
  clock.advance(59 * SECOND_MS);
  assertRefused(await sendOtp(phone), 'REQUEST_LIMIT_1MIN');
  clock.advance(2 * SECOND_MS);
  const second = await sendTo(phone);
  assertRefused(await verify(first.otpToken, first.code), 'OTP_NOT_EXIST');
  assert.equal((await verify(second.otpToken, second.code)).status, 200);
});

test('SMS codes sent while the clock was weeks ahead do not block later ones', async () => {
  const phone = newPhone();
  clock.advance(40 * 24 * 60 * MINUTE_MS);
  await sendTo(phone);
  clock.advance(-40 * 24 * 60 * MINUTE_MS);
  const { otpToken, code } = await sendTo(phone);
  assertRefused(await sendOtp(phone), 'REQUEST_LIMIT_1MIN');
  assert.equal((await verify(otpToken, code)).status, 200);
});

test('an SMS code older than five minutes is OTP_EXPIRED [R-REG-08]', async () => {
  const { otpToken, code } = await sendTo(newPhone());
  clock.advance(5 * MINUTE_MS + SECOND_MS);
  assertRefused(await verify(otpToken, code), 'OTP_EXPIRED');
});

test('a wrong code is OTP_CODE_INVALID, and the fifth wrong code OTP_BLOCK for 15 minutes [R-REG-08]', async () => {
  const phone = newPhone();
  const { otpToken, code, wrong } = await sendTo(phone);
  for (let attempt = 0; attempt < 4; attempt += 1) assertRefused(await verify(otpToken, wrong), 'OTP_CODE_INVALID');
  assertRefused(await verify(otpToken, wrong), 'OTP_BLOCK');
  assertRefused(await verify(otpToken, code), 'OTP_BLOCK');
  clock.advance(2 * MINUTE_MS);
  const blockedReply = await sendOtp(phone);
  assertRefused(blockedReply, 'OTP_BLOCK');
  const wait = Number(blockedReply.headers.get('retry-after'));
  assert.ok(wait > 12 * 60 && wait <= 13 * 60, `retry after ${wait} s`);
  clock.advance(13 * MINUTE_MS + SECOND_MS);
  assertRefused(await verify(otpToken, code), 'OTP_NOT_EXIST');
  const fresh = await sendTo(phone);
  assert.equal((await verify(fresh.otpToken, fresh.code)).status, 200);
});

test('an SMS code without six digits is OTP_CODE_INVALID and uses no attempt', async () => {
  const { otpToken, code } = await sendTo(newPhone());
  for (const typedCode of ['', '12', 'abcdef', `${code}0`, code.slice(1), `A${code}`, '0812345678'])
    assertRefused(await verify(otpToken, typedCode), 'OTP_CODE_INVALID');
  assert.equal((await verify(otpToken, code)).status, 200);
});

test('of many concurrent attempts at a code five are checked', async () => {
  const { otpToken, code, wrong } = await sendTo(newPhone());
  const replies = await Promise.all(Array.from({ length: 20 }, () => verify(otpToken, wrong)));
  const messages = replies.map((reply) => reply.body.message as string);
  assert.equal(messages.filter((message) => message === 'OTP_CODE_INVALID').length, 4);
  assert.equal(messages.filter((message) => message === 'OTP_BLOCK').length, 16);
  assertRefused(await verify(otpToken, code), 'OTP_BLOCK');
});

test('the right code sent repeatedly at the same moment proves the phone once', async () => {
  const { otpToken, code } = await sendTo(newPhone());
  const replies = await Promise.all(Array.from({ length: 10 }, () => verify(otpToken, code)));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  assert.equal(replies.filter(({ body }) => body.message === 'OTP_VERIFIED').length, 9);
});

test('one phone gets five codes an hour, then OTP_BLOCK until the first is an hour old [R-REG-08]', async () => {
  const phone = newPhone();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    await sendTo(phone);
    clock.advance(61 * SECOND_MS);
  }
  clock.advance(54 * MINUTE_MS);
  assertRefused(await sendOtp(phone), 'OTP_BLOCK');
  clock.advance(MINUTE_MS);
  assert.equal((await sendOtp(phone)).status, 200);
});

test('concurrent requests for one phone send one SMS', async () => {
  const phone = newPhone();
  const replies = await Promise.all(Array.from({ length: 8 }, () => sendOtp(phone)));
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  assert.equal(replies.filter(({ body }) => body.message === 'REQUEST_LIMIT_1MIN').length, 7);
  const { body } = await system.simulatorsApi(`GET /phone/messages?to=${phone}`);
  assert.equal(body.length, 1);
});

for (const fault of ['decline', 'error-500', 'garbage', 'timeout-lost', 'timeout-applied']) {
  test(`an SMS gateway that fails (${fault}) is OTP_SEND_FAIL, and no code counts as sent [R-REG-08]`, async () => {
    const phone = newPhone();
    const earlierOrder = await sendTo(phone);
    clock.advance(61 * SECOND_MS);
    await injectFault(system, { target: 'sms', fault });
    assertRefused(await sendOtp(phone), 'OTP_SEND_FAIL');
    const { rows } = await system.database.query('select state from otp where phone = $1', [phone]);
    assert.deepEqual(rows, [{ state: 'live' }], 'only the code from before is there');
    assert.equal((await verify(earlierOrder.otpToken, earlierOrder.code)).status, 200, 'and it still holds');
  });
}

test('after a failed SMS gateway another code can be requested immediately', async () => {
  const phone = newPhone();
  await injectFault(system, { target: 'sms', fault: 'decline' });
  assertRefused(await sendOtp(phone), 'OTP_SEND_FAIL');
  const { otpToken, code } = await sendTo(phone);
  assert.equal((await verify(otpToken, code)).status, 200);
});

test('a phone without 10 digits is PHONE_NUMBER_REQUIRE_10_DIGIT', async () => {
  for (const phone of [
    '',
    '081234567',
    '08123456789',
    '08-1234567',
    'abcdefghij',
    '０８１２３４５６７',
    undefined,
    812345678,
    {},
  ]) {
    assertRefused(await sendOtp(phone), 'PHONE_NUMBER_REQUIRE_10_DIGIT');
  }
});

test('10 digits outside every mobile range are INVALID_USER_INFO, and the gateway is never called', async () => {
  const countSms = async (): Promise<number> =>
    (await system.simulatorsApi('GET /control/calls?target=sms&limit=1000')).body.length;
  const before = await countSms();
  for (const phone of ['0212345678', '0312345678', '0531234567', '0712345678', '0000000000', '2012345678'])
    assertRefused(await sendOtp(phone), 'INVALID_USER_INFO', 'PHONE_NOT_MOBILE');
  assert.equal(await countSms(), before);
});

test('a phone with country code, blanks, dashes, Thai or Lao digits is the same phone', async () => {
  const phone = newPhone();
  const [a, b, c] = [phone.slice(1, 3), phone.slice(3, 6), phone.slice(6)];
  const phoneInDigits = (zero: number) => phone.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
  assert.equal((await sendOtp(`+66 ${a} ${b} ${c}`)).body.code, 'OTP_SENT');
  assert.match((await readNewestSms(system, phone))?.code ?? '', /^\d{6}$/);
  for (const writtenNumber of [
    phone,
    `66${a}${b}${c}`,
    `0066 ${a}-${b}-${c}`,
    `+66 (0)${a} ${b} ${c}`,
    `0${a}-${b}-${c}`,
    `\u202a+66 ${a} ${b} ${c}\u202c`,
    phoneInDigits(0x0e50),
    phoneInDigits(0x0ed0),
    phoneInDigits(0x0660),
    phoneInDigits(0xff10),
  ]) {
    assertRefused(await sendOtp(writtenNumber), 'REQUEST_LIMIT_1MIN');
  }
});

test('a code is accepted in Thai, Lao, Arabic or full-width digits, and with blanks', async () => {
  for (const zero of [0x0e50, 0x0ed0, 0x0660, 0xff10]) {
    const { otpToken, code } = await sendTo(newPhone());
    const writtenNumber = code.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
    assert.equal((await verify(otpToken, ` ${writtenNumber.slice(0, 3)} ${writtenNumber.slice(3)}`)).status, 200);
  }
});

test('the reply to a request for a code does not reveal who is a member', async () => {
  const phone = newPhone();
  await verifyPhone(system, phone);
  clock.advance(31 * MINUTE_MS);
  const [knownPhoneReply, unknownPhoneReply] = [await sendOtp(phone), await sendOtp(newPhone())];
  assert.equal(knownPhoneReply.status, unknownPhoneReply.status);
  assert.deepEqual(Object.keys(knownPhoneReply.body), Object.keys(unknownPhoneReply.body));
  assert.equal(knownPhoneReply.body.code, unknownPhoneReply.body.code);
});

test('a database failure during verification is OTP_VERIFY_FAIL, and the code stays valid [R-REG-08]', async () => {
  const { otpToken, code } = await sendTo(newPhone());
  await system.database.query('alter table otp rename column wrong_tries to hidden');
  try {
    assertRefused(await verify(otpToken, code), 'OTP_VERIFY_FAIL');
  } finally {
    await system.database.query('alter table otp rename column hidden to wrong_tries');
  }
  assert.equal((await verify(otpToken, code)).status, 200);
});

test('neither SMS code nor otpToken can be read from the database', async () => {
  const { otpToken, code } = await sendTo(newPhone());
  const { rows } = await system.database.query<{ row: string }>('select otp::text as row from otp');
  const text = rows.map(({ row }) => row).join('\n');
  assert.ok(!text.includes(otpToken));
  // Six digits also occur in phone numbers, hashes and fractions of a second.
  assert.doesNotMatch(text, new RegExp(`(?<![\\w.])${code}(?!\\w)`));
});
