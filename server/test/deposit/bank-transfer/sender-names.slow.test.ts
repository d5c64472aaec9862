import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { openSlipDeposits } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { setPayoutDelay, waitForState, withdraw } from '../../withdraw/payout-fixtures.ts';
import { waitUntil } from '../qrcode/qr-fixtures.ts';
import { waitForSlipEnd, OWN_GSB_ACCOUNT, OWN_SCB_ACCOUNT, sendSlip, transferWithSlip } from '../slip/slip-fixtures.ts';
import { readArrivalRow, assertBooksAgree, readDepositAmounts } from './feed-fixtures.ts';

let system: System;
before(async () => {
  system = await startSystem();
  await openSlipDeposits(system);
});
after(() => system.stop());
afterEach(() => assertBooksAgree(system));

const KBANK_ACCOUNT = { bankCode: 'KBANK', accountNo: '1238004567' };

/** The member's own account, with the name at its bank. */
const memberNamed = (member: TestMember, bankAccountName: string): TestMember => ({ ...member, bankAccountName });

async function assertCredited(member: TestMember, name: string, to: typeof KBANK_ACCOUNT): Promise<void> {
  const { transRef } = await transferWithSlip(system, memberNamed(member, name), { amount: '45.00', to });
  const row = await waitUntil(
    () => readArrivalRow(system, transRef),
    (arrival) => arrival !== undefined && arrival.state !== 'NEW',
    `${name} is decided`,
  );
  assert.deepEqual([row?.state, row?.memberId], ['CREDITED', member.id], name);
}

test("money from the member's account is credited however the bank spells the name and title [R-DEP-04]", async () => {
  for (const [registeredName, ...spellings] of [
    ['แดง สดใส', 'เเดง สดใส', 'จ.ส.อ. แดง สดใส', 'ว่าที่ ร.ต.เเดง สดใส', 'ดร. นายแดง สดใส'],
    ['นำ้ฝน ใจดี', 'นํ้าฝน ใจดี', 'น้ำฝน ใจดี', 'น.ส.น้\u200bำฝน\u00a0ใจดี', 'พ.ต.อ. (พิเศษ) น้ำฝน ใจดี'],
    ['SOMCHAI JAIDEE', 'JAIDEE SOMCHAI', 'DR.SOMCHAI JAIDEE', 'Acting Sub Lt. Somchai Jaidee', 'SOMCHAI JAI-DEE'],
    ['ANNE-MARIE SMITH', 'ANNE MARIE SMITH', 'ANNEMARIE SMITH', 'MISS ANNE\u2011MARIE SMITH'],
    ['ຄໍາແສງ ວົງສາ', 'ຄຳເເສງ ວົງສາ', 'ທ້າວ ຄຳແສງ ວົງສາ'],
  ] as const) {
    const member = await registerMember(system, { bankAccountName: registeredName });
    for (const [position, spelling] of spellings.entries()) {
      await assertCredited(member, spelling, position % 2 === 0 ? OWN_SCB_ACCOUNT : KBANK_ACCOUNT);
    }
    assert.deepEqual(
      await readDepositAmounts(system, member),
      spellings.map(() => 45),
    );
  }
});

test('a slip of a transfer with a title and another spelling of the name is credited [R-DEP-04]', async () => {
  const member = await registerMember(system, { bankAccountName: 'น้ำฝน ใจดี' });
  const { image } = await transferWithSlip(system, memberNamed(member, 'ว่าที่ ร.ต. หญิง นํ้าฝน ใจดี'), {
    amount: '46.00',
    to: OWN_GSB_ACCOUNT,
  });
  const slip = await waitForSlipEnd(system, member.token, await sendSlip(system, member.token, image));
  assert.equal(slip.status, 'SUCCESS', JSON.stringify(slip));
  assert.deepEqual(await readDepositAmounts(system, member), [46]);
});

test('money received under a title and another spelling can be paid out to the same account', async () => {
  await setPayoutDelay(system, 50);
  const member = await registerMember(system, { bankAccountName: 'นำ้ฝน ใจดี' });
  const titledMember = memberNamed(member, 'ว่าที่ ร.ต. หญิง นํ้าฝน ใจดี');
  await transferWithSlip(system, titledMember, { amount: '200.00', to: OWN_SCB_ACCOUNT });
  await waitUntil(
    () => readDepositAmounts(system, member),
    (amounts) => amounts.length === 1,
    'credited',
  );
  const { status, body } = await withdraw(system, member, 150);
  assert.equal(status, 200, JSON.stringify(body));
  await waitForState(system, body.reference, 'PAID');
});

test('money under another first name is never credited, with any title and spelling [R-DEP-04]', async () => {
  const member = await registerMember(system, { bankAccountName: 'จ.ส.อ. แดง สดใส' });
  for (const [name, to] of [
    ['จ.ส.อ. เดง สดใส', OWN_SCB_ACCOUNT],
    ['ดร. ดำ สดใส', KBANK_ACCOUNT],
    ['จ.ส.อ.แดงน้อย สดใส', OWN_SCB_ACCOUNT],
  ] as const) {
    const { transRef } = await transferWithSlip(system, memberNamed(member, name), { amount: '47.00', to });
    await waitUntil(
      () => readArrivalRow(system, transRef),
      (row) => row?.state === 'SUSPENSE' && row.reason === 'NOBODY',
      `${name} waits for an operator`,
    );
  }
  assert.deepEqual(await readDepositAmounts(system, member), []);
});

test("a holder's name is stored in one spelling, and another spelling is not a name change", async () => {
  const member = await registerMember(system, { bankAccountName: ' นํ้า\u200bฝน \u00a0เเก้ว ' });
  const readProfile = async () => (await system.api('GET /api/account/profile', { token: member.token })).body;
  assert.equal((await readProfile()).bankAccount.bankAccountName, 'น้ำฝน แก้ว');
  const { bankCode, bankAccountNo } = member;
  const body = { name: 'Fon', bankCode, bankAccountNo, bankAccountName: 'นำ้ฝน แก้ว' };
  assert.equal((await system.api('PUT /api/account/profile', { token: member.token, body })).status, 200);
  assert.equal((await readProfile()).bankAccount.bankAccountName, 'น้ำฝน แก้ว');
});
