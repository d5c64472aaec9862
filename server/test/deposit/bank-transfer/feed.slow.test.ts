import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import pg from 'pg';
import { assertRefused } from '../../harness/assert-refused.ts';
import { countLockWaits } from '../../harness/lock-waits.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import {
  readArrivalRow,
  assertBooksAgree,
  readDepositAmounts,
  feedFaults,
  type FeedSystem,
  KBANK_ACCOUNT,
  feedEntryOf,
  makePollsDue,
  sendPush,
  signedPush,
  SCB_ACCOUNT,
  startFeedSystem,
  readStatement,
  announceTransfer,
} from './feed-fixtures.ts';

let feedSystem: FeedSystem;
let system: System;
let member: TestMember;

before(async () => {
  feedSystem = await startFeedSystem();
  system = await startSystem({ outside: feedSystem.outside });
});
after(async () => {
  await system.stop();
  await feedSystem.close();
});
afterEach(() => assertBooksAgree(system));

const registerFreshMember = async (memberOptions = {}): Promise<TestMember> =>
  (member = await registerMember(system, memberOptions));
const expectCredited = (amounts: number[], creditedMember = member) =>
  waitUntil(
    () => readDepositAmounts(system, creditedMember),
    (seen) => seen.length >= amounts.length,
    'credited',
  ).then((seen) => assert.deepEqual(seen, amounts));
const waitForState = (transRef: string, state: string) =>
  waitUntil(
    () => readArrivalRow(system, transRef),
    (row) => row?.state === state,
    `${transRef} is ${state}`,
  );

/** Delays all reads by an hour. Waits for a pending one: its lease exceeds the interval between reads. */
const waitForIdleFeeds = () =>
  waitUntil(
    async () => {
      await system.database.query(
        `update deposit_feed set poll_at = now() + interval '1 hour' where poll_at <= polled_at + interval '10 seconds'`,
      );
      const { rows } = await system.database.query<{ name: string }>(
        `select name from deposit_feed where poll_at < now() + interval '30 minutes'`,
      );
      return rows;
    },
    (unreadRows) => unreadRows.length === 0,
    'feeds that are read',
  );

test('a transfer from the registered account is credited once, though the bank pushes it ten times concurrently [R-DEP-04]', async () => {
  await registerFreshMember();
  const feedEntry = feedEntryOf(member, '100.25');
  feedSystem.addEntries(SCB_ACCOUNT, feedEntry);
  const pushReplies = await Promise.all(
    Array.from({ length: 10 }, () => sendPush(system, signedPush(system, SCB_ACCOUNT))),
  );
  for (const { status, body } of pushReplies) assert.deepEqual([status, body], [200, { ok: true }]);
  await expectCredited([100.25]);
  await makePollsDue(system);
  const readCount = feedSystem.countReads(SCB_ACCOUNT);
  await waitUntil(
    async () => feedSystem.countReads(SCB_ACCOUNT),
    (now) => now > readCount,
    'another reading',
  );
  assert.deepEqual(await readDepositAmounts(system, member), [100.25]);
  const [entry] = await readStatement(system, member);
  assert.deepEqual([entry?.from, entry?.reference], ['bank:SCB', feedEntry.transRef]);
  assert.equal((await readArrivalRow(system, feedEntry.transRef))?.via, 'FEED');
});

test("a push of one feed is replied to while another feed's push waits for its commit", async () => {
  const otherClient = new pg.Client({ connectionString: system.databaseUrl });
  await otherClient.connect();
  try {
    await otherClient.query('begin');
    const account = SCB_ACCOUNT.split('/')[1];
    const lockedFeed = await otherClient.query(`select from deposit_feed where name like '%' || $1 for update`, [
      account,
    ]);
    assert.equal(lockedFeed.rowCount, 1);
    const pendingPush = sendPush(system, signedPush(system, SCB_ACCOUNT));
    const countWaiting = () => countLockWaits(system.database);
    await waitUntil(countWaiting, (count) => count === 1, 'the push waits');
    assert.equal((await sendPush(system, signedPush(system, KBANK_ACCOUNT))).status, 200);
    assert.equal(await countWaiting(), 1);
    await otherClient.query('commit');
    assert.equal((await pendingPush).status, 200);
  } finally {
    await otherClient.end();
  }
});

test('a push that is unsigned, altered, signed by another key or a day old reads nothing; polling finds the money [R-DEP-04]', async () => {
  await registerFreshMember();
  await waitForIdleFeeds();
  const readCount = feedSystem.countReads(SCB_ACCOUNT);
  feedSystem.addEntries(SCB_ACCOUNT, feedEntryOf(member, '50.00'));
  const validPush = signedPush(system, SCB_ACCOUNT);
  const unsignedPush = { body: validPush.body, headers: { 'content-type': 'application/json' } };
  assertRefused(await sendPush(system, unsignedPush), 'KEY_MISSING');
  assertRefused(await sendPush(system, { ...validPush, body: `${validPush.body} ` }), 'KEY_INVALID');
  assertRefused(
    await sendPush(system, signedPush(system, SCB_ACCOUNT, { secret: 'somebody-elses-secret' })),
    'KEY_INVALID',
  );
  assertRefused(await sendPush(system, signedPush(system, SCB_ACCOUNT, { secondsAgo: 86_400 })), 'KEY_INVALID');
  assertRefused(await sendPush(system, signedPush(system, SCB_ACCOUNT, { secondsAgo: 301 })), 'KEY_INVALID');
  assertRefused(await sendPush(system, signedPush(system, SCB_ACCOUNT, { secondsAgo: -400 })), 'KEY_INVALID');
  for (const signature of ['', 't=1', 't=1,v1=zz', `v1=${'0'.repeat(64)}`, 'x'.repeat(8_000)]) {
    const reply = await sendPush(system, {
      ...validPush,
      headers: { ...validPush.headers, 'x-bank-signature': signature },
    });
    assertRefused(reply, signature === '' ? 'KEY_MISSING' : 'KEY_INVALID');
  }
  assertRefused(
    await sendPush(system, signedPush(system, SCB_ACCOUNT, { body: 'not json' })),
    'NO_DATA',
    'MALFORMED',
    400,
  );
  assert.equal((await sendPush(system, signedPush(system, 'SCB/0000000000'))).status, 200);
  assert.equal(feedSystem.countReads(SCB_ACCOUNT), readCount);
  assert.deepEqual(await readDepositAmounts(system, member), []);
  await makePollsDue(system);
  await expectCredited([50]);
});

test('a repeated feed line is credited once; one whose reference differs in case, or of another bank, is another transfer [R-DEP-04]', async () => {
  await registerFreshMember();
  const feedEntry = feedEntryOf(member, '20.00', { transRef: '20261121aBcDeFgHiJkLm' });
  feedSystem.addEntries(
    SCB_ACCOUNT,
    feedEntry,
    feedEntry,
    { ...feedEntry, transRef: '20261121ABCDEFGHIJKLM' },
    { ...feedEntry, sendingBank: '004' },
  );
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await expectCredited([20, 20]);
  // At KBANK the same reference is another transfer, of a member with an account there.
  await waitUntil(
    async () =>
      (
        await system.database.query<{ state: string }>(
          `select state from deposit_arrival where sending_bank = '004' and trans_ref = $1`,
          [feedEntry.transRef],
        )
      ).rows.map(({ state }) => state),
    (states) => states.join() === 'SUSPENSE',
    'in suspense',
  );
});

test('a feed that fails, replies with garbage or is silent loses no transfer [R-DEP-04]', async () => {
  await registerFreshMember();
  const amounts: number[] = [];
  for (const [position, behaviour] of Object.values(feedFaults).entries()) {
    feedSystem.injectFault(3, behaviour);
    feedSystem.addEntries(SCB_ACCOUNT, feedEntryOf(member, `${position + 1}.00`));
    amounts.push(position + 1);
    await sendPush(system, signedPush(system, SCB_ACCOUNT));
    await waitUntil(
      async () => (await makePollsDue(system), readDepositAmounts(system, member)),
      (seen) => seen.length === amounts.length,
      'credited',
    );
    assert.deepEqual(await readDepositAmounts(system, member), amounts);
  }
});

test('unreadable feed lines are kept for the operator and block no others', async () => {
  await registerFreshMember();
  const validEntry = feedEntryOf(member, '30.00');
  feedSystem.addEntries(
    SCB_ACCOUNT,
    { direction: 'in' },
    feedEntryOf(member, '1.001'),
    feedEntryOf(member, '-5.00'),
    feedEntryOf(member, '0.00'),
    feedEntryOf(member, '5.00', { currency: 'LAK' }),
    feedEntryOf(member, '5.00', { transRef: '' }),
    feedEntryOf(member, '5.00', { direction: 'out' }),
    validEntry,
  );
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await expectCredited([30]);
  const countUnread = async (): Promise<number> =>
    (await system.database.query('select from deposit_unreadable_line')).rowCount;
  // Failed entries are stored after the good one.
  await waitUntil(countUnread, (count) => count >= 6, 'kept');
  assert.equal(await countUnread(), 6);
});

test('hundreds of feed entries are read page by page, each credited once [R-DEP-04]', async () => {
  await registerFreshMember();
  const feedEntries = Array.from({ length: 250 }, () => feedEntryOf(member, '1.00'));
  feedSystem.addEntries(SCB_ACCOUNT, ...feedEntries);
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await waitUntil(
    async () => (await system.api('GET /api/wallet', { token: member.token })).body.wallet.amount as number,
    (amount) => amount === 250,
    'all credited',
  );
});

test("money from an unregistered account is held in suspense, and a member's announcement of it says so", async () => {
  await registerFreshMember();
  const stranger = { ...member, bankAccountNo: '9999999999', bankAccountName: 'SOMEBODY ELSE' };
  const announceReply = await announceTransfer(system, member, { amount: 71, bankCode: 'SCB' });
  const feedEntry = feedEntryOf(stranger, '71.00');
  feedSystem.addEntries(SCB_ACCOUNT, feedEntry);
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  assert.equal((await waitForState(feedEntry.transRef, 'SUSPENSE'))?.reason, 'NOBODY');
  const readAnnouncement = () =>
    system.api('GET /api/wallet/add/{reference}', {
      token: member.token,
      params: { reference: announceReply.body.reference },
    });
  await waitUntil(
    readAnnouncement,
    ({ body }) => body.state === 'THIRD_PARTY',
    'the announcement reports a third party',
  );
  assert.deepEqual(await readDepositAmounts(system, member), []);
  // The member's own transfer arrives afterwards.
  feedSystem.addEntries(SCB_ACCOUNT, feedEntryOf(member, '71.00'));
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await expectCredited([71]);
  // The ledger is written first.
  await waitUntil(readAnnouncement, ({ body }) => body.state === 'MATCHED', 'matched');
});

test('of two members whose accounts look alike neither is credited, unless one was asked for exactly this amount [R-DEP-04]', async () => {
  const firstMember = await registerFreshMember({ bankAccountNo: '1111154320', bankAccountName: 'SOMJAI DEEMAK' });
  const otherMember = await registerFreshMember({ bankAccountNo: '2222254329', bankAccountName: 'SOMJAI DANGDEE' });
  const unknownEntry = feedEntryOf(firstMember, '80.00');
  feedSystem.addEntries(SCB_ACCOUNT, unknownEntry);
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  assert.equal((await waitForState(unknownEntry.transRef, 'SUSPENSE'))?.reason, 'SEVERAL');
  // One member announces an amount, and the other member sends it.
  const announceReply = await announceTransfer(system, otherMember, { amount: 85, bankCode: 'SCB' });
  assert.ok(announceReply.body.payAmount > 85 && announceReply.body.payAmount < 86, 'and is asked for another amount');
  const guessedEntry = feedEntryOf(firstMember, '85.00');
  feedSystem.addEntries(SCB_ACCOUNT, guessedEntry);
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  assert.equal((await waitForState(guessedEntry.transRef, 'SUSPENSE'))?.reason, 'SEVERAL');
  const [firstAnnouncement, secondAnnouncement] = await Promise.all([
    announceTransfer(system, firstMember, { amount: 90, bankCode: 'SCB' }),
    announceTransfer(system, otherMember, { amount: 90, bankCode: 'SCB' }),
  ]);
  const payAmounts = [firstAnnouncement.body.payAmount as number, secondAnnouncement.body.payAmount as number];
  assert.equal(new Set(payAmounts).size, 2);
  for (const amount of payAmounts) assert.ok(amount > 90 && amount < 91, String(amount));
  feedSystem.addEntries(SCB_ACCOUNT, feedEntryOf(otherMember, secondAnnouncement.body.payAmount.toFixed(2)));
  feedSystem.addEntries(SCB_ACCOUNT, feedEntryOf(firstMember, firstAnnouncement.body.payAmount.toFixed(2)));
  await sendPush(system, signedPush(system, SCB_ACCOUNT));
  await expectCredited([firstAnnouncement.body.payAmount], firstMember);
  await expectCredited([secondAnnouncement.body.payAmount], otherMember);
  // The other account shows six digits, which differ.
  const clearEntry = (sender: TestMember) => ({
    ...feedEntryOf(sender, '33.00'),
    from: { bankCode: 'SCB', accountNo: `xxxx${sender.bankAccountNo.slice(-6)}`, name: null },
  });
  feedSystem.addEntries(KBANK_ACCOUNT, clearEntry(firstMember), clearEntry(otherMember));
  await sendPush(system, signedPush(system, KBANK_ACCOUNT));
  await expectCredited([firstAnnouncement.body.payAmount, 33], firstMember);
  await expectCredited([secondAnnouncement.body.payAmount, 33], otherMember);
});

test('a bill payment of an own code only triggers its inquiry; of an unknown code it waits for an operator', async () => {
  await registerFreshMember();
  const createReply = await system.api('POST /api/qrcode/KBANK', { token: member.token, body: { amount: 40 } });
  const { rows } = await system.database.query<{ reference: string }>('select reference from qrcode where id = $1', [
    createReply.body.qrcodeId,
  ]);
  const billEntry = feedEntryOf(member, '40.00', { channel: 'BILL', reference1: rows[0]?.reference });
  const unknownBillEntry = feedEntryOf(member, '41.00', { channel: 'BILL', reference1: 'NOBODYKNOWSIT' });
  feedSystem.addEntries(KBANK_ACCOUNT, billEntry, unknownBillEntry);
  await sendPush(system, signedPush(system, KBANK_ACCOUNT));
  await waitForState(billEntry.transRef, 'GATEWAY');
  assert.equal((await waitForState(unknownBillEntry.transRef, 'SUSPENSE'))?.reason, 'UNKNOWN_REFERENCE');
  // The bank reports it paid, the gateway denies it: the feed entry credits nothing.
  assert.deepEqual(await readDepositAmounts(system, member), []);
});
