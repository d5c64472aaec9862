import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import type { ApiReply } from '../../../harness/api-client.ts';
import { assertRefused } from '../../../harness/assert-refused.ts';
import { logIn, registerMember, type TestMember } from '../../../harness/members.ts';
import { startSystem, type System } from '../../../harness/system.ts';

const STRANGER = { 'x-forwarded-for': '203.0.113.7' };

let system: System;
let sessionReads = 0;
before(async () => {
  system = await startSystem({ requestsPerMinute: 300 });
  const { database } = system;
  const query = database.query.bind(database);
  database.query = (...call) => {
    if (call[2]?.name === 'sessions-of-tokens') sessionReads += 1;
    return query(...call);
  };
});
beforeEach(() => {
  sessionReads = 0;
});
after(() => system.stop());

/** Calls from an address of their own, 50 concurrently. */
async function flood(count: number, call: string, options: { token?: () => string; headers?: Record<string, string> }) {
  const replies: ApiReply[] = [];
  for (let sent = 0; sent < count; sent += 50)
    replies.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, () =>
          system.api(call, { headers: options.headers ?? STRANGER, token: options.token?.() }),
        ),
      )),
    );
  return replies;
}

const assertRetryAfter = ({ headers }: ApiReply): void => {
  const seconds = Number(headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 60, `retry after ${seconds} s`);
};

/** Distinct addresses, because a window of the limit lasts a minute. */
let addressCount = 0;
const newAddress = () => ({ 'x-forwarded-for': `203.0.113.${(addressCount += 1)}` });

async function callAs({ token }: Pick<TestMember, 'token'>, headers: Record<string, string>): Promise<ApiReply[]> {
  return Promise.all([
    system.api('GET /api/wallet', { token, headers }),
    system.api('POST /api/wallet/add', { token, headers, body: { amount: 100, bankCode: 'SCB' } }),
    system.api('GET /api/lookup/deposit', { token, headers }),
    system.api('GET /api/chat/config', { token, headers }),
  ]);
}

test('6,000 calls without a session leave members at the same address all their calls, deposits too [R-OPS-09]', async () => {
  const headers = newAddress();
  const [regular, quiet] = [await registerMember(system), await registerMember(system)];
  await callAs(regular, headers);
  const replies = await flood(6_000, 'GET /api/lookup/active', { headers });
  const refused = replies.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 5_000, `${refused.length} refused`);
  for (const reply of refused) assertRefused(reply, 'REQUEST_LIMIT', 'ADDRESS');
  refused.forEach(assertRetryAfter);
  // The second member's session has made no call in this process.
  for (const member of [regular, quiet])
    assert.deepEqual(
      (await callAs(member, headers)).map(({ status }) => status),
      [200, 200, 200, 200],
    );
});

test('invented and altered tokens count for the address, and beyond its limit cause no read [R-OPS-09]', async () => {
  const headers = newAddress();
  const { token } = await registerMember(system);
  const invented = [
    () => randomBytes(32).toString('base64url'),
    () => randomBytes(48).toString('base64url').padEnd(65, 'A'),
    () => `${randomBytes(32).toString('base64url')}${token.slice(43)}`,
    () => `${token.slice(0, -2)}${randomBytes(1).toString('hex')}`,
  ];
  await flood(350, 'GET /api/lookup/active', { headers });
  sessionReads = 0;
  for (const create of invented) {
    for (const reply of await flood(50, 'GET /api/wallet', { headers, token: create })) {
      // A random end may be the right one.
      if (reply.status !== 200) assertRefused(reply, 'REQUEST_LIMIT', 'ADDRESS');
    }
  }
  assert.ok(sessionReads <= 5, `${sessionReads} reads`);
});

test('a member over the limit is refused at every address with Retry-After and without a read; others are not [R-OPS-09]', async () => {
  const [loud, neighbour] = [await registerMember(system), await registerMember(system)];
  const other = await logIn(system, loud.phone, loud.password);
  const replies = await flood(400, 'GET /api/account/settings', { headers: newAddress(), token: () => loud.token });
  assert.equal(replies.filter(({ status }) => status === 200).length, 300);
  const headers = newAddress();
  // The second session is counted for the same member once it is known.
  await system.api('GET /api/wallet', { token: other, headers });
  sessionReads = 0;
  for (const token of [loud.token, other]) {
    const reply = await system.api('GET /api/wallet', { token, headers });
    assertRefused(reply, 'REQUEST_LIMIT', 'MEMBER');
    assertRetryAfter(reply);
  }
  assert.equal(sessionReads, 0);
  assert.equal((await system.api('GET /api/wallet', { token: neighbour.token, headers })).status, 200);
});

test('the token of an ended session counts for its address and is read once [R-OPS-09]', async () => {
  const headers = newAddress();
  const [member, neighbour] = [await registerMember(system), await registerMember(system)];
  await system.api('POST /api/logout', { token: member.token, headers });
  await flood(350, 'GET /api/lookup/active', { headers });
  sessionReads = 0;
  assertRefused(await system.api('GET /api/wallet', { token: member.token, headers }), 'invalid-token');
  const memberReplies = await flood(100, 'GET /api/wallet', { headers, token: () => member.token });
  for (const reply of memberReplies) assertRefused(reply, 'REQUEST_LIMIT', 'ADDRESS');
  const replies = await flood(100, 'GET /api/lookup/active', { headers, token: () => member.token });
  for (const reply of replies) assertRefused(reply, 'REQUEST_LIMIT', 'ADDRESS');
  assert.ok(sessionReads <= 5, `${sessionReads} reads`);
  assert.equal((await system.api('GET /api/wallet', { token: neighbour.token, headers })).status, 200);
});
