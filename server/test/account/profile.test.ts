import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ErrorCode } from '@krapao/contract/errors';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { type MemberOptions, newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await setRateLimits(system, { 'bank-account-name.minute': 1000, 'bank-account-name.day': 1000 });
});
after(async () => {
  await ledger.close();
  await system.stop();
});

type ProfileFields = Partial<Record<'name' | 'bankCode' | 'bankAccountName' | 'bankAccountNo', unknown>>;
const changeProfile = ({ token }: TestMember, body: ProfileFields): Promise<ApiReply> =>
  system.api('PUT /api/account/profile', { token, body });
const readProfileImage = async ({ token }: TestMember) =>
  (await system.api('GET /api/account/profile', { token })).body;
const register = (memberOptions: MemberOptions = {}): Promise<TestMember> => registerMember(system, memberOptions);
const ownAccount = ({ bankCode, bankAccountName, bankAccountNo }: TestMember): ProfileFields => ({
  bankCode,
  bankAccountName,
  bankAccountNo,
});

test('a profile changes the name, with or without unchanged bank fields, and nothing else', async () => {
  const member = await register();
  const before = await readProfileImage(member);
  assert.equal(before.canChangeBank, true);
  for (const body of [{ name: '  Nok  ' }, { name: 'Nok', ...ownAccount(member) }]) {
    const reply = await changeProfile(member, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body, { ...before, profile: { ...before.profile, name: 'Nok' } });
  }
  assert.deepEqual(await readProfileImage(member), { ...before, profile: { ...before.profile, name: 'Nok' } });
});

test('a name that is empty, too long or not text is refused, and the profile does not change [R-NET-06]', async () => {
  const member = await register();
  const before = await readProfileImage(member);
  for (const name of ['', '   ', 'x'.repeat(61), 'x'.repeat(10_000), 'a\u0000b', 7, null, {}]) {
    assertRefused(await changeProfile(member, { name, ...ownAccount(member) }), 'INVALID_USER_INFO');
  }
  assertRefused(await changeProfile(member, {}), 'INVALID_USER_INFO');
  assert.deepEqual(await readProfileImage(member), before);
});

test('before any money moved a member can change the bank account, which blocks withdrawals for a day', async () => {
  const member = await register();
  const bankAccountNo = newAccountNo();
  const reply = await changeProfile(member, {
    name: 'Nok',
    bankCode: 'KTB',
    bankAccountName: 'nok  jaidee',
    bankAccountNo: `${bankAccountNo.slice(0, 3)}-${bankAccountNo.slice(3)}`,
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.deepEqual(
    [reply.body.bankAccount.bankCode, reply.body.bankAccount.bankAccountName, reply.body.bankAccount.bankAccountNo],
    ['KTB', 'NOK JAIDEE', bankAccountNo],
  );
  const { rows } = await system.database.query(
    `select bank_code as "bankCode", account_no as "accountNo", bank_code_after as "bankAfter", account_no_after as "accountAfter"
       from member_bank_account_rename where member_id = $1`,
    [member.id],
  );
  assert.deepEqual(rows, [
    { bankCode: member.bankCode, accountNo: member.bankAccountNo, bankAfter: 'KTB', accountAfter: bankAccountNo },
  ]);
  await fundWallet(ledger, member.id, '500.00');
  const withdrawal = await system.api('POST /api/wallet/withdraw', { token: member.token, body: { amount: 200 } });
  assertRefused(withdrawal, 'REQUEST_LIMIT', 'ACCOUNT_NAME_CHANGED');
  // The previous account number is free again.
  const other = await register();
  assert.equal((await changeProfile(other, { name: 'Other', ...ownAccount(member) })).status, 200);
});

test("after money moved the bank account can't be changed, but the member's name can [R-NET-06]", async () => {
  const member = await register();
  await fundWallet(ledger, member.id, '1.00');
  const before = await readProfileImage(member);
  assert.equal(before.canChangeBank, false);
  const refusedReply = await changeProfile(member, {
    name: 'Nok',
    ...ownAccount(member),
    bankAccountNo: newAccountNo(),
  });
  assertRefused(refusedReply, 'INVALID_BANK', 'BANK_LOCKED');
  assertRefused(
    await changeProfile(member, { name: 'Nok', ...ownAccount(member), bankCode: 'GSB', bankAccountNo: '020000000001' }),
    'INVALID_BANK',
    'BANK_LOCKED',
  );
  assert.deepEqual(await readProfileImage(member), before);
  assert.equal((await changeProfile(member, { name: 'Nok', ...ownAccount(member) })).body.profile.name, 'Nok');
});

test('a profile with an invalid, taken or blocked bank account is refused by its code, and changes no name [R-NET-06]', async () => {
  const [member, other] = [await register(), await register()];
  await system.database.query(
    `insert into member_bank_account_blocked (bank_code, account_no) values ('SCB', '5550001112')`,
  );
  const before = await readProfileImage(member);
  const cases: [ProfileFields, ErrorCode][] = [
    [{ bankCode: 'NOSUCHBANK' }, 'INVALID_BANK'],
    [{ bankAccountNo: '12' }, 'INVALID_BANK'],
    [{ bankAccountNo: '12345678X0' }, 'INVALID_BANK'],
    [{ bankAccountNo: newAccountNo(), bankAccountName: ' ' }, 'INVALID_BANK'],
    [{ bankCode: 'KTB', bankAccountNo: newAccountNo(), bankAccountName: 'สมใจ ดีมาก' }, 'BANK_ACCOUNT_NAME_ENG'],
    [ownAccount(other), 'EXISTING_BANK'],
    [{ bankAccountNo: '555-000-1112' }, 'EXISTING_BANK'],
  ];
  for (const [fields, code] of cases) {
    assertRefused(await changeProfile(member, { name: 'Nok', ...ownAccount(member), ...fields }), code);
  }
  assert.deepEqual(await readProfileImage(member), before);
});

test('of two members who concurrently enter the same bank account, one gets it [R-NET-06]', async () => {
  const [firstReply, secondReply] = [await register(), await register()];
  const bank = { bankCode: 'SCB', bankAccountName: 'NOK JAIDEE', bankAccountNo: newAccountNo() };
  const replies = await Promise.all(
    [firstReply, secondReply].map((member) => changeProfile(member, { name: 'Nok', ...bank })),
  );
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
});

test('changes of the bank account are rate-limited [R-NET-06]', async () => {
  await setRateLimits(system, { 'bank-account-name.minute': 2 });
  const member = await register();
  const changeAgain = () =>
    changeProfile(member, { name: 'Nok', ...ownAccount(member), bankAccountNo: newAccountNo() });
  assert.equal((await changeAgain()).status, 200);
  assert.equal((await changeAgain()).status, 200);
  assertRefused(await changeAgain(), 'REQUEST_LIMIT_1MIN');
});
