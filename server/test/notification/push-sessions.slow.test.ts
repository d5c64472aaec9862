import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { logIn, registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet } from '../harness/money.ts';
import { injectFault } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  countSubscriptions,
  receivedPushes,
  subscribeBrowser,
  waitForPushes,
  waitUntilNotified,
} from './push-fixtures.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger.close();
  await system.stop();
});

const deposit = (member: TestMember): Promise<void> => fundWallet(ledger, member.id, '500');

test('logout, a password change and the end of the session delete its push subscriptions [R-WALLET-07]', async () => {
  const member = await registerMember(system);
  const second = { ...member, token: await logIn(system, member.phone, member.password) };
  const third = { ...member, token: await logIn(system, member.phone, member.password) };
  const [first, loggedOut, superseded] = [
    await subscribeBrowser(system, member),
    await subscribeBrowser(system, second),
    await subscribeBrowser(system, third),
  ];
  await system.api('POST /api/logout', { token: second.token });
  assert.equal(await countSubscriptions(system, member), 2);
  const body = { oldPassword: member.password, newPassword: 'blue-basket-28' };
  assert.equal((await system.api('PUT /api/account/changepwd', { token: member.token, body })).status, 200);
  await waitForPushes(system, superseded.endpoint, 1);
  await waitUntil(
    () => countSubscriptions(system, member),
    (count) => count === 1,
    'the other browser is forgotten',
  );
  await deposit(member);
  await waitForPushes(system, first.endpoint, 1);
  await system.database.query(
    `update member_session set expires_at = now() - interval '1 second' where member_id = $1`,
    [member.id],
  );
  const received = (await receivedPushes(system, first.endpoint)).length;
  await deposit(member);
  await waitUntilNotified(system);
  assert.equal((await receivedPushes(system, first.endpoint)).length, received);
  assert.deepEqual(await receivedPushes(system, loggedOut.endpoint), []);
  assert.equal((await receivedPushes(system, superseded.endpoint)).length, 1);
});

test('a waiting push message is not sent after its session ends, and its subscription is deleted [R-WALLET-07]', async () => {
  for (const end of ['expires_at = now()', 'superseded_at = now()', 'logged_out_at = now()']) {
    const member = await registerMember(system);
    const { endpoint } = await subscribeBrowser(system, member);
    await injectFault(system, { target: 'push', fault: 'too-many', delayMs: 3_600_000 });
    await deposit(member);
    const retryAt = async (): Promise<Date | undefined> => {
      const { rows } = await system.database.query<{ workAt: Date }>(
        `select o.work_at as "workAt" from push_outbox o join push_subscription s on s.id = o.subscription_id
          where s.member_id = $1`,
        [member.id],
      );
      return rows[0]?.workAt;
    };
    await waitUntil(retryAt, (at) => (at?.getTime() ?? 0) > Date.now() + 3_000_000, 'the message waits');
    await system.database.query(`update member_session set ${end} where member_id = $1`, [member.id]);
    await system.database.query('update push_outbox set work_at = now()');
    await waitUntilNotified(system);
    assert.deepEqual([await receivedPushes(system, endpoint), await countSubscriptions(system, member)], [[], 0], end);
  }
});

test('a member whose account is no longer active gets one push about it, and no others', async () => {
  for (const status of ['inactive', 'restricted', 'deleted']) {
    const member = await registerMember(system);
    const { endpoint } = await subscribeBrowser(system, member);
    await system.database.query('update member set status = $2 where id = $1', [member.id, status]);
    await deposit(member);
    await waitUntilNotified(system);
    const titles = (await receivedPushes(system, endpoint)).map(({ payload }) => payload?.notification['title']);
    assert.deepEqual(titles, ['Account closed'], status);
  }
});
