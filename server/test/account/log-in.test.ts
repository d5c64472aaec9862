import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hash as argon2 } from '@node-rs/argon2';
import { hashPassword, verifyPassword } from '../../src/platform/crypto/password.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { logIn, newPhone, registerMember } from '../harness/members.ts';
import { movableClock } from '../harness/movable-clock.ts';
import { setLimits } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';

const clock = movableClock();
let system: System;
before(async () => {
  system = await startSystem({ clock });
});
after(() => system.stop());

const attempt = (username: unknown, password: unknown, address?: string): Promise<ApiReply> =>
  system.api('POST /api/login', {
    body: { username, password },
    ...(address ? { headers: { 'x-forwarded-for': address } } : {}),
  });

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

test('unknown phone and wrong password answer the same, byte for byte [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  const [wrong, unknown] = [
    await attempt(member.phone, 'not the password'),
    await attempt(newPhone(), member.password),
  ];
  assertRefused(wrong, 'WRONG_CREDENTIAL');
  assert.deepEqual(unknown.body, wrong.body);
  assert.equal(unknown.status, wrong.status);
  const names = (reply: ApiReply): string[] => [...reply.headers.keys()].toSorted();
  assert.deepEqual(names(unknown), names(wrong));
});

test('unknown phone and wrong password take the same time: the hash runs for both [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  await setLimits(system, {
    'login.failure.phone-address': 1000,
    'login.failure.phone': 1000,
    'login.failure.address': 10_000,
  });
  // Processor time of this process, which is the server's too: the hash is most of a login's, however busy the machine.
  const cost = async (work: () => Promise<unknown>): Promise<number> => {
    const start = process.cpuUsage();
    await work();
    const { user, system: kernel } = process.cpuUsage(start);
    return user + kernel;
  };
  const fail = (phone: string) => async (): Promise<void> =>
    assertRefused(await attempt(phone, 'not the password'), 'WRONG_CREDENTIAL');
  const stored = await hashPassword('some password');
  const [wrong, unknown, hash]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < 21; round += 1) {
    hash.push(await cost(() => verifyPassword(stored, 'not the password')));
    wrong.push(await cost(fail(member.phone)));
    unknown.push(await cost(fail(newPhone())));
  }
  await setLimits(system, {
    'login.failure.phone-address': 5,
    'login.failure.phone': 30,
    'login.failure.address': 100,
  });
  await system.database.query('truncate rate_limit');
  const said = `medians of hash, wrong and unknown: ${median(hash)}, ${median(wrong)}, ${median(unknown)} µs`;
  assert.ok(median(unknown) > 0.7 * median(hash), said);
  const ratio = median(unknown) / median(wrong);
  assert.ok(ratio > 0.6 && ratio < 1.67, said);
});

test('a password is the same in composed and decomposed letters, and with marks in any order', async () => {
  for (const [registered, typed] of [
    ['ma\u00f1ana-2027', 'man\u0303ana-2027'],
    ['man\u0303ana-2027', 'ma\u00f1ana-2027'],
    ['\u0e1b\u0e39\u0e48-\u0e22\u0e48\u0e32-2027', '\u0e1b\u0e48\u0e39-\u0e22\u0e48\u0e32-2027'],
    ['\u0e9b\u0ec8\u0eb9-\u0e8d\u0ec8\u0eb2-2027', '\u0e9b\u0eb9\u0ec8-\u0e8d\u0ec8\u0eb2-2027'],
  ] as const) {
    const member = await registerMember(system, { password: registered });
    assert.equal((await attempt(member.phone, typed)).status, 200, typed);
    assert.equal((await attempt(member.phone, registered)).status, 200, registered);
    const change = { oldPassword: typed, newPassword: `new ${typed}` };
    const changed = await system.api('PUT /api/account/changepwd', { token: member.token, body: change });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.equal((await attempt(member.phone, `new ${registered}`)).status, 200, registered);
    assertRefused(await attempt(member.phone, registered), 'WRONG_CREDENTIAL');
  }
});

test('a hash of a decomposed text from before is still opened by that text', async () => {
  const member = await registerMember(system);
  const old = 'man\u0303ana-2027';
  await system.database.query('update member set password_hash = $2 where id = $1', [
    member.id,
    await argon2(old, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }),
  ]);
  assert.equal((await attempt(member.phone, old)).status, 200);
  assertRefused(await attempt(member.phone, 'manana-2027'), 'WRONG_CREDENTIAL');
  const body = { oldPassword: old, newPassword: old };
  assert.equal((await system.api('PUT /api/account/changepwd', { token: member.token, body })).status, 200);
  assert.equal((await attempt(member.phone, 'ma\u00f1ana-2027')).status, 200);
});

test('blanks, width, emoji and every letter of a long password count, and NUL is refused', async () => {
  const long = `😀${'ก'.repeat(60)}`;
  const member = await registerMember(system, { password: `${long}1 ` });
  assert.equal((await attempt(member.phone, `${long}1 `)).status, 200);
  for (const other of [`${long}1`, `${long}2 `, `${long}１ `, ` ${long}1 `, long]) {
    assertRefused(await attempt(member.phone, other), 'WRONG_CREDENTIAL');
    assert.equal((await attempt(member.phone, `${long}1 `)).status, 200);
  }
  assertRefused(await attempt(member.phone, `${long}\u0000`), 'WRONG_CREDENTIAL', 'password', 400);
});

test('missing, empty, over-long and ill-typed credentials are WRONG_CREDENTIAL [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  assertRefused(await attempt('', ''), 'WRONG_CREDENTIAL');
  assertRefused(await attempt(undefined, undefined), 'WRONG_CREDENTIAL');
  assertRefused(await attempt(member.phone, ''), 'WRONG_CREDENTIAL');
  assertRefused(await attempt(member.phone, { $ne: '' }), 'WRONG_CREDENTIAL', 'password', 400);
  assertRefused(await attempt(member.phone, 'x'.repeat(300)), 'WRONG_CREDENTIAL', 'password', 400);
  assertRefused(await attempt(`${member.phone}' or '1'='1`, member.password), 'WRONG_CREDENTIAL');
});

test('a phone with its country code, blanks, dashes, Thai or Lao digits logs the same member in', async () => {
  const { phone, password } = await registerMember(system);
  const [a, b, c] = [phone.slice(1, 3), phone.slice(3, 6), phone.slice(6)];
  const inDigits = (zero: number) => phone.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
  for (const written of [`+66 ${a} ${b} ${c}`, `0${a}-${b}-${c}`, inDigits(0x0e50), inDigits(0x0ed0)])
    assert.ok(await logIn(system, written, password), written);
});

test('a deactivated member is INACTIVE_USER with the right password, WRONG_CREDENTIAL with another [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  await system.database.query(`update member set status = 'inactive' where id = $1`, [member.id]);
  assertRefused(await attempt(member.phone, member.password), 'INACTIVE_USER');
  assertRefused(await attempt(member.phone, 'not the password'), 'WRONG_CREDENTIAL');
});

test('a restricted member is INVALID_USER_4 with the reason; a deleted one is WRONG_CREDENTIAL [R-NET-06]', async () => {
  const member = await registerMember(system);
  await system.database.query(
    `update member set status = 'restricted', status_reason = 'SELF_EXCLUDED' where id = $1`,
    [member.id],
  );
  assertRefused(await attempt(member.phone, member.password), 'INVALID_USER_4', 'SELF_EXCLUDED');
  await system.database.query(`update member set status = 'deleted' where id = $1`, [member.id]);
  assertRefused(await attempt(member.phone, member.password), 'WRONG_CREDENTIAL');
});

test('the sixth failure in a minute is REQUEST_LIMIT_1MIN, also with the right password, and over in a minute [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  for (let tried = 0; tried < 5; tried += 1) {
    assertRefused(await attempt(member.phone, 'not the password'), 'WRONG_CREDENTIAL');
  }
  const limited = await attempt(member.phone, member.password);
  assertRefused(limited, 'REQUEST_LIMIT_1MIN');
  const wait = Number(limited.headers.get('retry-after'));
  assert.ok(wait > 0 && wait <= 60, `retry after ${wait} s`);
  clock.advance(61_000);
  assert.equal((await attempt(member.phone, member.password)).status, 200);
});

test('guesses at one moment are counted one by one', async () => {
  const member = await registerMember(system);
  const replies = await Promise.all(Array.from({ length: 20 }, () => attempt(member.phone, 'not the password')));
  const messages = replies.map((reply) => reply.body.message as string);
  assert.equal(messages.filter((message) => message === 'WRONG_CREDENTIAL').length, 5);
  assert.equal(messages.filter((message) => message === 'REQUEST_LIMIT_1MIN').length, 15);
});

test('logins that succeed are not limited', async () => {
  const member = await registerMember(system);
  for (let count = 0; count < 12; count += 1) assert.ok(await logIn(system, member.phone, member.password));
});

test('guessing one phone from many addresses is REQUEST_LIMIT, and the member still comes in from home [R-LOGIN-06]', async () => {
  const member = await registerMember(system);
  assert.equal((await system.api('POST /api/logout', { token: member.token })).status, 200);
  for (let tried = 0; tried < 30; tried += 1) {
    assertRefused(await attempt(member.phone, 'not the password', `203.0.113.${tried}`), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attempt(member.phone, 'not the password', '203.0.113.200'), 'REQUEST_LIMIT');
  assert.equal((await attempt(member.phone, member.password)).status, 200, 'from an address that the member uses');
});

test('one address that fails with many phones is REQUEST_LIMIT; others are not [R-LOGIN-06]', async () => {
  await setLimits(system, { 'login.failure.address': 4 });
  for (let tried = 0; tried < 4; tried += 1) {
    assertRefused(await attempt(newPhone(), 'not the password', '198.51.100.1'), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attempt(newPhone(), 'not the password', '198.51.100.1'), 'REQUEST_LIMIT');
  assertRefused(await attempt(newPhone(), 'not the password', '198.51.100.2'), 'WRONG_CREDENTIAL');
  await setLimits(system, { 'login.failure.address': 100 });
});

/** Uses up the failures of an address with unregistered phones. */
async function exhaust(address: string): Promise<void> {
  for (let tried = 0; tried < 4; tried += 1) {
    assertRefused(await attempt(newPhone(), 'not the password', address), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attempt(newPhone(), 'not the password', address), 'REQUEST_LIMIT');
}

test('failures behind one address lock out no member who logged in from there before', async () => {
  const [regular, newcomer] = [await registerMember(system), await registerMember(system)];
  await setLimits(system, { 'login.failure.address': 4 });
  for (const [before, attacker, now] of [
    ['198.51.100.30', '198.51.100.30', '198.51.100.30:4711'],
    ['2001:db8:30::1', '2001:db8:30::bad', '2001:db8:30:0:1:2:3:4'],
  ] as const) {
    assert.equal((await attempt(regular.phone, regular.password, before)).status, 200);
    await exhaust(attacker);
    assertRefused(await attempt(newcomer.phone, newcomer.password, now), 'REQUEST_LIMIT');
    assertRefused(await attempt(regular.phone, 'not the password', now), 'WRONG_CREDENTIAL');
    assert.equal((await attempt(regular.phone, regular.password, now)).status, 200);
  }
  clock.advance(901_000);
  assert.equal((await attempt(newcomer.phone, newcomer.password, '198.51.100.30')).status, 200, 'over in 15 minutes');
  await setLimits(system, { 'login.failure.address': 100 });
});

test('a member’s own budget at an address is bounded, ends with its window, and is theirs alone', async () => {
  const [guessed, other] = [await registerMember(system), await registerMember(system)];
  await setLimits(system, { 'login.failure.known': 3 });
  const address = '198.51.100.40';
  for (const member of [guessed, other]) {
    assert.equal((await attempt(member.phone, member.password, address)).status, 200);
  }
  for (let tried = 0; tried < 3; tried += 1) {
    assertRefused(await attempt(guessed.phone, 'not the password', address), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attempt(guessed.phone, guessed.password, address), 'REQUEST_LIMIT');
  clock.advance(61_000);
  assertRefused(await attempt(guessed.phone, guessed.password, address), 'REQUEST_LIMIT');
  assert.equal((await attempt(other.phone, other.password, address)).status, 200);
  assert.equal((await attempt(guessed.phone, guessed.password)).status, 200, 'from another address of theirs');
  clock.advance(901_000);
  assert.equal((await attempt(guessed.phone, guessed.password, address)).status, 200);
  await setLimits(system, { 'login.failure.known': 30 });
});

test('guesses at many members known at an address share a limit of that address', async () => {
  const address = '198.51.100.50';
  const members = [await registerMember(system), await registerMember(system), await registerMember(system)];
  await setLimits(system, { 'login.failure.known.address': 4 });
  for (const { phone, password } of members) assert.equal((await attempt(phone, password, address)).status, 200);
  for (const { phone } of [...members, ...members].slice(0, 4)) {
    assertRefused(await attempt(phone, 'not the password', address), 'WRONG_CREDENTIAL');
  }
  assertRefused(await attempt(members[2]?.phone, 'not the password', address), 'REQUEST_LIMIT');
  assertRefused(await attempt(newPhone(), 'not the password', address), 'WRONG_CREDENTIAL');
  await setLimits(system, { 'login.failure.known.address': 1000 });
});

test('right credentials without a session that can be made are LOGIN_FAIL [R-NET-06]', async () => {
  const member = await registerMember(system);
  await system.database.query('alter table member_session add constraint refuse check (created_at is null) not valid');
  try {
    assertRefused(await attempt(member.phone, member.password), 'LOGIN_FAIL');
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
