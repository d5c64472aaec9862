import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import sharp from 'sharp';
import { audit } from '../../../src/ledger/audit.ts';
import { customer, until } from '../qrcode/qr-fixtures.ts';
import { newAccountNo, registerMember, type TestMember } from '../../harness/members.ts';
import { misbehave, setLimits, takeSlipsNow } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { bankWithin } from '../../withdraw/payout-fixtures.ts';
import {
  ended,
  fetchImage,
  letTimePass,
  OUR_SCB,
  slipImage,
  sendSlip,
  type SlipBody,
  slipText,
  transferBy,
  untilRow,
} from './slip-fixtures.ts';
import { queueHolds } from '../../harness/queues.ts';

let system: System;
let member: TestMember;

before(async () => {
  // The bank times out once on purpose.
  system = await startSystem({ outside: bankWithin(1_500) });
  await setLimits(system, { 'slip.member': 1000, 'slip.member.day': 1000 });
  await takeSlipsNow(system);
  member = await registerMember(system);
});
after(() => system.stop());
afterEach(async () => {
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
});

const walletOf = async ({ token }: TestMember): Promise<number> =>
  (await system.api('GET /api/wallet', { token })).body.wallet.amount;

/** Uploads an image and waits for its outcome; the wallet must change by `credit`. */
async function outcomeOf(image: Uint8Array, credit = 0, of = member): Promise<SlipBody> {
  const before = await walletOf(of);
  const slip = await ended(system, of.token, await sendSlip(system, of.token, image));
  assert.equal(await walletOf(of), before + credit);
  return slip;
}

async function assertReason(image: Uint8Array, note: string, of = member): Promise<SlipBody> {
  const slip = await outcomeOf(image, 0, of);
  assert.deepEqual({ status: slip.status, note: slip.note }, { status: 'FAILED', note });
  return slip;
}

async function assertCredited(image: Uint8Array, amount: number, of = member): Promise<SlipBody> {
  const slip = await outcomeOf(image, amount, of);
  assert.deepEqual(
    { status: slip.status, note: slip.note, amount: slip.amount },
    { status: 'SUCCESS', note: null, amount },
  );
  return slip;
}

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#fafafa' } })
    .jpeg()
    .toBuffer();

test('a slip of the member’s own transfer to an own account is SUCCESS and credited [R-SLIP-02]', async () => {
  const paid = await transferBy(system, member, { amount: '150.25' });
  await assertCredited(paid.image, 150.25);
  const { statements } = (await system.api('POST /api/statement', { token: member.token, body: {} })).body;
  assert.deepEqual(
    { type: statements[0].statementType, amount: statements[0].amount, status: statements[0].status },
    { type: 'deposit', amount: 150.25, status: 'SUCCESS' },
  );
});

test('a slip whose check sum lost its zeros is read all the same [R-SLIP-02]', async () => {
  const { image } = await transferBy(system, member, { amount: '10.00', slip: 'short-crc' });
  await assertCredited(image, 10);
});

test('IMG_SIZE_UNABLE_TO_PROCESS: under 300 px, or more than 64 million pixels [R-SLIP-02]', async () => {
  await assertReason(await blank(299, 800), 'IMG_SIZE_UNABLE_TO_PROCESS');
  await assertReason(await blank(8001, 8000), 'IMG_SIZE_UNABLE_TO_PROCESS');
});

test('CANNOT_READ_CROPPED_IMAGE: no code found, or no image after its first bytes [R-SLIP-02]', async () => {
  await assertReason(await blank(720, 1040), 'CANNOT_READ_CROPPED_IMAGE');
  const whole = await slipImage(slipText('014', 'CUTINTHEMIDDLE0001'));
  await assertReason(whole.subarray(0, whole.length / 2), 'CANNOT_READ_CROPPED_IMAGE');
});

test('UNSTABLE_REFNO_ON_SLIP: two slips in one image, or a wrong checksum [R-SLIP-02]', async () => {
  const [one, other] = [slipText('014', 'TWOINONEPICTURE001'), slipText('014', 'TWOINONEPICTURE002')];
  await assertReason(await slipImage(one, other), 'UNSTABLE_REFNO_ON_SLIP');
  const wrong = `${one.slice(0, -4)}${one.endsWith('0000') ? '0001' : '0000'}`;
  await assertReason(await slipImage(wrong), 'UNSTABLE_REFNO_ON_SLIP');
});

test('INVALID_SLIP: a code that is no slip’s, or a transfer that the bank does not know [R-SLIP-02]', async () => {
  await assertReason(await slipImage('https://example.com/'), 'INVALID_SLIP');
  await assertReason(await slipImage(slipText('014', 'NOBODYEVERSENTTHIS')), 'INVALID_SLIP');
  // References are case-sensitive and scoped to the bank.
  const { sendingBank, transRef } = await transferBy(system, member, {
    amount: '11.00',
    transRef: 'caseMatters0000001',
  });
  await assertReason(await slipImage(slipText(sendingBank, transRef.toUpperCase())), 'INVALID_SLIP');
  await assertReason(await slipImage(slipText('004', transRef)), 'INVALID_SLIP');
});

test('beside a slip’s code others do not disturb [R-SLIP-02]', async () => {
  const { slipPayload } = await transferBy(system, member, { amount: '12.00' });
  await assertCredited(await slipImage('https://example.com/', slipPayload), 12);
});

test('DEST_ACC_INVALID: the receiver is not ours [R-SLIP-02]', async () => {
  const friend = await registerMember(system);
  await transferBy(system, friend, { amount: '1.00' });
  const to = { bankCode: friend.bankCode, accountNo: friend.bankAccountNo };
  const { image } = await transferBy(system, member, { amount: '500.00', to });
  const slip = await assertReason(image, 'DEST_ACC_INVALID');
  assert.equal(slip.amount, 500);
});

test('NOT_MATCH: the sender is not the account that the member registered [R-SLIP-02]', async () => {
  const stranger = await registerMember(system, { bankAccountName: 'SOMEBODY ELSE' });
  await assertReason((await transferBy(system, stranger, { amount: '20.00' })).image, 'NOT_MATCH');
  const namesake = { ...member, bankAccountNo: newAccountNo() };
  await assertReason((await transferBy(system, namesake, { amount: '20.00' })).image, 'NOT_MATCH');
  const sameNumber = { ...member, bankCode: 'BAY' };
  await assertReason((await transferBy(system, sameNumber, { amount: '20.00' })).image, 'NOT_MATCH');
});

test('NOT_MATCH: a slip of the wallet app, which is no bank account [R-SLIP-02]', async () => {
  const text = '00480002010102010203P2P0313TXN00012345670408250120249104b425';
  await assertReason(await slipImage(text), 'NOT_MATCH');
});

test('EXPIRED_SLIP: paid more than an hour before the upload; one minute less is in time [R-SLIP-03]', async () => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const late = await transferBy(system, member, { amount: '30.00', at: minutesAgo(61) });
  await assertReason(late.image, 'EXPIRED_SLIP');
  // A member registered after a transfer is never its sender: see `operator.test.ts`.
  await system.database.query(
    `update member_bank_account set created_at = now() - interval '2 hours' where member_id = $1`,
    [member.id],
  );
  const intime = await transferBy(system, member, { amount: '31.00', at: minutesAgo(55) });
  await assertCredited(intime.image, 31);
});

test('SLIP_REFNO_DUPLICATED: credited before, to the same member or another [R-SLIP-02] [R-SLIP-03]', async () => {
  const { image } = await transferBy(system, member, { amount: '40.00' });
  await assertCredited(image, 40);
  await assertReason(image, 'SLIP_REFNO_DUPLICATED');
  await assertReason(await sharp(image).rotate(90).jpeg({ quality: 60 }).toBuffer(), 'SLIP_REFNO_DUPLICATED');
  await assertReason(image, 'SLIP_REFNO_DUPLICATED', await registerMember(system));
});

test('a slip of a transfer that the bank’s feed has credited to its member is shown as credited, once, and credits nothing [R-SLIP-03]', async () => {
  const before = await walletOf(member);
  const { image } = await transferBy(system, member, { amount: '41.00', to: OUR_SCB });
  await until(
    () => walletOf(member),
    (amount) => amount !== before,
    'the credit',
  );
  assert.equal(await walletOf(member), before + 41);
  const { status, note, amount } = await outcomeOf(image);
  assert.deepEqual({ status, note, amount }, { status: 'SUCCESS', note: null, amount: 41 });
  await assertReason(image, 'SLIP_REFNO_DUPLICATED');
  await assertReason(image, 'SLIP_REFNO_DUPLICATED', await registerMember(system));
});

test('SLIP_REFNO_DUPLICATED: a payment of an own QR code is credited as that [R-SLIP-03]', async () => {
  const { create, pay } = customer(system, member);
  const before = await walletOf(member);
  const { body: paid } = await pay((await create(42)).body.payload);
  const image = await fetchImage(paid.slipUrl);
  await until(
    () => walletOf(member),
    (amount) => amount !== before,
    'the credit',
  );
  await assertReason(image, 'SLIP_REFNO_DUPLICATED');
  assert.equal(await walletOf(member), before + 42);
});

test('TRIPPLE_WRONG_CAPTCHA: the bank refuses three times; twice is asked again [R-SLIP-02]', async () => {
  for (const [times, isCredited] of [
    [3, false],
    [2, true],
  ] as const) {
    await misbehave(system, { target: 'bank', call: 'slip-lookup', fault: 'captcha', times });
    const { image } = await transferBy(system, member, { amount: '50.00' });
    const slip = await sendSlip(system, member.token, image);
    for (const refusals of [1, 2]) {
      await untilRow(system, slip.reference, (row) => row.refusals === refusals || row.state !== 'READ');
      await letTimePass(system);
    }
    const { status, note } = await ended(system, member.token, slip);
    assert.deepEqual(
      { status, note },
      isCredited ? { status: 'SUCCESS', note: null } : { status: 'FAILED', note: 'TRIPPLE_WRONG_CAPTCHA' },
    );
  }
});

test('a bank that is down, late, silent or talks nonsense is asked again, and the slip is credited', async () => {
  for (const fault of ['bank-down', 'delayed', 'timeout-lost', 'garbage', 'error-500']) {
    const { image } = await transferBy(system, member, { amount: '60.00' });
    await misbehave(system, { target: 'bank', call: 'slip-lookup', fault });
    const before = await walletOf(member);
    const slip = await sendSlip(system, member.token, image);
    await untilRow(system, slip.reference, (row) => row.state === 'READ' && row.tries > 0);
    await letTimePass(system);
    assert.equal((await ended(system, member.token, slip)).status, 'SUCCESS', fault);
    assert.equal(await walletOf(member), before + 60, fault);
  }
});

test('UNKNOW_ERROR: a bank that never replies; it waits for an operator, and no money moved [R-SLIP-02]', async () => {
  const { image } = await transferBy(system, member, { amount: '70.00' });
  await misbehave(system, { target: 'bank', call: 'slip-lookup', fault: 'bank-down', times: 40 });
  const before = await walletOf(member);
  const slip = await sendSlip(system, member.token, image);
  await untilRow(system, slip.reference, ({ state, tries }) => state === 'READ' && tries > 0);
  // An hour later: all tries are used up.
  await system.database.query('update slip set tries = 40 where reference = $1', [slip.reference]);
  await letTimePass(system);
  const row = await untilRow(system, slip.reference, ({ state }) => state !== 'READ');
  assert.deepEqual({ state: row.state, reason: row.reason }, { state: 'MANUAL', reason: 'BANK_SILENT' });
  const { status, note } = await ended(system, member.token, slip);
  assert.deepEqual({ status, note }, { status: 'FAILED', note: 'UNKNOW_ERROR' });
  assert.equal(await walletOf(member), before);
  await queueHolds(system, 'slip', 'operator', (items) => items === 1);
  await system.world('DELETE /control/faults');
});

test('the same slip from two members at the same moment is credited once, to the sender of the money [R-SLIP-03]', async () => {
  const [owner, other] = [await registerMember(system), await registerMember(system)];
  const { image } = await transferBy(system, owner, { amount: '80.00' });
  // The verdict for the other member is delayed. On a busy machine reading the owner's image takes longer.
  await system.database.query(`
    create function wait_for_owner() returns trigger language plpgsql as $$
      begin new.work_at := now() + interval '1 hour'; return new; end $$;
    create trigger wait_for_owner before update on slip for each row
      when (old.verdict is null and new.verdict is not null) execute function wait_for_owner()`);
  const [own, others] = await Promise.all([owner, other].map(({ token }) => sendSlip(system, token, image)));
  assert.ok(own && others);
  assert.equal((await ended(system, owner.token, own)).status, 'SUCCESS');
  await untilRow(system, others.reference, ({ state, isJudged }) => isJudged || state === 'FAILED');
  await system.database.query('drop function wait_for_owner cascade');
  await letTimePass(system);
  assert.equal((await ended(system, other.token, others)).note, 'SLIP_REFNO_DUPLICATED');
  assert.deepEqual([await walletOf(owner), await walletOf(other)], [80, 0]);
});

test('another member’s slip sent at the same moment takes nothing from its owner [R-SLIP-03]', async () => {
  const [owner, thief] = [await registerMember(system), await registerMember(system, { bankAccountName: 'A THIEF' })];
  const { image } = await transferBy(system, owner, { amount: '90.00' });
  const stolen = await sendSlip(system, thief.token, image);
  const own = await sendSlip(system, owner.token, image);
  assert.equal((await ended(system, owner.token, own)).status, 'SUCCESS');
  const { note } = await ended(system, thief.token, stolen);
  assert.ok(note === 'SLIP_REFNO_DUPLICATED' || note === 'NOT_MATCH', String(note));
  assert.deepEqual([await walletOf(owner), await walletOf(thief)], [90, 0]);
});
