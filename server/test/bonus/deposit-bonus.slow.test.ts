import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { announceTransfer } from '../deposit/bank-transfer/feed-fixtures.ts';
import { makeInquiriesDue, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { OWN_SCB_ACCOUNT, transferWithSlip, uploadSlips, waitForSlipEnd } from '../deposit/slip/slip-fixtures.ts';
import { encryptGiftLink } from '../deposit/truelink/gift-link.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet, parseBaht } from '../harness/money.ts';
import { openSlipDeposits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { countReceived, insertOffer, readActiveBonus, receiveBonus, updateOffer } from './bonus-fixtures.ts';
import {
  createQrWith,
  payerOf,
  payQrcode,
  readChosenBonus,
  readWallet,
  referenceOf,
  sendSlipWith,
  waitForChosenBonus,
} from './chosen-bonus.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  await openSlipDeposits(system);
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

type Qr = { payload: string; qrcodeId: string; amount: number; bonusCode: string | null };
const createQr = async (member: TestMember, amount: number, bonus?: string): Promise<Qr & { reference: string }> => {
  const { status, body } = await createQrWith(system, member, amount, { bonus });
  assert.equal(status, 200, JSON.stringify(body));
  return { ...body, reference: await referenceOf(system, body.qrcodeId) };
};
const newMemberWithQr = async (amount: number, bonus?: string) => {
  const member = await registerMember(system);
  return { member, qr: await createQr(member, amount, bonus) };
};
const assertNotReceived = async (member: TestMember, reference: string, reason: string, detail: string | null) => {
  const bonus = await waitForChosenBonus(system, member, reference);
  assert.deepEqual([bonus?.state, bonus?.reason, bonus?.detail, bonus?.amount], ['REFUSED', reason, detail, null]);
};

/** Pays a code into an empty wallet. */
async function payUntilCredited(member: TestMember, { payload, amount }: Qr): Promise<void> {
  await payQrcode(system, member, payload);
  await waitUntil(
    () => readWallet(system, member),
    (balance) => balance === amount,
    'the credit',
  );
}

/** Loses money by play. */
async function loseWallet({ id }: TestMember, amount: string): Promise<void> {
  const key = `test:lost:${id}`;
  const [verdict] = await ledger.post({
    key,
    type: 'transfer',
    kind: 'play',
    memberId: id,
    currency: 'BAHT',
    debit: { member: id, kind: 'WALLET' },
    credit: { houseAccount: 'provider:pg' },
    amount: parseBaht(amount),
    reference: key,
    actor: 'test',
  });
  assert.equal(verdict?.outcome, 'applied');
}

test('a chosen bonus is stored with a QR code, and received after the credit while no app is open; a replay changes nothing [R-BON-03] [R-WALLET-01]', async () => {
  const code = await insertOffer(system);
  const member = await registerMember(system);
  const key = randomUUID();
  const { body: qr } = await createQrWith(system, member, 300, { bonus: code.toLowerCase(), key });
  assert.equal(qr.bonusCode, code);
  assert.deepEqual((await createQrWith(system, member, 300, { bonus: code.toLowerCase(), key })).body, qr);
  assertRefused(await createQrWith(system, member, 300, { key }), 'KEY_INVALID');
  const reference = await referenceOf(system, qr.qrcodeId);
  assert.deepEqual(await readChosenBonus(system, member, reference), {
    code,
    name: `${code} en`,
    state: 'PENDING',
    amount: null,
    reason: null,
    detail: null,
  });
  await payQrcode(system, member, qr.payload);
  const bonus = await waitForChosenBonus(system, member, reference);
  assert.deepEqual([bonus?.state, bonus?.amount], ['RECEIVED', 300]);
  assert.equal(await readWallet(system, member), 600);
  const active = await readActiveBonus(system, member);
  assert.deepEqual([active.status, active.code, active.condition.base], [true, code, 600]);
  assert.equal(await countReceived(system, member.id), 1);
  const [notice] = await waitUntil(
    async () =>
      (await system.api('POST /api/notices', { token: member.token, body: { page: 1, limit: 10 } })).body.notices,
    (notices) => notices.length > 0,
    'the notice of the deposit',
  );
  assert.deepEqual(notice?.facts, { amount: 300, currency: 'BAHT', bonus: 300 });
  const { body: replay } = await createQrWith(system, member, 300, { bonus: code.toLowerCase(), key });
  assert.deepEqual([replay.qrcodeId, replay.bonusCode], [qr.qrcodeId, code]);
  assert.equal(await countReceived(system, member.id), 1);
});

test('a chosen bonus is received with announced transfers, slips and gift links too [R-BON-03] [R-WALLET-01]', async () => {
  const code = await insertOffer(system);
  const announcer = await registerMember(system);
  const notice = await announceTransfer(system, announcer, { amount: 200, bankCode: 'SCB', bonus: code });
  assert.deepEqual([notice.status, notice.body.bonusCode], [200, code], JSON.stringify(notice.body));
  const transfer = { from: payerOf(announcer), to: OWN_SCB_ACCOUNT, amount: notice.body.payAmount.toFixed(2) };
  assert.equal((await system.simulatorsApi('POST /bank/transfer', { body: transfer })).status, 200);

  const uploader = await registerMember(system);
  const { image } = await transferWithSlip(system, uploader, { amount: '150.00' });
  const upload = await uploadSlips(
    system,
    uploader.token,
    { bytes: image },
    { field: 'bonus', bytes: new Uint8Array() },
  );
  assertRefused(upload, 'SLIP_INVALID_FILE');
  const slipReference = await sendSlipWith(system, uploader, image, code);

  const receiver = await registerMember(system);
  const gift = await system.simulatorsApi('POST /wallet-app/gift', { body: { amount: '120.00' } });
  const redeemed = await system.api('POST /api/wallet/truelink', {
    token: receiver.token,
    body: { link: encryptGiftLink(gift.body.link), bonus: code },
  });
  assert.equal(redeemed.status, 200, JSON.stringify(redeemed.body));

  for (const [member, reference, amount] of [
    [announcer, notice.body.reference, 200],
    [uploader, slipReference, 150],
    [receiver, redeemed.body.reference, 120],
  ] as const) {
    const bonus = await waitForChosenBonus(system, member, reference);
    assert.deepEqual([bonus?.state, bonus?.amount], ['RECEIVED', amount], `${reference} ${JSON.stringify(bonus)}`);
    assert.equal(await readWallet(system, member), 2 * amount);
    assert.equal(await countReceived(system, member.id), 1);
  }
});

test('a chosen bonus that is not on offer to the member, or needs a larger amount, creates no deposit [R-BON-03]', async () => {
  const member = await registerMember(system);
  const code = await insertOffer(system);
  const codes = {
    unknown: 'NO-SUCH-OFFER',
    malformed: "' or true --",
    off: await insertOffer(system, { isOn: false }),
    ended: await insertOffer(system, { endsAt: '2020-01-01T00:00:00Z' }),
    promotion: await insertOffer(system, { kind: 'PROMOTION' }),
    prize: 'WHEEL',
    kip: await insertOffer(system, { currency: 'LAK' }),
  };
  const gift = await system.simulatorsApi('POST /wallet-app/gift', { body: { amount: '50.00' } });
  for (const [what, bonus] of Object.entries(codes)) {
    assertRefused(await createQrWith(system, member, 300, { bonus }), 'NO_PROMOTION');
    assertRefused(await announceTransfer(system, member, { amount: 300, bonus }), 'NO_PROMOTION');
    const { link } = gift.body as { link: string };
    const body = { link: encryptGiftLink(link), bonus };
    assertRefused(await system.api('POST /api/wallet/truelink', { token: member.token, body }), 'NO_PROMOTION');
    const { rows } = await system.database.query(
      `select (select count(*)::int from qrcode where member_id = $1) as codes,
              (select count(*)::int from deposit_announcement where member_id = $1) as notices,
              (select count(*)::int from truelink_gift where member_id = $1) as gifts`,
      [member.id],
    );
    assert.deepEqual(rows, [{ codes: 0, notices: 0, gifts: 0 }], what);
  }
  assertRefused(await createQrWith(system, member, 99.99, { bonus: code }), 'BONUS_CONDITION', 'DEPOSIT_BELOW_MINIMUM');
  assertRefused(
    await announceTransfer(system, member, { amount: 99, bonus: code }),
    'BONUS_CONDITION',
    'DEPOSIT_BELOW_MINIMUM',
  );
  for (const bonus of [7, {}, null, 'X'.repeat(1_000)])
    assertRefused(await createQrWith(system, member, 300, { bonus }), 'QR_FAIL', undefined, 400);
});

test('a chosen bonus can be changed or removed until the payment, with another request for the same amount [R-BON-03]', async () => {
  const [code, other] = [await insertOffer(system), await insertOffer(system, { percent: 50 })];
  const { member, qr } = await newMemberWithQr(300, code);
  const changed = await createQr(member, 300, other);
  assert.deepEqual([changed.qrcodeId, changed.bonusCode], [qr.qrcodeId, other]);
  const removed = await createQr(member, 300);
  assert.deepEqual([removed.qrcodeId, removed.bonusCode], [qr.qrcodeId, null]);
  await createQr(member, 300, other);
  const { body: shown } = await system.api('GET /api/qrcode/KBANK', { token: member.token });
  assert.equal(shown.bonusCode, other);
  await payQrcode(system, member, qr.payload);
  assert.equal((await waitForChosenBonus(system, member, qr.reference))?.amount, 150);
  const notice = await announceTransfer(system, await registerMember(system), { amount: 250, bonus: code });
  assert.equal(notice.body.bonusCode, code);
});

test('a chosen bonus leaves the deposit credited without it when it can no longer be received, and its timeline says why [R-BON-03]', async () => {
  const code = await insertOffer(system);
  const [off, full] = [await insertOffer(system), await insertOffer(system)];
  const [switchedOff, late, again, holder, rich, under] = await Promise.all([
    newMemberWithQr(300, off),
    newMemberWithQr(300, full),
    newMemberWithQr(300, code),
    newMemberWithQr(300, code),
    newMemberWithQr(300, code),
    newMemberWithQr(100, code),
  ]);
  await updateOffer(system, off, 'is_on', false);
  await updateOffer(system, full, 'quota', 0);
  await fundWallet(ledger, again.member.id, '300.00');
  assert.equal((await receiveBonus(system, again.member, code)).status, 200);
  assert.equal((await system.api('GET /api/bonus/clear', { token: again.member.token })).status, 200);
  await fundWallet(ledger, holder.member.id, '200.00');
  const active = await insertOffer(system);
  assert.equal((await receiveBonus(system, holder.member, active)).status, 200);
  await fundWallet(ledger, rich.member.id, '77.00');
  await payQrcode(system, switchedOff.member, switchedOff.qr.payload);
  await payQrcode(system, late.member, late.qr.payload);
  await payQrcode(system, again.member, again.qr.payload);
  await payQrcode(system, holder.member, holder.qr.payload);
  await payQrcode(system, rich.member, rich.qr.payload);
  await payQrcode(system, under.member, under.qr.payload, { amount: '99.00' });
  for (const [{ member, qr }, reason, detail, wallet, received] of [
    [switchedOff, 'NO_PROMOTION', null, 300, 0],
    [late, 'BONUS_FULL', null, 300, 0],
    [again, 'BONUS_MAX_CLAIMED', null, 600, 1],
    [holder, 'BONUS_ALREADY_ACTIVE', null, 700, 1],
    [rich, 'BONUS_REMAINING', 'MONEY_LEFT', 377, 0],
    [under, 'BONUS_CONDITION', 'DEPOSIT_BELOW_MINIMUM', 99, 0],
  ] as const) {
    await assertNotReceived(member, qr.reference, reason, detail);
    assert.equal(await readWallet(system, member), wallet, reason);
    assert.equal(await countReceived(system, member.id), received, reason);
  }
});

test('a chosen bonus is received on its own deposit only: a later one neither qualifies nor counts as remaining money [R-BON-03]', async () => {
  const code = await insertOffer(system);
  const { member, qr } = await newMemberWithQr(300, code);
  // Until the second deposit is credited, no worker claims the first one's bonus.
  await system.database.tx(async (tx) => {
    await tx.query('lock table bonus_receipt in access exclusive mode');
    await payUntilCredited(member, qr);
    await fundWallet(ledger, member.id, '500.00');
  });
  const bonus = await waitForChosenBonus(system, member, qr.reference);
  assert.deepEqual([bonus?.state, bonus?.amount], ['RECEIVED', 300]);
  assert.equal((await readActiveBonus(system, member)).condition.base, 600);
  assert.equal(await readWallet(system, member), 1_100);
});

test('a chosen bonus is not received on a deposit that was played before a later one came [R-BON-03]', async () => {
  const code = await insertOffer(system);
  const { member, qr } = await newMemberWithQr(300, code);
  await system.database.tx(async (tx) => {
    await tx.query('lock table bonus_receipt in access exclusive mode');
    await payUntilCredited(member, qr);
    await loseWallet(member, '300.00');
    await fundWallet(ledger, member.id, '500.00');
  });
  await assertNotReceived(member, qr.reference, 'BONUS_CONDITION', 'DEPOSIT_PLAYED');
});

test('of two deposits with a chosen bonus each that are credited at the same time, the first one receives it [R-BON-03] [R-WALLET-01]', async () => {
  const code = await insertOffer(system, { maxReceived: 2 });
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      const { member, qr } = await newMemberWithQr(300, code);
      const notice = await announceTransfer(system, member, { amount: 200, bankCode: 'SCB', bonus: code });
      assert.equal(notice.status, 200, JSON.stringify(notice.body));
      const transfer = { from: payerOf(member), to: OWN_SCB_ACCOUNT, amount: notice.body.payAmount.toFixed(2) };
      await Promise.all([
        payQrcode(system, member, qr.payload),
        system.simulatorsApi('POST /bank/transfer', { body: transfer }),
      ]);
      const outcomes = await Promise.all(
        [qr.reference, notice.body.reference as string].map((key) => waitForChosenBonus(system, member, key)),
      );
      const received = outcomes.filter((bonus) => bonus?.state === 'RECEIVED');
      assert.equal(received.length, 1, JSON.stringify(outcomes));
      const refused = outcomes.find((bonus) => bonus?.state === 'REFUSED');
      assert.ok(['BONUS_ALREADY_ACTIVE', 'BONUS_REMAINING'].includes(refused?.reason ?? ''), refused?.reason ?? '');
      assert.equal(await countReceived(system, member.id), 1);
    }),
  );
});

test('a chosen bonus that the member also claims at the same moment is received once, and its deposit shows it [R-BON-03]', async () => {
  const code = await insertOffer(system);
  const deposits = await Promise.all(Array.from({ length: 6 }, () => newMemberWithQr(300, code)));
  await Promise.all(
    deposits.map(async ({ member, qr }) => {
      await payQrcode(system, member, qr.payload);
      const claims = await Promise.all(Array.from({ length: 4 }, () => receiveBonus(system, member, code)));
      const bonus = await waitForChosenBonus(system, member, qr.reference);
      assert.deepEqual(
        [bonus?.state, bonus?.amount],
        ['RECEIVED', 300],
        JSON.stringify(claims.map(({ body }) => body)),
      );
      assert.equal(await readWallet(system, member), 600);
      assert.equal(await countReceived(system, member.id), 1);
    }),
  );
});

test('a chosen bonus is received on a payment after its code or announcement has expired [R-BON-03]', async () => {
  const code = await insertOffer(system);
  const { member, qr } = await newMemberWithQr(300, code);
  await system.database.query(
    `update qrcode set state = 'EXPIRED', expires_at = now() - interval '1 minute', ended_at = now() where id = $1`,
    [qr.qrcodeId],
  );
  assert.equal((await readChosenBonus(system, member, qr.reference)) === null, true);
  await payQrcode(system, member, qr.payload, { late: true });
  await makeInquiriesDue(system);
  assert.equal((await waitForChosenBonus(system, member, qr.reference))?.state, 'RECEIVED');
  assert.equal(await readWallet(system, member), 600);
});

test('a refused slip carries no pending bonus over to the already credited transfer that it repeats [R-BON-03]', async () => {
  const code = await insertOffer(system);
  const member = await registerMember(system);
  const { image } = await transferWithSlip(system, member, { amount: '150.00' });
  const credited = await sendSlipWith(system, member, image, '');
  assert.equal((await waitForSlipEnd(system, member.token, { reference: credited })).status, 'SUCCESS');
  const repeated = await sendSlipWith(system, member, image, code);
  assert.equal((await waitForSlipEnd(system, member.token, { reference: repeated })).note, 'SLIP_REFNO_DUPLICATED');
  for (const reference of [credited, repeated])
    assert.equal(await readChosenBonus(system, member, reference), null, reference);
  assert.equal(await readWallet(system, member), 150);
});
