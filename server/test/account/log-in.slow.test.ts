import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hash as argon2 } from '@node-rs/argon2';
import { hashPassword, verifyPassword } from '../../src/platform/crypto/password.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { logIn, newPhone, readNewestSms, registerMember, registrationBody, verifyPhone } from '../harness/members.ts';
import { movableClock } from '../harness/movable-clock.ts';
import { setRateLimits, setSettings } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

const clock = movableClock();
let system: System;
before(async () => {
  system = await startSystem({ clock });
});
after(() => system.stop());

const attemptLogIn = (username: unknown, password: unknown, address?: string): Promise<ApiReply> =>
  system.api('POST /api/login', {
    body: { username, password },
    ...(address ? { headers: { 'x-forwarded-for': address } } : {}),
  });

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

test('login with an unknown phone or a wrong password gets the same reply, byte for byte [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  const [wrongPasswordReply, unknownPhoneReply] = [
    await attemptLogIn(member.phone, 'not the password'),
    await attemptLogIn(newPhone(), member.password),
  ];
  assertRefused(wrongPasswordReply, 'WRONG_CREDENTIAL');
  assert.deepEqual(unknownPhoneReply.body, wrongPasswordReply.body);
  assert.equal(unknownPhoneReply.status, wrongPasswordReply.status);
  const headerNames = (reply: ApiReply): string[] => [...reply.headers.keys()].toSorted();
  assert.deepEqual(headerNames(unknownPhoneReply), headerNames(wrongPasswordReply));
});

test('login with an unknown phone or a wrong password takes the same time: both compute a hash [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  await setRateLimits(system, {
    'login.failure.phone-address': 1000,
    'login.failure.phone': 1000,
    'login.failure.address': 10_000,
  });
  // Processor time of this process, which also runs the server: hashing dominates the time of a login on any machine.
  const measureCpuCost = async (action: () => Promise<unknown>): Promise<number> => {
    const start = process.cpuUsage();
    await action();
    const { user, system: kernelTime } = process.cpuUsage(start);
    return user + kernelTime;
  };
  const failLogIn = (phone: string) => async (): Promise<void> =>
    assertRefused(await attemptLogIn(phone, 'not the password'), 'WRONG_CREDENTIAL');
  const passwordHash = await hashPassword('some password');
  const [wrongPasswordCosts, unknownPhoneCosts, hash]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < 21; round += 1) {
    hash.push(await measureCpuCost(() => verifyPassword(passwordHash, 'not the password')));
    wrongPasswordCosts.push(await measureCpuCost(failLogIn(member.phone)));
    unknownPhoneCosts.push(await measureCpuCost(failLogIn(newPhone())));
  }
  await setRateLimits(system, {
    'login.failure.phone-address': 5,
    'login.failure.phone': 30,
    'login.failure.address': 100,
  });
  await system.database.query('truncate rate_limit');
  const medianSummary = `medians of hash, wrong and unknown: ${median(hash)}, ${median(wrongPasswordCosts)}, ${median(unknownPhoneCosts)} µs`;
  assert.ok(median(unknownPhoneCosts) > 0.7 * median(hash), medianSummary);
  const ratio = median(unknownPhoneCosts) / median(wrongPasswordCosts);
  assert.ok(ratio > 0.6 && ratio < 1.67, medianSummary);
});

test('a password matches in composed and decomposed Unicode, and with combining marks in any order', async () => {
  for (const [registeredPassword, typedPassword] of [
    ['ma\u00f1ana-2027', 'man\u0303ana-2027'],
    ['man\u0303ana-2027', 'ma\u00f1ana-2027'],
    ['\u0e1b\u0e39\u0e48-\u0e22\u0e48\u0e32-2027', '\u0e1b\u0e48\u0e39-\u0e22\u0e48\u0e32-2027'],
    ['\u0e9b\u0ec8\u0eb9-\u0e8d\u0ec8\u0eb2-2027', '\u0e9b\u0eb9\u0ec8-\u0e8d\u0ec8\u0eb2-2027'],
  ] as const) {
    const member = await registerMember(system, { password: registeredPassword });
    assert.equal((await attemptLogIn(member.phone, typedPassword)).status, 200, typedPassword);
    assert.equal((await attemptLogIn(member.phone, registeredPassword)).status, 200, registeredPassword);
    const changeBody = { oldPassword: typedPassword, newPassword: `new ${typedPassword}` };
    const changeReply = await system.api('PUT /api/account/changepwd', { token: member.token, body: changeBody });
    assert.equal(changeReply.status, 200, JSON.stringify(changeReply.body));
    assert.equal((await attemptLogIn(member.phone, `new ${registeredPassword}`)).status, 200, registeredPassword);
    assertRefused(await attemptLogIn(member.phone, registeredPassword), 'WRONG_CREDENTIAL');
  }
});

test('a password hash stored from decomposed Unicode by an earlier version still accepts that text', async () => {
  const member = await registerMember(system);
  const decomposedPassword = 'man\u0303ana-2027';
  await system.database.query('update member set password_hash = $2 where id = $1', [
    member.id,
    await argon2(decomposedPassword, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }),
  ]);
  assert.equal((await attemptLogIn(member.phone, decomposedPassword)).status, 200);
  assertRefused(await attemptLogIn(member.phone, 'manana-2027'), 'WRONG_CREDENTIAL');
  const body = { oldPassword: decomposedPassword, newPassword: decomposedPassword };
  assert.equal((await system.api('PUT /api/account/changepwd', { token: member.token, body })).status, 200);
  assert.equal((await attemptLogIn(member.phone, 'ma\u00f1ana-2027')).status, 200);
});

test('blanks, character width, emoji and every character of a long password count, and NUL is refused', async () => {
  const longPassword = `😀${'ก'.repeat(60)}`;
  const member = await registerMember(system, { password: `${longPassword}1 ` });
  assert.equal((await attemptLogIn(member.phone, `${longPassword}1 `)).status, 200);
  for (const wrongPassword of [
    `${longPassword}1`,
    `${longPassword}2 `,
    `${longPassword}１ `,
    ` ${longPassword}1 `,
    longPassword,
  ]) {
    assertRefused(await attemptLogIn(member.phone, wrongPassword), 'WRONG_CREDENTIAL');
    assert.equal((await attemptLogIn(member.phone, `${longPassword}1 `)).status, 200);
  }
  assertRefused(await attemptLogIn(member.phone, `${longPassword}\u0000`), 'WRONG_CREDENTIAL', 'password', 400);
});

test('missing, empty, over-long and ill-typed credentials are WRONG_CREDENTIAL [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  assertRefused(await attemptLogIn('', ''), 'WRONG_CREDENTIAL');
  assertRefused(await attemptLogIn(undefined, undefined), 'WRONG_CREDENTIAL');
  assertRefused(await attemptLogIn(member.phone, ''), 'WRONG_CREDENTIAL');
  assertRefused(await attemptLogIn(member.phone, { $ne: '' }), 'WRONG_CREDENTIAL', 'password', 400);
  assertRefused(await attemptLogIn(member.phone, 'x'.repeat(300)), 'WRONG_CREDENTIAL', 'password', 400);
  assertRefused(await attemptLogIn(`${member.phone}' or '1'='1`, member.password), 'WRONG_CREDENTIAL');
});

test('a phone with country code, blanks, dashes, Thai or Lao digits logs in the same member', async () => {
  const { phone, password } = await registerMember(system);
  const [a, b, c] = [phone.slice(1, 3), phone.slice(3, 6), phone.slice(6)];
  const phoneInDigits = (zero: number) => phone.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
  for (const writtenNumber of [`+66 ${a} ${b} ${c}`, `0${a}-${b}-${c}`, phoneInDigits(0x0e50), phoneInDigits(0x0ed0)])
    assert.ok(await logIn(system, writtenNumber, password), writtenNumber);
});

test('login of an inactive member is INACTIVE_USER with the right password, else WRONG_CREDENTIAL [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  await system.database.query(`update member set status = 'inactive' where id = $1`, [member.id]);
  assertRefused(await attemptLogIn(member.phone, member.password), 'INACTIVE_USER');
  assertRefused(await attemptLogIn(member.phone, 'not the password'), 'WRONG_CREDENTIAL');
});

test('a restricted member is INVALID_USER_4 with the reason; a deleted one is WRONG_CREDENTIAL [R-NET-06]', async () => {
  const member = await registerMember(system);
  await system.database.query(
    `update member set status = 'restricted', status_reason = 'SELF_EXCLUDED' where id = $1`,
    [member.id],
  );
  assertRefused(await attemptLogIn(member.phone, member.password), 'INVALID_USER_4', 'SELF_EXCLUDED');
  await system.database.query(`update member set status = 'deleted' where id = $1`, [member.id]);
  assertRefused(await attemptLogIn(member.phone, member.password), 'WRONG_CREDENTIAL');
});

test('the sixth failed login in a minute is REQUEST_LIMIT_1MIN, even with the right password, until the minute is over [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    assertRefused(await attemptLogIn(member.phone, 'not the password'), 'WRONG_CREDENTIAL');
  }
  const limitedReply = await attemptLogIn(member.phone, member.password);
  assertRefused(limitedReply, 'REQUEST_LIMIT_1MIN');
  const wait = Number(limitedReply.headers.get('retry-after'));
  assert.ok(wait > 0 && wait <= 60, `retry after ${wait} s`);
  clock.advance(61_000);
  assert.equal((await attemptLogIn(member.phone, member.password)).status, 200);
});

test('concurrent wrong passwords are each counted', async () => {
  const member = await registerMember(system);
  const replies = await Promise.all(Array.from({ length: 20 }, () => attemptLogIn(member.phone, 'not the password')));
  const messages = replies.map((reply) => reply.body.message as string);
  assert.equal(messages.filter((message) => message === 'WRONG_CREDENTIAL').length, 5);
  assert.equal(messages.filter((message) => message === 'REQUEST_LIMIT_1MIN').length, 15);
});

test('successful logins are not limited', async () => {
  const member = await registerMember(system);
  for (let count = 0; count < 12; count += 1) assert.ok(await logIn(system, member.phone, member.password));
});

test('wrong passwords for a phone from many addresses are REQUEST_LIMIT; the member can log in from a known address [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  assert.equal((await system.api('POST /api/logout', { token: member.token })).status, 200);
  for (let attempt = 0; attempt < 30; attempt += 1) {
    assertRefused(await attemptLogIn(member.phone, 'not the password', `203.0.113.${attempt}`), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attemptLogIn(member.phone, 'not the password', '203.0.113.200'), 'REQUEST_LIMIT');
  assert.equal((await attemptLogIn(member.phone, member.password)).status, 200, 'from an address that the member uses');
});

test('an address with failed logins for many phones is REQUEST_LIMIT; another address is not [R-LOGIN-06]', async () => {
  await setRateLimits(system, { 'login.failure.address': 4 });
  for (let attempt = 0; attempt < 4; attempt += 1) {
    assertRefused(await attemptLogIn(newPhone(), 'not the password', '198.51.100.1'), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attemptLogIn(newPhone(), 'not the password', '198.51.100.1'), 'REQUEST_LIMIT');
  assertRefused(await attemptLogIn(newPhone(), 'not the password', '198.51.100.2'), 'WRONG_CREDENTIAL');
  await setRateLimits(system, { 'login.failure.address': 100 });
});

/** Uses up the failures of an address with unregistered phones. */
async function exhaustAttempts(address: string): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    assertRefused(await attemptLogIn(newPhone(), 'not the password', address), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attemptLogIn(newPhone(), 'not the password', address), 'REQUEST_LIMIT');
}

test('failed logins of others at an address do not block a member who logged in there before', async () => {
  const [regularMember, newMember] = [await registerMember(system), await registerMember(system)];
  await setRateLimits(system, { 'login.failure.address': 4 });
  for (const [before, attackerAddress, now] of [
    ['198.51.100.30', '198.51.100.30', '198.51.100.30:4711'],
    ['2001:db8:30::1', '2001:db8:30::bad', '2001:db8:30:0:1:2:3:4'],
  ] as const) {
    assert.equal((await attemptLogIn(regularMember.phone, regularMember.password, before)).status, 200);
    await exhaustAttempts(attackerAddress);
    assertRefused(await attemptLogIn(newMember.phone, newMember.password, now), 'REQUEST_LIMIT');
    assertRefused(await attemptLogIn(regularMember.phone, 'not the password', now), 'WRONG_CREDENTIAL');
    assert.equal((await attemptLogIn(regularMember.phone, regularMember.password, now)).status, 200);
  }
  clock.advance(901_000);
  assert.equal(
    (await attemptLogIn(newMember.phone, newMember.password, '198.51.100.30')).status,
    200,
    'over in 15 minutes',
  );
  await setRateLimits(system, { 'login.failure.address': 100 });
});

test('a member who registered or proved the phone at an address can log in there after others used up its failures [R-OPS-09]', async () => {
  const headers = { 'x-forwarded-for': '198.51.100.60' };
  await setRateLimits(system, { 'login.failure.address': 4, 'login.failure.known': 3 });
  await exhaustAttempts(headers['x-forwarded-for']);
  const registration = registrationBody();
  const { username: phone = '', password } = registration;
  await verifyPhone(system, phone);
  assert.equal((await system.api('POST /api/account', { body: registration })).status, 200);
  const limited = await attemptLogIn(phone, password, headers['x-forwarded-for']);
  assertRefused(limited, 'REQUEST_LIMIT', 'PROVE_PHONE');
  const seconds = Number(limited.headers.get('retry-after'));
  assert.ok(seconds > 840 && seconds <= 900, `retry after ${seconds} s`);
  clock.advance(61_000);
  const sent = await system.api('POST /api/otp/send', { body: { phoneNumber: phone }, headers });
  // The phone was proved at another address.
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const otpCode = (await readNewestSms(system, phone))?.code;
  const proof = { otpToken: sent.body.otpToken, otpCode };
  assert.equal((await system.api('POST /api/otp/verify', { body: proof, headers })).status, 200);
  assert.equal((await attemptLogIn(phone, password, headers['x-forwarded-for'])).status, 200, 'proved');

  await setSettings(system, { registerOTP: false });
  const unproved = registrationBody();
  assert.equal((await system.api('POST /api/account', { body: unproved, headers })).status, 200);
  await setSettings(system, { registerOTP: true });
  for (let attempt = 0; attempt < 2; attempt += 1)
    assertRefused(
      await attemptLogIn(unproved.username, 'not the password', headers['x-forwarded-for']),
      'WRONG_CREDENTIAL',
    );
  assert.equal((await attemptLogIn(unproved.username, unproved.password, headers['x-forwarded-for'])).status, 200);
  for (let attempt = 0; attempt < 3; attempt += 1)
    assertRefused(
      await attemptLogIn(unproved.username, 'not the password', headers['x-forwarded-for']),
      'WRONG_CREDENTIAL',
    );
  const used = await attemptLogIn(unproved.username, unproved.password, headers['x-forwarded-for']);
  assertRefused(used, 'REQUEST_LIMIT');
  assert.equal(used.body.detail, undefined, 'a proof does not help where the network is known');
  await setRateLimits(system, { 'login.failure.address': 100, 'login.failure.known': 30 });
});

test('failed logins of a member at a known address block only this member there, until the window ends', async () => {
  const [guessedMember, otherMember] = [await registerMember(system), await registerMember(system)];
  await setRateLimits(system, { 'login.failure.known': 3 });
  const address = '198.51.100.40';
  for (const member of [guessedMember, otherMember]) {
    assert.equal((await attemptLogIn(member.phone, member.password, address)).status, 200);
  }
  for (let attempt = 0; attempt < 3; attempt += 1) {
    assertRefused(await attemptLogIn(guessedMember.phone, 'not the password', address), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attemptLogIn(guessedMember.phone, guessedMember.password, address), 'REQUEST_LIMIT');
  clock.advance(61_000);
  assertRefused(await attemptLogIn(guessedMember.phone, guessedMember.password, address), 'REQUEST_LIMIT');
  assert.equal((await attemptLogIn(otherMember.phone, otherMember.password, address)).status, 200);
  assert.equal(
    (await attemptLogIn(guessedMember.phone, guessedMember.password)).status,
    200,
    'from another address they used',
  );
  clock.advance(901_000);
  assert.equal((await attemptLogIn(guessedMember.phone, guessedMember.password, address)).status, 200);
  await setRateLimits(system, { 'login.failure.known': 30 });
});

test('wrong passwords for many members known at one address share a limit of that address', async () => {
  const address = '198.51.100.50';
  const members = [await registerMember(system), await registerMember(system), await registerMember(system)];
  await setRateLimits(system, { 'login.failure.known.address': 4 });
  for (const { phone, password } of members) assert.equal((await attemptLogIn(phone, password, address)).status, 200);
  for (const { phone } of [...members, ...members].slice(0, 4)) {
    assertRefused(await attemptLogIn(phone, 'not the password', address), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attemptLogIn(members[2]?.phone, 'not the password', address), 'REQUEST_LIMIT');
  assertRefused(await attemptLogIn(newPhone(), 'not the password', address), 'WRONG_CREDENTIAL');
  await setRateLimits(system, { 'login.failure.known.address': 1000 });
});

test('login is LOGIN_FAIL when the session cannot be stored [R-NET-06]', async () => {
  const member = await registerMember(system);
  await system.database.query('alter table member_session add constraint refuse check (created_at is null) not valid');
  try {
    assertRefused(await attemptLogIn(member.phone, member.password), 'LOGIN_FAIL');
  } finally {
    await system.database.query('alter table member_session drop constraint refuse');
  }
});

test('neither password nor token can be read from the database', async () => {
  const member = await registerMember(system, { password: 'canary-in-the-coal-mine' });
  const { rows } = await system.database.query<{ row: string }>(
    'select member::text as row from member union all select member_session::text from member_session',
  );
  const text = rows.map(({ row }) => row).join('\n');
  assert.ok(!text.includes('canary-in-the-coal-mine'));
  assert.ok(!text.includes(member.token));
  assert.ok(text.includes('$argon2id$v=19$m=19456,t=2,p=1$'));
});
