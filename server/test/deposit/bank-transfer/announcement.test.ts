import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { toDecimal } from '@krapao/contract/money';
import { assertRefused } from '../../harness/assert-refused.ts';
import { newAccountNo, registerMember, type TestMember } from '../../harness/members.ts';
import { parseBaht } from '../../harness/money.ts';
import { closeWallet, setRateLimits } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import {
  assertBooksAgree,
  readDepositAmounts,
  type FeedSystem,
  feedEntryOf,
  sendPush,
  signedPush,
  SCB_ACCOUNT,
  startFeedSystem,
  announceTransfer,
} from './feed-fixtures.ts';

let feedSystem: FeedSystem;
let system: System;
before(async () => {
  feedSystem = await startFeedSystem();
  system = await startSystem({ outside: feedSystem.outside });
});
after(async () => {
  await system.stop();
  await feedSystem.close();
});
afterEach(() => assertBooksAgree(system));

const readState = async (token: string, reference: string) =>
  (await system.api('GET /api/wallet/add/{reference}', { token, params: { reference } })).body;

test('an announcement is PROCESSING for 30 minutes, credits nothing alone, and is matched by the incoming transfer [R-XFER-05]', async () => {
  const member = await registerMember(system);
  const { status, body } = await announceTransfer(system, member, {
    amount: 55.5,
    bankCode: 'SCB',
    bankAccountNo: '468-0-00123-4',
  });
  assert.deepEqual([status, body.status, body.amount, body.payAmount], [200, 'PROCESSING', 55.5, 55.5]);
  const { rows } = await system.database.query(
    `select extract(epoch from expires_at - created_at)::int as open, extract(epoch from release_at - expires_at)::int as reserved,
       expires_at as "expiresAt" from deposit_announcement where reference = $1`,
    [body.reference],
  );
  assert.deepEqual(rows, [{ open: 1_800, reserved: 3_600, expiresAt: new Date(body.expireIn) }]);
  assert.deepEqual(await readDepositAmounts(system, member), []);
  assert.equal((await readState(member.token, body.reference)).state, 'OPEN');
  feedSystem.addEntries(SCB_ACCOUNT, feedEntryOf(member, '55.50'));
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await waitUntil(
    () => readDepositAmounts(system, member),
    (amounts) => amounts.length === 1,
    'credited',
  );
  await waitUntil(
    () => readState(member.token, body.reference),
    (result) => result.state === 'MATCHED' && result.isLate === false,
    'matched',
  );
});

test('a transfer after its announcement has expired is credited, and the announcement says late [R-XFER-05]', async () => {
  const member = await registerMember(system);
  const { body } = await announceTransfer(system, member, { amount: 44 });
  await system.database.query('update deposit_announcement set expires_at = now() where reference = $1', [
    body.reference,
  ]);
  await waitUntil(
    () => readState(member.token, body.reference),
    (result) => result.state === 'EXPIRED',
    'expired',
  );
  feedSystem.addEntries(SCB_ACCOUNT, feedEntryOf(member, '44.00'));
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await waitUntil(
    () => readState(member.token, body.reference),
    (result) => result.state === 'MATCHED' && result.isLate === true,
    'late',
  );
  assert.deepEqual(await readDepositAmounts(system, member), [44]);
});

test('an announcement of more than 2,000,000 baht is refused where the operator set no maximum', async () => {
  const member = await registerMember(system);
  for (const amount of [2_000_000.01, 9_999_999_999_999.99])
    assertRefused(await announceTransfer(system, member, { amount }), 'TRANSFER_MINIMUM', 'AMOUNT_ABOVE_MAXIMUM');
  const { status, body } = await announceTransfer(system, member, { amount: 2_000_000 });
  assert.deepEqual([status, body.amount], [200, 2_000_000]);
});

test('an announcement with an invalid amount or account is refused with a clear code [R-XFER-05]', async () => {
  const member = await registerMember(system);
  for (const amount of [undefined, null, 0, -1, '100', 0.001, 1e300, {}, []]) {
    assertRefused(await announceTransfer(system, member, { amount }), 'TRANSFER_MINIMUM', 'AMOUNT_INVALID');
  }
  assertRefused(await announceTransfer(system, member, { amount: 0.99 }), 'TRANSFER_MINIMUM', 'AMOUNT_BELOW_MINIMUM');
  assertRefused(await announceTransfer(system, member, {}), 'TRANSFER_MINIMUM');
  assertRefused(await announceTransfer(system, member, { amount: 10, bankCode: 'NONE' }), 'NO_BANK');
  // An account without a feed reports no transfers.
  assertRefused(await announceTransfer(system, member, { amount: 10, bankCode: 'GSB' }), 'NO_BANK');
  assertRefused(await announceTransfer(system, member, { amount: 10, bankCode: 'SCB', bankAccountNo: '1' }), 'NO_BANK');
  assertRefused(
    await announceTransfer(system, member, { amount: 10, bankCode: 'x'.repeat(33) }),
    'TRANSFER_MINIMUM',
    'bankCode',
    400,
  );
});

test('the same announcement is stored once, however often and under whatever key it is sent [R-XFER-05]', async () => {
  await setRateLimits(system, { 'notice.member': 100 });
  const member = await registerMember(system);
  const key = randomUUID();
  const replies = await Promise.all([
    ...Array.from({ length: 10 }, () => announceTransfer(system, member, { amount: 12, bankCode: 'SCB' }, key)),
    ...Array.from({ length: 10 }, () => announceTransfer(system, member, { amount: 12, bankCode: 'SCB' })),
  ]);
  for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body));
  assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body))).size, 1);
  assertRefused(
    await announceTransfer(system, member, { amount: 13, bankCode: 'SCB' }, key),
    'KEY_INVALID',
    'IDEMPOTENCY_KEY_REUSED',
  );
  for (const amount of [21, 22, 23, 24]) assert.equal((await announceTransfer(system, member, { amount })).status, 200);
  assertRefused(await announceTransfer(system, member, { amount: 25 }), 'REQUEST_LIMIT', 'NOTICES_OPEN');
});

test('members whose accounts look alike get different exact amounts for concurrent equal announcements [R-XFER-05]', async () => {
  const members: TestMember[] = [];
  // Visible digits of no other member.
  const visibleDigits = newAccountNo().slice(5, 9);
  for (const digit of ['1', '2', '3', '4', '5', '6']) {
    const bankAccountNo = `${digit.repeat(5)}${visibleDigits}${digit}`;
    members.push(await registerMember(system, { bankAccountNo, bankAccountName: 'SOMJAI DEEMAK' }));
  }
  const replies = await Promise.all(
    members.map((member) => announceTransfer(system, member, { amount: 66, bankCode: 'SCB' })),
  );
  for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body));
  const payAmounts = replies.map(({ body }) => body.payAmount as number);
  assert.equal(new Set(payAmounts).size, members.length);
  for (const amount of payAmounts) assert.ok(amount > 66 && amount < 67, String(amount));
  for (const [position, member] of members.entries()) {
    feedSystem.addEntries(
      SCB_ACCOUNT,
      feedEntryOf(member, toDecimal(parseBaht(String(replies[position]?.body.payAmount)))),
    );
  }
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  for (const [at, member] of members.entries()) {
    const amounts = await waitUntil(
      () => readDepositAmounts(system, member),
      (amounts) => amounts.length > 0,
      'credited',
    );
    assert.deepEqual(amounts, [replies[at]?.body.payAmount]);
  }
  // A member with a unique visible pattern sends the announced amount.
  const otherMember = await registerMember(system, { bankAccountName: 'SOMJAI DEEMAK' });
  assert.equal((await announceTransfer(system, otherMember, { amount: 66, bankCode: 'SCB' })).body.payAmount, 66);
});

test('the exact amount exceeds the announced one by at most 0.99; then the next member is asked to wait [R-XFER-05]', async () => {
  const visibleDigits = newAccountNo().slice(5, 9);
  const announceAs = async (digit: string) => {
    const bankAccountNo = `${digit.repeat(5)}${visibleDigits}${digit}`;
    const member = await registerMember(system, { bankAccountNo, bankAccountName: 'SOMJAI DEEMAK' });
    return () => announceTransfer(system, member, { amount: 67, bankCode: 'SCB' });
  };
  const [first, second, third] = [await announceAs('1'), await announceAs('2'), await announceAs('3')];
  const { reference } = (await first()).body;
  await system.database.query(
    `update deposit_reserved_amount set pay_amount = 6701
      where announcement_id = (select id from deposit_announcement where reference = $1)`,
    [reference],
  );
  await system.database.query(
    `insert into deposit_reserved_amount (look, pay_amount, announcement_id, release_at)
     select r.look, reserved.amount, r.announcement_id, r.release_at from deposit_announcement n
       join deposit_reserved_amount r on r.announcement_id = n.id cross join generate_series(6702, 6798) reserved (amount)
      where n.reference = $1`,
    [reference],
  );
  assert.equal((await second()).body.payAmount, 67.99);
  assertRefused(await third(), 'REQUEST_LIMIT', 'AMOUNT_TAKEN');
});

test('an exact amount is reserved until its money arrives or its grace period ends, whatever program reserved it', async () => {
  const readReservedAmounts = async ({ id }: TestMember): Promise<number[]> => {
    const { rows } = await system.database.query<{ amount: bigint }>(
      `select distinct r.pay_amount as amount from deposit_reserved_amount r join deposit_announcement n on n.id = r.announcement_id
        where n.member_id = $1 order by 1`,
      [id],
    );
    return rows.map(({ amount }) => Number(amount) / 100);
  };
  const waitForReleased = (member: TestMember, remainingAmounts: number[]) =>
    waitUntil(
      () => readReservedAmounts(member),
      (amounts) => amounts.join() === remainingAmounts.join(),
      `reserved: ${remainingAmounts.join()}`,
    );
  const member = await registerMember(system);
  for (const amount of [71, 72, 73]) assert.equal((await announceTransfer(system, member, { amount })).status, 200);
  assert.deepEqual(await readReservedAmounts(member), [71, 72, 73]);
  // As reserved by an older version without the column.
  await system.database.query('update deposit_reserved_amount set release_at = null where pay_amount = any($1)', [
    [7_200, 7_300],
  ]);
  feedSystem.addEntries(SCB_ACCOUNT, feedEntryOf(member, '71.00'));
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await waitForReleased(member, [72, 73]);
  await system.database.query(
    `update deposit_announcement set expires_at = now(), release_at = now() where member_id = $1 and pay_amount = 7200`,
    [member.id],
  );
  await system.database.query(
    'update deposit_reserved_amount r set release_at = null where pay_amount = 7200 and release_at is not null',
  );
  await waitForReleased(member, [73]);
  feedSystem.addEntries(SCB_ACCOUNT, feedEntryOf(member, '73.00'));
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await waitForReleased(member, []);
});

test('announcements in quick succession are refused for a moment; a repeated key is not counted', async () => {
  await setRateLimits(system, { 'notice.member': 2 });
  const member = await registerMember(system);
  const first = await announceTransfer(system, member, { amount: 1 }, 'announcement-1');
  const announceAgain = async (): Promise<void> =>
    assert.deepEqual((await announceTransfer(system, member, { amount: 1 }, 'announcement-1')).body, first.body);
  for (let attempt = 0; attempt < 4; attempt += 1) await announceAgain();
  assert.equal((await announceTransfer(system, member, { amount: 2 })).status, 200);
  const blockedReply = await announceTransfer(system, member, { amount: 3 });
  assertRefused(blockedReply, 'REQUEST_LIMIT');
  await announceAgain();
  await closeWallet(system, member);
  await announceAgain();
  assertRefused(await announceTransfer(system, member, { amount: 3 }), 'NO_WALLET');
  assert.ok(Number(blockedReply.headers.get('retry-after')) > 0);
});
