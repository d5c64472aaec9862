import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { logIn, registerMember } from '../harness/members.ts';
import { movableClock } from '../harness/movable-clock.ts';
import { startSystem, type System } from '../harness/system.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

const clock = movableClock();
let system: System;
before(async () => {
  system = await startSystem({ clock });
});
after(() => system.stop());

const readProfile = (token?: string): Promise<ApiReply> => system.api('GET /api/account/profile', { token });
const changePassword = (token: string, oldPassword: unknown, newPassword: unknown): Promise<ApiReply> =>
  system.api('PUT /api/account/changepwd', { token, body: { oldPassword, newPassword } });

test('a call without token is UNAUTHORIZED, with an invented or malformed token invalid-token [R-LOGIN-07]', async () => {
  const { token } = await registerMember(system);
  assertRefused(await readProfile(), 'UNAUTHORIZED');
  for (const wrongToken of ['z'.repeat(43), `${token}x`, token.slice(1), 'a.b.c', `${token} ${token}`, '']) {
    assertRefused(await readProfile(wrongToken), 'invalid-token');
  }
  assertRefused(await system.api('GET /api/account/profile', { headers: { authorization: token } }), 'invalid-token');
  assertRefused(
    await system.api('GET /api/account/profile', { headers: { authorization: `Basic ${token}` } }),
    'invalid-token',
  );
  assert.equal((await readProfile(token)).status, 200);
});

test('logout ends this session only; its token is invalid-token afterwards [R-LOGIN-07]', async () => {
  const member = await registerMember(system);
  const otherToken = await logIn(system, member.phone, member.password);
  assert.deepEqual((await system.api('POST /api/logout', { token: member.token })).body, { message: 'OK' });
  assertRefused(await readProfile(member.token), 'invalid-token');
  assertRefused(await system.api('POST /api/logout', { token: member.token }), 'invalid-token');
  assert.equal((await readProfile(otherToken)).status, 200);
});

test('a session ends after 12 hours, or 30 days with remember me: EXPIRED_AUTH_TOKEN [R-LOGIN-07]', async () => {
  const member = await registerMember(system);
  const { body } = await system.api('POST /api/login', {
    body: { username: member.phone, password: member.password, remember: true },
  });
  assert.ok(Math.abs(Date.parse(body.expiresAt) - clock.now().getTime() - 30 * DAY_MS) < 60_000);
  clock.advance(12 * HOUR_MS - 60_000);
  assert.equal((await readProfile(member.token)).status, 200);
  clock.advance(60_000);
  assertRefused(await readProfile(member.token), 'EXPIRED_AUTH_TOKEN');
  assert.equal((await readProfile(body.token)).status, 200);
  clock.advance(30 * DAY_MS);
  assertRefused(await readProfile(body.token), 'EXPIRED_AUTH_TOKEN');
});

test("a changed password ends the member's other sessions (INVALID_USER_2) and keeps the current one [R-LOGIN-07]", async () => {
  const member = await registerMember(system);
  const otherToken = await logIn(system, member.phone, member.password, true);
  assert.deepEqual((await changePassword(member.token, member.password, 'blue-basket-28')).body, { message: 'OK' });
  assert.equal((await readProfile(member.token)).status, 200);
  assertRefused(await readProfile(otherToken), 'INVALID_USER_2');
  const logInWith = (password: string): Promise<ApiReply> =>
    system.api('POST /api/login', { body: { username: member.phone, password } });
  assertRefused(await logInWith(member.password), 'WRONG_CREDENTIAL');
  assert.equal((await logInWith('blue-basket-28')).status, 200);
});

test('a wrong old password is WRONG_PASSWORD, an unacceptable new one INVALID_USER_INFO, and nothing changes [R-NET-06]', async () => {
  const member = await registerMember(system);
  const otherToken = await logIn(system, member.phone, member.password);
  assertRefused(await changePassword(member.token, 'not the password', 'blue-basket-28'), 'WRONG_PASSWORD');
  for (const unfitPassword of ['', 'short-7', member.phone, 'x'.repeat(129)]) {
    assertRefused(
      await changePassword(member.token, member.password, unfitPassword),
      'INVALID_USER_INFO',
      'newPassword',
    );
  }
  assertRefused(await changePassword(member.token, member.password, 12_345_678), 'INVALID_USER_INFO', 'newPassword');
  assertRefused(await changePassword(member.token, undefined, 'blue-basket-28'), 'INVALID_USER_INFO', 'oldPassword');
  assert.equal((await readProfile(otherToken)).status, 200);
  assert.ok(await logIn(system, member.phone, member.password));
});

test('more than five wrong old passwords in a minute are REQUEST_LIMIT_1MIN', async () => {
  const member = await registerMember(system);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    assertRefused(await changePassword(member.token, 'not the password', 'blue-basket-28'), 'WRONG_PASSWORD');
  }
  assertRefused(await changePassword(member.token, member.password, 'blue-basket-28'), 'REQUEST_LIMIT_1MIN');
  clock.advance(61_000);
  assert.equal((await changePassword(member.token, member.password, 'blue-basket-28')).status, 200);
});

test('of two concurrent password changes one succeeds', async () => {
  const member = await registerMember(system);
  const replies = await Promise.all([
    changePassword(member.token, member.password, 'blue-basket-28'),
    changePassword(member.token, member.password, 'pink-basket-29'),
  ]);
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 400],
  );
});

test("a change of a member by an operator applies to the member's next call [R-NET-06]", async () => {
  const member = await registerMember(system);
  const setMemberStatus = (status: string, reason = ''): Promise<unknown> =>
    system.database.query('update member set status = $2, status_reason = $3 where id = $1', [
      member.id,
      status,
      reason,
    ]);
  await setMemberStatus('restricted', 'TIME_OUT');
  assertRefused(await readProfile(member.token), 'INVALID_USER_4', 'TIME_OUT');
  await setMemberStatus('inactive');
  assertRefused(await readProfile(member.token), 'INVALID_USER_2', 'DEACTIVATED');
  await setMemberStatus('deleted');
  assertRefused(await readProfile(member.token), 'INVALID_USER_1');
  await setMemberStatus('active');
  assert.equal((await readProfile(member.token)).status, 200);
});

test('the profile of a member without a bank account is shown', async () => {
  const member = await registerMember(system);
  await system.database.query('delete from member_bank_account where member_id = $1', [member.id]);
  assert.equal((await readProfile(member.token)).body.bankAccount, null);
});
