import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import pg from 'pg';
import { lockWaits } from '../../harness/lock-waits.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { assertRefused } from '../../harness/refused.ts';
import { startSystem, type System } from '../../harness/system.ts';
import {
  arrivalOf,
  assertBooksAgree,
  depositsOf,
  faults,
  type FeedSystem,
  KBANK,
  lineOf,
  pollsDue,
  push,
  pushOf,
  SCB,
  startFeedSystem,
  statementOf,
  announce,
} from './feed-fixtures.ts';
import { until } from '../qrcode/qr-fixtures.ts';

let world: FeedSystem;
let system: System;
let member: TestMember;

before(async () => {
  world = await startFeedSystem();
  system = await startSystem({ outside: world.outside });
});
after(async () => {
  await system.stop();
  await world.close();
});
afterEach(() => assertBooksAgree(system));

const fresh = async (more = {}): Promise<TestMember> => (member = await registerMember(system, more));
const credited = (amounts: number[], who = member) =>
  until(
    () => depositsOf(system, who),
    (seen) => seen.length >= amounts.length,
    'credited',
  ).then((seen) => assert.deepEqual(seen, amounts));
const settled = (transRef: string, state: string) =>
  until(
    () => arrivalOf(system, transRef),
    (row) => row?.state === state,
    `${transRef} is ${state}`,
  );

/** Delays all reads by an hour. Waits for a pending one: its lease exceeds the interval between reads. */
const nobodyReads = () =>
  until(
    async () => {
      await system.database.query(
        `update deposit_feed set poll_at = now() + interval '1 hour' where poll_at <= polled_at + interval '10 seconds'`,
      );
      const { rows } = await system.database.query<{ name: string }>(
        `select name from deposit_feed where poll_at < now() + interval '30 minutes'`,
      );
      return rows;
    },
    (read) => read.length === 0,
    'feeds that are read',
  );

test('a transfer from the registered account is credited once, though it is pushed ten times concurrently [R-DEP-04]', async () => {
  await fresh();
  const line = lineOf(member, '100.25');
  world.tell(SCB, line);
  const pushes = await Promise.all(Array.from({ length: 10 }, () => push(system, pushOf(system, SCB))));
  for (const { status, body } of pushes) assert.deepEqual([status, body], [200, { ok: true }]);
  await credited([100.25]);
  await pollsDue(system);
  const reads = world.reads(SCB);
  await until(
    async () => world.reads(SCB),
    (now) => now > reads,
    'another reading',
  );
  assert.deepEqual(await depositsOf(system, member), [100.25]);
  const [entry] = await statementOf(system, member);
  assert.deepEqual([entry?.from, entry?.reference], ['bank:SCB', line.transRef]);
  assert.equal((await arrivalOf(system, line.transRef))?.via, 'FEED');
});

test('a push of one feed is answered while that of another waits for its commit', async () => {
  const other = new pg.Client({ connectionString: system.databaseUrl });
  await other.connect();
  try {
    await other.query('begin');
    const account = SCB.split('/')[1];
    const locked = await other.query(`select from deposit_feed where name like '%' || $1 for update`, [account]);
    assert.equal(locked.rowCount, 1);
    const waiting = push(system, pushOf(system, SCB));
    const countWaiting = () => lockWaits(system.database);
    await until(countWaiting, (count) => count === 1, 'the push waits');
    assert.equal((await push(system, pushOf(system, KBANK))).status, 200);
    assert.equal(await countWaiting(), 1);
    await other.query('commit');
    assert.equal((await waiting).status, 200);
  } finally {
    await other.end();
  }
});

test('a push that is unsigned, altered, signed by another, or a day old triggers no reading; the poll finds the money [R-DEP-04]', async () => {
  await fresh();
  await nobodyReads();
  const reads = world.reads(SCB);
  world.tell(SCB, lineOf(member, '50.00'));
  const genuine = pushOf(system, SCB);
  const unsigned = { body: genuine.body, headers: { 'content-type': 'application/json' } };
  assertRefused(await push(system, unsigned), 'KEY_MISSING');
  assertRefused(await push(system, { ...genuine, body: `${genuine.body} ` }), 'KEY_INVALID');
  assertRefused(await push(system, pushOf(system, SCB, { secret: 'somebody-elses-secret' })), 'KEY_INVALID');
  assertRefused(await push(system, pushOf(system, SCB, { secondsAgo: 86_400 })), 'KEY_INVALID');
  assertRefused(await push(system, pushOf(system, SCB, { secondsAgo: 301 })), 'KEY_INVALID');
  assertRefused(await push(system, pushOf(system, SCB, { secondsAgo: -400 })), 'KEY_INVALID');
  for (const signature of ['', 't=1', 't=1,v1=zz', `v1=${'0'.repeat(64)}`, 'x'.repeat(8_000)]) {
    const reply = await push(system, { ...genuine, headers: { ...genuine.headers, 'x-bank-signature': signature } });
    assertRefused(reply, signature === '' ? 'KEY_MISSING' : 'KEY_INVALID');
  }
  assertRefused(await push(system, pushOf(system, SCB, { body: 'not json' })), 'NO_DATA', 'MALFORMED', 400);
  assert.equal((await push(system, pushOf(system, 'SCB/0000000000'))).status, 200);
  assert.equal(world.reads(SCB), reads);
  assert.deepEqual(await depositsOf(system, member), []);
  await pollsDue(system);
  await credited([50]);
});

test('a line that appears twice, or again in capitals of another bank, is what it is [R-DEP-04]', async () => {
  await fresh();
  const line = lineOf(member, '20.00', { transRef: '20261121aBcDeFgHiJkLm' });
  world.tell(SCB, line, line, { ...line, transRef: '20261121ABCDEFGHIJKLM' }, { ...line, sendingBank: '004' });
  await push(system, pushOf(system, SCB));
  await credited([20, 20]);
  // The same reference at KBANK is another transfer, of a member with an account there.
  await until(
    async () =>
      (
        await system.database.query<{ state: string }>(
          `select state from deposit_arrival where sending_bank = '004' and trans_ref = $1`,
          [line.transRef],
        )
      ).rows.map(({ state }) => state),
    (states) => states.join() === 'SUSPENSE',
    'in suspense',
  );
});

test('a feed that errs, answers garbage, or falls silent loses nothing [R-DEP-04]', async () => {
  await fresh();
  const amounts: number[] = [];
  for (const [at, how] of Object.values(faults).entries()) {
    world.misbehave(3, how);
    world.tell(SCB, lineOf(member, `${at + 1}.00`));
    amounts.push(at + 1);
    await push(system, pushOf(system, SCB));
    await until(
      async () => (await pollsDue(system), depositsOf(system, member)),
      (seen) => seen.length === amounts.length,
      'credited',
    );
    assert.deepEqual(await depositsOf(system, member), amounts);
  }
});

test('unreadable lines are kept for the operator and block no other', async () => {
  await fresh();
  const good = lineOf(member, '30.00');
  world.tell(
    SCB,
    { direction: 'in' },
    lineOf(member, '1.001'),
    lineOf(member, '-5.00'),
    lineOf(member, '0.00'),
    lineOf(member, '5.00', { currency: 'LAK' }),
    lineOf(member, '5.00', { transRef: '' }),
    lineOf(member, '5.00', { direction: 'out' }),
    good,
  );
  await push(system, pushOf(system, SCB));
  await credited([30]);
  const unread = async (): Promise<number> =>
    (await system.database.query('select from deposit_unreadable_line')).rowCount;
  // Failed entries are stored after the good one.
  await until(unread, (count) => count >= 6, 'kept');
  assert.equal(await unread(), 6);
});

test('hundreds of entries are read page by page, each credited once [R-DEP-04]', async () => {
  await fresh();
  const lines = Array.from({ length: 250 }, () => lineOf(member, '1.00'));
  world.tell(SCB, ...lines);
  await push(system, pushOf(system, SCB));
  await until(
    async () => (await system.api('GET /api/wallet', { token: member.token })).body.wallet.amount as number,
    (amount) => amount === 250,
    'all credited',
  );
});

test('money from an unregistered account waits in suspense, and a member’s notice of it says so', async () => {
  await fresh();
  const stranger = { ...member, bankAccountNo: '9999999999', bankAccountName: 'SOMEBODY ELSE' };
  const announced = await announce(system, member, { amount: 71, bankCode: 'SCB' });
  const line = lineOf(stranger, '71.00');
  world.tell(SCB, line);
  await push(system, pushOf(system, SCB));
  assert.equal((await settled(line.transRef, 'SUSPENSE'))?.reason, 'NOBODY');
  const notice = () =>
    system.api('GET /api/wallet/add/{reference}', {
      token: member.token,
      params: { reference: announced.body.reference },
    });
  await until(notice, ({ body }) => body.state === 'THIRD_PARTY', 'told');
  assert.deepEqual(await depositsOf(system, member), []);
  // The member's own transfer arrives afterwards.
  world.tell(SCB, lineOf(member, '71.00'));
  await push(system, pushOf(system, SCB));
  await credited([71]);
  // The ledger is written first.
  await until(notice, ({ body }) => body.state === 'MATCHED', 'matched');
});

test('two members who look alike: neither gets it, unless one of them was asked for exactly this amount [R-DEP-04]', async () => {
  const one = await fresh({ bankAccountNo: '1111154320', bankAccountName: 'SOMJAI DEEMAK' });
  const other = await fresh({ bankAccountNo: '2222254329', bankAccountName: 'SOMJAI DANGDEE' });
  const nobodys = lineOf(one, '80.00');
  world.tell(SCB, nobodys);
  await push(system, pushOf(system, SCB));
  assert.equal((await settled(nobodys.transRef, 'SUSPENSE'))?.reason, 'SEVERAL');
  // One member announces an amount that the other sends.
  const hoped = await announce(system, other, { amount: 85, bankCode: 'SCB' });
  assert.ok(hoped.body.payAmount > 85 && hoped.body.payAmount < 86, 'and is asked for another amount');
  const guessed = lineOf(one, '85.00');
  world.tell(SCB, guessed);
  await push(system, pushOf(system, SCB));
  assert.equal((await settled(guessed.transRef, 'SUSPENSE'))?.reason, 'SEVERAL');
  const [firstAnnouncement, secondAnnouncement] = await Promise.all([
    announce(system, one, { amount: 90, bankCode: 'SCB' }),
    announce(system, other, { amount: 90, bankCode: 'SCB' }),
  ]);
  const asked = [firstAnnouncement.body.payAmount as number, secondAnnouncement.body.payAmount as number];
  assert.equal(new Set(asked).size, 2);
  for (const amount of asked) assert.ok(amount > 90 && amount < 91, String(amount));
  world.tell(SCB, lineOf(other, secondAnnouncement.body.payAmount.toFixed(2)));
  world.tell(SCB, lineOf(one, firstAnnouncement.body.payAmount.toFixed(2)));
  await push(system, pushOf(system, SCB));
  await credited([firstAnnouncement.body.payAmount], one);
  await credited([secondAnnouncement.body.payAmount], other);
  // The other account shows six digits, which differ.
  const clear = (who: TestMember) => ({
    ...lineOf(who, '33.00'),
    from: { bankCode: 'SCB', accountNo: `xxxx${who.bankAccountNo.slice(-6)}`, name: null },
  });
  world.tell(KBANK, clear(one), clear(other));
  await push(system, pushOf(system, KBANK));
  await credited([firstAnnouncement.body.payAmount, 33], one);
  await credited([secondAnnouncement.body.payAmount, 33], other);
});

test('a bill payment of an own code only triggers its inquiry, and one of an unknown code waits for an operator', async () => {
  await fresh();
  const made = await system.api('POST /api/qrcode/KBANK', { token: member.token, body: { amount: 40 } });
  const { rows } = await system.database.query<{ reference: string }>('select reference from qrcode where id = $1', [
    made.body.qrcodeId,
  ]);
  const bill = lineOf(member, '40.00', { channel: 'BILL', reference1: rows[0]?.reference });
  const strange = lineOf(member, '41.00', { channel: 'BILL', reference1: 'NOBODYKNOWSIT' });
  world.tell(KBANK, bill, strange);
  await push(system, pushOf(system, KBANK));
  await settled(bill.transRef, 'GATEWAY');
  assert.equal((await settled(strange.transRef, 'SUSPENSE'))?.reason, 'UNKNOWN_REFERENCE');
  // The bank reports it paid, the gateway denies it: the feed entry credits nothing.
  assert.deepEqual(await depositsOf(system, member), []);
});
