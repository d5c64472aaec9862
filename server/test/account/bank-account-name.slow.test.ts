import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { type MemberOptions, registerMember, type TestMember } from '../harness/members.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem();
  await setRateLimits(system, { 'bank-account-name.minute': 1000, 'bank-account-name.day': 1000 });
});
after(() => system.stop());

const submitAccountName = ({ token }: TestMember, body: unknown): Promise<ApiReply> =>
  system.api('PUT /api/account/bankAccountName', { token, body });
const registerThai = (memberOptions: MemberOptions = {}): Promise<TestMember> =>
  registerMember(system, {
    bankCode: 'GSB',
    bankAccountName: 'สมใจ ดีมาก',
    bankAccountNo: accountNo(),
    ...memberOptions,
  });
const readHolderName = async ({ token }: TestMember): Promise<string> =>
  (await system.api('GET /api/account/profile', { token })).body.bankAccount.bankAccountName;
const countRenames = async ({ id }: TestMember) =>
  (
    await system.database.query<{ before: string; after: string; account: string; address: string }>(
      `select name_before as before, name_after as after, account_no as account, host(address) as address
         from member_bank_account_rename where member_id = $1 order by id`,
      [id],
    )
  ).rows;

let last = 200_000_000_000;
const accountNo = (): string => String((last += 1));

test("a member's English account name is stored in capitals, and the profile change lists both names [R-NET-01]", async () => {
  const member = await registerThai();
  const reply = await submitAccountName(member, { bankCode: 'GSB', bankAccountName: '  Somjai   Deemak ' });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(reply.body.bankAccount.bankAccountName, 'SOMJAI DEEMAK');
  assert.deepEqual(
    [reply.body.bankAccount.bankCode, reply.body.bankAccount.bankAccountNo],
    ['GSB', member.bankAccountNo],
  );
  assert.equal(await readHolderName(member), 'SOMJAI DEEMAK');
  const expectedEntry = {
    before: 'สมใจ ดีมาก',
    after: 'SOMJAI DEEMAK',
    account: member.bankAccountNo,
    address: '127.0.0.1',
  };
  assert.deepEqual(await countRenames(member), [expectedEntry]);
  assert.equal((await submitAccountName(member, { bankCode: 'GSB', bankAccountName: 'Somjai Deemak' })).status, 200);
  assert.equal((await countRenames(member)).length, 1, 'the same name changes nothing');
});

test("an account name for another bank than the member's, or for none, is refused with its error code [R-NET-06]", async () => {
  const member = await registerThai();
  for (const bankCode of ['KTB', 'gsb', 'NOSUCHBANK', '']) {
    assertRefused(await submitAccountName(member, { bankCode, bankAccountName: 'SOMJAI DEEMAK' }), 'INVALID_BANK');
  }
  await system.database.query('delete from member_bank_account where member_id = $1', [member.id]);
  assertRefused(await submitAccountName(member, { bankCode: 'GSB', bankAccountName: 'SOMJAI DEEMAK' }), 'NO_BANK');
});

test('special blanks and invisible characters in a pasted holder name are ignored', async () => {
  const member = await registerThai();
  const paddedFields = { bankCode: 'GSB', bankAccountName: 'Som\u200bjai\u00a0 Deemak\u200d' };
  assert.equal((await submitAccountName(member, paddedFields)).status, 200);
  assert.equal(await readHolderName(member), 'SOMJAI DEEMAK');
  assert.equal(
    (await submitAccountName(member, { ...paddedFields, bankAccountName: 'SOMJAI\u200b DEEMAK' })).status,
    200,
  );
  assert.equal((await countRenames(member)).length, 1, 'the same name changes nothing');
});

test('an account name is refused unless it consists of English letters and blanks and is not empty [R-NET-06]', async () => {
  const member = await registerThai();
  for (const bankAccountName of [
    'สมใจ ดีมาก',
    'SOMJAI 2',
    'SOMJAI-DEEMAK',
    'SOMJAI.',
    "O'HARA",
    'ＳＯＭＪＡＩ',
    'ſomjai',
  ]) {
    assertRefused(await submitAccountName(member, { bankCode: 'GSB', bankAccountName }), 'BANK_ACCOUNT_NAME_ENG');
  }
  for (const bankAccountName of ['', '   ', 'A'.repeat(122), 'A'.repeat(161), 'A\u0000B', null, 7, {}]) {
    assertRefused(await submitAccountName(member, { bankCode: 'GSB', bankAccountName }), 'INVALID_USER_INFO');
  }
  assert.equal(await readHolderName(member), 'สมใจ ดีมาก');
  assert.deepEqual(await countRenames(member), []);
});

test('changes of the holder name are limited per minute and per day [R-NET-06]', async () => {
  const names = ['SOMJAI DEEMAK', 'SOMCHAI DEEMAK', 'SOMJIT DEEMAK', 'SOMSRI DEEMAK'];
  await setRateLimits(system, { 'bank-account-name.minute': 2 });
  const member = await registerThai();
  const replies = await Promise.all(
    names.map((bankAccountName) => submitAccountName(member, { bankCode: 'GSB', bankAccountName })),
  );
  assert.equal(replies.filter(({ status }) => status === 200).length, 2, 'also at the same moment');
  const rejectedReply = replies.find(({ status }) => status !== 200) as ApiReply;
  assertRefused(rejectedReply, 'REQUEST_LIMIT_1MIN');
  assert.ok(Number(rejectedReply.headers.get('retry-after')) > 0);
  assert.equal((await countRenames(member)).length, 2);
  await setRateLimits(system, { 'bank-account-name.minute': 1000, 'bank-account-name.day': 1 });
  const other = await registerThai();
  assert.equal((await submitAccountName(other, { bankCode: 'GSB', bankAccountName: 'SOMJAI DEEMAK' })).status, 200);
  assertRefused(await submitAccountName(other, { bankCode: 'GSB', bankAccountName: 'SOMSRI DEEMAK' }), 'REQUEST_LIMIT');
});

test('replacing an English name by another blocks withdrawals for a day; a first English spelling blocks nothing [R-NET-06]', async () => {
  await setRateLimits(system, { 'bank-account-name.day': 1000 });
  const requestWithdrawals = async ({ token }: TestMember): Promise<ApiReply[]> => {
    const body = { amount: 100 };
    const first = await system.api('POST /api/wallet/withdraw', { token, body });
    return [first, await system.api('POST /api/wallet/withdrawAll', { token, body })];
  };
  const member = await registerThai();
  assert.equal((await submitAccountName(member, { bankCode: 'GSB', bankAccountName: 'A RICH STRANGER' })).status, 200);
  for (const reply of await requestWithdrawals(member)) assertRefused(reply, 'MONEY_NOT_ENOUGH');
  assert.equal((await submitAccountName(member, { bankCode: 'GSB', bankAccountName: 'SOMJAI DEEMAK' })).status, 200);
  for (const reply of await requestWithdrawals(member)) assertRefused(reply, 'REQUEST_LIMIT', 'ACCOUNT_NAME_CHANGED');
  const setMemberAge = (hours: number) =>
    system.database.query(
      `update member_bank_account_rename set at = now() - $2 * interval '1 hour' where member_id = $1`,
      [member.id, hours],
    );
  await setMemberAge(23);
  for (const reply of await requestWithdrawals(member)) assertRefused(reply, 'REQUEST_LIMIT', 'ACCOUNT_NAME_CHANGED');
  await setMemberAge(25);
  for (const reply of await requestWithdrawals(member)) assertRefused(reply, 'MONEY_NOT_ENOUGH');
});
