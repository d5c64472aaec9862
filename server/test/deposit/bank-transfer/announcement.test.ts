import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { toDecimal } from '@krapao/contract/money';
import { newAccountNo, registerMember, type TestMember } from '../../harness/members.ts';
import { baht } from '../../harness/money.ts';
import { closeWallet, setLimits } from '../../harness/operator.ts';
import { assertRefused } from '../../harness/refused.ts';
import { startSystem, type System } from '../../harness/system.ts';
import {
  assertBooksAgree,
  depositsOf,
  type FeedSystem,
  lineOf,
  push,
  pushOf,
  SCB,
  startFeedSystem,
  announce,
} from './feed-fixtures.ts';
import { until } from '../qrcode/qr-fixtures.ts';

let world: FeedSystem;
let system: System;
before(async () => {
  world = await startFeedSystem();
  system = await startSystem({ outside: world.outside });
});
after(async () => {
  await system.stop();
  await world.close();
});
afterEach(() => assertBooksAgree(system));

const stateOf = async (token: string, reference: string) =>
  (await system.api('GET /api/wallet/add/{reference}', { token, params: { reference } })).body;

test('an announcement is PROCESSING, credits nothing alone, and is matched by the money when it arrives [R-XFER-05]', async () => {
  const member = await registerMember(system);
  const { status, body } = await announce(system, member, {
    amount: 55.5,
    bankCode: 'SCB',
    bankAccountNo: '468-0-00123-4',
  });
  assert.deepEqual([status, body.status, body.amount, body.payAmount], [200, 'PROCESSING', 55.5, 55.5]);
  assert.ok(Date.parse(body.expireIn) > Date.now() + 20 * 60_000);
  assert.deepEqual(await depositsOf(system, member), []);
  assert.equal((await stateOf(member.token, body.reference)).state, 'OPEN');
  world.tell(SCB, lineOf(member, '55.50'));
  await push(system, pushOf(system, SCB));
  await until(
    () => depositsOf(system, member),
    (seen) => seen.length === 1,
    'credited',
  );
  await until(
    () => stateOf(member.token, body.reference),
    (seen) => seen.state === 'MATCHED' && seen.isLate === false,
    'matched',
  );
});

test('money that comes after the notice has expired is credited all the same, and the notice says late [R-XFER-05]', async () => {
  const member = await registerMember(system);
  const { body } = await announce(system, member, { amount: 44 });
  await system.database.query('update deposit_notice set expires_at = now() where reference = $1', [body.reference]);
  await until(
    () => stateOf(member.token, body.reference),
    (seen) => seen.state === 'EXPIRED',
    'expired',
  );
  world.tell(SCB, lineOf(member, '44.00'));
  await push(system, pushOf(system, SCB));
  await until(
    () => stateOf(member.token, body.reference),
    (seen) => seen.state === 'MATCHED' && seen.isLate === true,
    'late',
  );
  assert.deepEqual(await depositsOf(system, member), [44]);
});

test('what isn’t an amount or an own account is refused with a clear code [R-XFER-05]', async () => {
  const member = await registerMember(system);
  for (const amount of [undefined, null, 0, -1, '100', 0.001, 1e300, {}, []]) {
    assertRefused(await announce(system, member, { amount }), 'TRANSFER_MINIMUM', 'AMOUNT_INVALID');
  }
  assertRefused(await announce(system, member, { amount: 0.99 }), 'TRANSFER_MINIMUM', 'AMOUNT_BELOW_MINIMUM');
  assertRefused(await announce(system, member, {}), 'TRANSFER_MINIMUM');
  assertRefused(await announce(system, member, { amount: 10, bankCode: 'NONE' }), 'NO_BANK');
  // An account without a feed reports no transfers.
  assertRefused(await announce(system, member, { amount: 10, bankCode: 'GSB' }), 'NO_BANK');
  assertRefused(await announce(system, member, { amount: 10, bankCode: 'SCB', bankAccountNo: '1' }), 'NO_BANK');
  assertRefused(
    await announce(system, member, { amount: 10, bankCode: 'x'.repeat(33) }),
    'TRANSFER_MINIMUM',
    'bankCode',
    400,
  );
});

test('the same notice is stored once, however often and with whatever key it is sent [R-XFER-05]', async () => {
  await setLimits(system, { 'notice.member': 100 });
  const member = await registerMember(system);
  const key = randomUUID();
  const replies = await Promise.all([
    ...Array.from({ length: 10 }, () => announce(system, member, { amount: 12, bankCode: 'SCB' }, key)),
    ...Array.from({ length: 10 }, () => announce(system, member, { amount: 12, bankCode: 'SCB' })),
  ]);
  for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body));
  assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body))).size, 1);
  assertRefused(
    await announce(system, member, { amount: 13, bankCode: 'SCB' }, key),
    'KEY_INVALID',
    'IDEMPOTENCY_KEY_REUSED',
  );
  for (const amount of [21, 22, 23, 24]) assert.equal((await announce(system, member, { amount })).status, 200);
  assertRefused(await announce(system, member, { amount: 25 }), 'REQUEST_LIMIT', 'NOTICES_OPEN');
});

test('members who look alike and announce the same amount concurrently are asked for different ones [R-XFER-05]', async () => {
  const members: TestMember[] = [];
  // Visible digits of no other member.
  const visible = newAccountNo().slice(5, 9);
  for (const digit of ['1', '2', '3', '4', '5', '6']) {
    const bankAccountNo = `${digit.repeat(5)}${visible}${digit}`;
    members.push(await registerMember(system, { bankAccountNo, bankAccountName: 'SOMJAI DEEMAK' }));
  }
  const replies = await Promise.all(members.map((member) => announce(system, member, { amount: 66, bankCode: 'SCB' })));
  for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body));
  const asked = replies.map(({ body }) => body.payAmount as number);
  assert.equal(new Set(asked).size, members.length);
  for (const amount of asked) assert.ok(amount > 66 && amount < 67, String(amount));
  for (const [at, member] of members.entries()) {
    world.tell(SCB, lineOf(member, toDecimal(baht(String(replies[at]?.body.payAmount)))));
  }
  await push(system, pushOf(system, SCB));
  for (const [at, member] of members.entries()) {
    const amounts = await until(
      () => depositsOf(system, member),
      (seen) => seen.length > 0,
      'credited',
    );
    assert.deepEqual(amounts, [replies[at]?.body.payAmount]);
  }
  // A member with a unique visible pattern sends the announced amount.
  const other = await registerMember(system, { bankAccountName: 'SOMJAI DEEMAK' });
  assert.equal((await announce(system, other, { amount: 66, bankCode: 'SCB' })).body.payAmount, 66);
});

test('an amount is reserved until its money has come or its grace is over, whatever program reserved it', async () => {
  const reservedOf = async ({ id }: TestMember): Promise<number[]> => {
    const { rows } = await system.database.query<{ amount: bigint }>(
      `select distinct r.pay_amount as amount from deposit_reserved_amount r join deposit_notice n on n.id = r.notice_id
        where n.member_id = $1 order by 1`,
      [id],
    );
    return rows.map(({ amount }) => Number(amount) / 100);
  };
  const released = (member: TestMember, left: number[]) =>
    until(
      () => reservedOf(member),
      (seen) => seen.join() === left.join(),
      `reserved: ${left.join()}`,
    );
  const member = await registerMember(system);
  for (const amount of [71, 72, 73]) assert.equal((await announce(system, member, { amount })).status, 200);
  assert.deepEqual(await reservedOf(member), [71, 72, 73]);
  // As reserved by an older version without the column.
  await system.database.query('update deposit_reserved_amount set release_at = null where pay_amount = any($1)', [
    [7_200, 7_300],
  ]);
  world.tell(SCB, lineOf(member, '71.00'));
  await push(system, pushOf(system, SCB));
  await released(member, [72, 73]);
  await system.database.query(
    `update deposit_notice set expires_at = now(), release_at = now() where member_id = $1 and pay_amount = 7200`,
    [member.id],
  );
  await system.database.query(
    'update deposit_reserved_amount r set release_at = null where pay_amount = 7200 and release_at is not null',
  );
  await released(member, [73]);
  world.tell(SCB, lineOf(member, '73.00'));
  await push(system, pushOf(system, SCB));
  await released(member, []);
});

test('notices that come too often are refused for a moment; a repeated key is not counted', async () => {
  await setLimits(system, { 'notice.member': 2 });
  const member = await registerMember(system);
  const first = await announce(system, member, { amount: 1 }, 'notice-1');
  const again = async (): Promise<void> =>
    assert.deepEqual((await announce(system, member, { amount: 1 }, 'notice-1')).body, first.body);
  for (let repeated = 0; repeated < 4; repeated += 1) await again();
  assert.equal((await announce(system, member, { amount: 2 })).status, 200);
  const blocked = await announce(system, member, { amount: 3 });
  assertRefused(blocked, 'REQUEST_LIMIT');
  await again();
  await closeWallet(system, member);
  await again();
  assertRefused(await announce(system, member, { amount: 3 }), 'NO_WALLET');
  assert.ok(Number(blocked.headers.get('retry-after')) > 0);
});
