import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import sharp from 'sharp';
import { audit } from '../../../src/ledger/audit.ts';
import { newAccountNo, registerMember, type TestMember } from '../../harness/members.ts';
import { injectFault, setRateLimits, openSlipDeposits } from '../../harness/operator.ts';
import { waitForQueueItems } from '../../harness/queues.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { outsideWithBankTimeout } from '../../withdraw/payout-fixtures.ts';
import { qrCustomer, waitUntil } from '../qrcode/qr-fixtures.ts';
import {
  waitForSlipEnd,
  fetchImage,
  makeSlipsDue,
  OWN_SCB_ACCOUNT,
  slipImage,
  sendSlip,
  type SlipBody,
  slipText,
  transferWithSlip,
  waitForSlipRow,
} from './slip-fixtures.ts';

let system: System;
let member: TestMember;

before(async () => {
  // The bank times out once on purpose.
  system = await startSystem({ outside: outsideWithBankTimeout(1_500) });
  await setRateLimits(system, { 'slip.member': 1000, 'slip.member.day': 1000 });
  await openSlipDeposits(system);
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
async function readSlipOutcome(image: Uint8Array, credit = 0, ofMember = member): Promise<SlipBody> {
  const before = await walletOf(ofMember);
  const slip = await waitForSlipEnd(system, ofMember.token, await sendSlip(system, ofMember.token, image));
  assert.equal(await walletOf(ofMember), before + credit);
  return slip;
}

async function assertReason(image: Uint8Array, note: string, ofMember = member): Promise<SlipBody> {
  const slip = await readSlipOutcome(image, 0, ofMember);
  assert.deepEqual({ status: slip.status, note: slip.note }, { status: 'FAILED', note });
  return slip;
}

async function assertCredited(image: Uint8Array, amount: number, ofMember = member): Promise<SlipBody> {
  const slip = await readSlipOutcome(image, amount, ofMember);
  assert.deepEqual(
    { status: slip.status, note: slip.note, amount: slip.amount },
    { status: 'SUCCESS', note: null, amount },
  );
  return slip;
}

const blankImage = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#fafafa' } })
    .jpeg()
    .toBuffer();

test("a slip of the member's own transfer to the operator's account is SUCCESS and credited [R-SLIP-02]", async () => {
  const slipTransfer = await transferWithSlip(system, member, { amount: '150.25' });
  await assertCredited(slipTransfer.image, 150.25);
  const { statements } = (await system.api('POST /api/statement', { token: member.token, body: {} })).body;
  assert.deepEqual(
    { type: statements[0].statementType, amount: statements[0].amount, status: statements[0].status },
    { type: 'deposit', amount: 150.25, status: 'SUCCESS' },
  );
});

test('a slip whose checksum lacks its leading zeros is accepted [R-SLIP-02]', async () => {
  const { image } = await transferWithSlip(system, member, { amount: '10.00', slip: 'short-crc' });
  await assertCredited(image, 10);
});

test('an image under 300 px, or over 64 million pixels, is IMG_SIZE_UNABLE_TO_PROCESS [R-SLIP-02]', async () => {
  await assertReason(await blankImage(299, 800), 'IMG_SIZE_UNABLE_TO_PROCESS');
  await assertReason(await blankImage(8001, 8000), 'IMG_SIZE_UNABLE_TO_PROCESS');
});

test('an image without a code, or a truncated file without an image, is CANNOT_READ_CROPPED_IMAGE [R-SLIP-02]', async () => {
  await assertReason(await blankImage(720, 1040), 'CANNOT_READ_CROPPED_IMAGE');
  const wholeSlip = await slipImage(slipText('014', 'CUTINTHEMIDDLE0001'));
  await assertReason(wholeSlip.subarray(0, wholeSlip.length / 2), 'CANNOT_READ_CROPPED_IMAGE');
});

test('two slips in one image, or a wrong checksum, are UNSTABLE_REFNO_ON_SLIP [R-SLIP-02]', async () => {
  const [firstText, otherText] = [slipText('014', 'TWOINONEPICTURE001'), slipText('014', 'TWOINONEPICTURE002')];
  await assertReason(await slipImage(firstText, otherText), 'UNSTABLE_REFNO_ON_SLIP');
  const wrongCrcText = `${firstText.slice(0, -4)}${firstText.endsWith('0000') ? '0001' : '0000'}`;
  await assertReason(await slipImage(wrongCrcText), 'UNSTABLE_REFNO_ON_SLIP');
});

test("a code that is not a slip's, or a transfer unknown to the bank, is INVALID_SLIP [R-SLIP-02]", async () => {
  await assertReason(await slipImage('https://example.com/'), 'INVALID_SLIP');
  await assertReason(await slipImage(slipText('014', 'NOBODYEVERSENTTHIS')), 'INVALID_SLIP');
  // References are case-sensitive and scoped to the bank.
  const { sendingBank, transRef } = await transferWithSlip(system, member, {
    amount: '11.00',
    transRef: 'caseMatters0000001',
  });
  await assertReason(await slipImage(slipText(sendingBank, transRef.toUpperCase())), 'INVALID_SLIP');
  await assertReason(await slipImage(slipText('004', transRef)), 'INVALID_SLIP');
});

test("other codes beside a slip's code in the image do not matter [R-SLIP-02]", async () => {
  const { slipPayload } = await transferWithSlip(system, member, { amount: '12.00' });
  await assertCredited(await slipImage('https://example.com/', slipPayload), 12);
});

test("a slip paid to an account that is not the operator's is DEST_ACC_INVALID [R-SLIP-02]", async () => {
  const friend = await registerMember(system);
  await transferWithSlip(system, friend, { amount: '1.00' });
  const to = { bankCode: friend.bankCode, accountNo: friend.bankAccountNo };
  const { image } = await transferWithSlip(system, member, { amount: '500.00', to });
  const slip = await assertReason(image, 'DEST_ACC_INVALID');
  assert.equal(slip.amount, 500);
});

test("a slip sent from another account than the member's registered one is NOT_MATCH [R-SLIP-02]", async () => {
  const otherMember = await registerMember(system, { bankAccountName: 'SOMEBODY ELSE' });
  await assertReason((await transferWithSlip(system, otherMember, { amount: '20.00' })).image, 'NOT_MATCH');
  const sameNameAccount = { ...member, bankAccountNo: newAccountNo() };
  await assertReason((await transferWithSlip(system, sameNameAccount, { amount: '20.00' })).image, 'NOT_MATCH');
  const sameNumber = { ...member, bankCode: 'BAY' };
  await assertReason((await transferWithSlip(system, sameNumber, { amount: '20.00' })).image, 'NOT_MATCH');
});

test('a slip of the wallet app, which is not a bank account, is NOT_MATCH [R-SLIP-02]', async () => {
  const text = '00480002010102010203P2P0313TXN00012345670408250120249104b425';
  await assertReason(await slipImage(text), 'NOT_MATCH');
});

test('a slip paid more than an hour before the upload is EXPIRED_SLIP; one minute less is accepted [R-SLIP-03]', async () => {
  const timeMinutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const lateTransfer = await transferWithSlip(system, member, { amount: '30.00', at: timeMinutesAgo(61) });
  await assertReason(lateTransfer.image, 'EXPIRED_SLIP');
  // A member registered after a transfer is never its sender: see `operator.test.ts`.
  await system.database.query(
    `update member_bank_account set created_at = now() - interval '2 hours' where member_id = $1`,
    [member.id],
  );
  const inTimeTransfer = await transferWithSlip(system, member, { amount: '31.00', at: timeMinutesAgo(55) });
  await assertCredited(inTimeTransfer.image, 31);
});

test('a slip credited before, to the same or another member, is SLIP_REFNO_DUPLICATED [R-SLIP-02] [R-SLIP-03]', async () => {
  const { image } = await transferWithSlip(system, member, { amount: '40.00' });
  await assertCredited(image, 40);
  await assertReason(image, 'SLIP_REFNO_DUPLICATED');
  await assertReason(await sharp(image).rotate(90).jpeg({ quality: 60 }).toBuffer(), 'SLIP_REFNO_DUPLICATED');
  await assertReason(image, 'SLIP_REFNO_DUPLICATED', await registerMember(system));
});

test('a slip of a transfer already credited by the feed is shown as credited, once, and credits nothing [R-SLIP-03]', async () => {
  const before = await walletOf(member);
  const { image } = await transferWithSlip(system, member, { amount: '41.00', to: OWN_SCB_ACCOUNT });
  await waitUntil(
    () => walletOf(member),
    (amount) => amount !== before,
    'the credit',
  );
  assert.equal(await walletOf(member), before + 41);
  const { status, note, amount } = await readSlipOutcome(image);
  assert.deepEqual({ status, note, amount }, { status: 'SUCCESS', note: null, amount: 41 });
  await assertReason(image, 'SLIP_REFNO_DUPLICATED');
  await assertReason(image, 'SLIP_REFNO_DUPLICATED', await registerMember(system));
});

test('a slip of a payment credited through a QR code is SLIP_REFNO_DUPLICATED [R-SLIP-03]', async () => {
  const { create, pay } = qrCustomer(system, member);
  const before = await walletOf(member);
  const { body: payReply } = await pay((await create(42)).body.payload);
  const image = await fetchImage(payReply.slipUrl);
  await waitUntil(
    () => walletOf(member),
    (amount) => amount !== before,
    'the credit',
  );
  await assertReason(image, 'SLIP_REFNO_DUPLICATED');
  assert.equal(await walletOf(member), before + 42);
});

test('a slip that the bank refuses three times is TRIPPLE_WRONG_CAPTCHA; after two refusals it is inquired again [R-SLIP-02]', async () => {
  for (const [attempts, isCredited] of [
    [3, false],
    [2, true],
  ] as const) {
    await injectFault(system, { target: 'bank', call: 'slip-lookup', fault: 'captcha', times: attempts });
    const { image } = await transferWithSlip(system, member, { amount: '50.00' });
    const slip = await sendSlip(system, member.token, image);
    for (const refusals of [1, 2]) {
      await waitForSlipRow(system, slip.reference, (row) => row.refusals === refusals || row.state !== 'READ');
      await makeSlipsDue(system);
    }
    const { status, note } = await waitForSlipEnd(system, member.token, slip);
    assert.deepEqual(
      { status, note },
      isCredited ? { status: 'SUCCESS', note: null } : { status: 'FAILED', note: 'TRIPPLE_WRONG_CAPTCHA' },
    );
  }
});

/** Seconds until the next look-up of a slip. */
async function readDelay(reference: string): Promise<number> {
  const { rows } = await system.database.query<{ seconds: number }>(
    'select extract(epoch from work_at - now())::int as seconds from slip where reference = $1',
    [reference],
  );
  return rows[0]?.seconds ?? 0;
}

test('a bank that is down, late, silent or replies with garbage is inquired again within five minutes, and the slip credited', async () => {
  for (const fault of ['bank-down', 'delayed', 'timeout-lost', 'garbage', 'error-500']) {
    const { image } = await transferWithSlip(system, member, { amount: '60.00' });
    await injectFault(system, { target: 'bank', call: 'slip-lookup', fault, delayMs: 3_600_000 });
    const before = await walletOf(member);
    const slip = await sendSlip(system, member.token, image);
    await waitForSlipRow(system, slip.reference, (row) => row.state === 'READ' && row.tries > 0);
    // The lease of a look-up is shorter than the hour that the bank names, and than five minutes.
    if (fault === 'delayed') {
      const isDelayed = (seconds: number): boolean => seconds > 240;
      assert.ok((await waitUntil(() => readDelay(slip.reference), isDelayed, 'the delay of the look-up')) <= 300);
    }
    await makeSlipsDue(system);
    assert.equal((await waitForSlipEnd(system, member.token, slip)).status, 'SUCCESS', fault);
    assert.equal(await walletOf(member), before + 60, fault);
  }
});

test('a bank that never replies makes a slip UNKNOW_ERROR, which waits for an operator, and no money moves [R-SLIP-02]', async () => {
  const { image } = await transferWithSlip(system, member, { amount: '70.00' });
  await injectFault(system, { target: 'bank', call: 'slip-lookup', fault: 'bank-down', times: 40 });
  const before = await walletOf(member);
  const slip = await sendSlip(system, member.token, image);
  // An hour later: the 22nd try is the last. A look-up in progress has a lease of over 10 s.
  const skipHour = async (): Promise<number> => {
    const { rowCount } = await system.database.query(
      `update slip set tries = 20, work_at = now()
        where reference = $1 and state = 'READ' and tries > 0 and work_at between now() and now() + interval '5 s'`,
      [slip.reference],
    );
    return rowCount;
  };
  await waitUntil(skipHour, (rows) => rows === 1, 'the slip waits for its next look-up');
  const isScheduled = (seconds: number): boolean => seconds > 100;
  await waitForSlipRow(system, slip.reference, ({ state, tries }) => state === 'READ' && tries === 21);
  await waitUntil(() => readDelay(slip.reference), isScheduled, 'another try is scheduled');
  await makeSlipsDue(system);
  const row = await waitForSlipRow(system, slip.reference, ({ state }) => state !== 'READ');
  assert.deepEqual({ state: row.state, reason: row.reason }, { state: 'MANUAL', reason: 'BANK_SILENT' });
  const { status, note } = await waitForSlipEnd(system, member.token, slip);
  assert.deepEqual({ status, note }, { status: 'FAILED', note: 'UNKNOW_ERROR' });
  assert.equal(await walletOf(member), before);
  await waitForQueueItems(system, 'slip', 'operator', (items) => items === 1);
  await system.simulatorsApi('DELETE /control/faults');
});

test('the same slip from two members at the same moment is credited once, to the sender of the money [R-SLIP-03]', async () => {
  const [owner, otherMember] = [await registerMember(system), await registerMember(system)];
  const { image } = await transferWithSlip(system, owner, { amount: '80.00' });
  // The verdict for the other member is delayed. On a busy machine reading the owner's image takes longer.
  await system.database.query(`
    create function wait_for_owner() returns trigger language plpgsql as $$
      begin new.work_at := now() + interval '1 hour'; return new; end $$;
    create trigger wait_for_owner before update on slip for each row
      when (old.verdict is null and new.verdict is not null) execute function wait_for_owner()`);
  const [ownSlip, otherSlip] = await Promise.all(
    [owner, otherMember].map(({ token }) => sendSlip(system, token, image)),
  );
  assert.ok(ownSlip && otherSlip);
  assert.equal((await waitForSlipEnd(system, owner.token, ownSlip)).status, 'SUCCESS');
  await waitForSlipRow(system, otherSlip.reference, ({ state, isJudged }) => isJudged || state === 'FAILED');
  await system.database.query('drop function wait_for_owner cascade');
  await makeSlipsDue(system);
  assert.equal((await waitForSlipEnd(system, otherMember.token, otherSlip)).note, 'SLIP_REFNO_DUPLICATED');
  assert.deepEqual([await walletOf(owner), await walletOf(otherMember)], [80, 0]);
});

test("another member's copy of a slip sent at the same moment takes nothing from the owner [R-SLIP-03]", async () => {
  const [owner, thief] = [await registerMember(system), await registerMember(system, { bankAccountName: 'A THIEF' })];
  const { image } = await transferWithSlip(system, owner, { amount: '90.00' });
  const stolenSlip = await sendSlip(system, thief.token, image);
  const ownSlip = await sendSlip(system, owner.token, image);
  assert.equal((await waitForSlipEnd(system, owner.token, ownSlip)).status, 'SUCCESS');
  const { note } = await waitForSlipEnd(system, thief.token, stolenSlip);
  assert.ok(note === 'SLIP_REFNO_DUPLICATED' || note === 'NOT_MATCH', String(note));
  assert.deepEqual([await walletOf(owner), await walletOf(thief)], [90, 0]);
});
