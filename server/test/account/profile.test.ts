import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ErrorCode } from '@krapao/contract/errors';
import type { ApiReply } from '../harness/api-client.ts';
import { type MemberChoices, newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { setLimits } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
  await setLimits(system, { 'bank-account-name.minute': 1000, 'bank-account-name.day': 1000 });
});
after(async () => {
  await ledger.close();
  await system.stop();
});

type Fields = Partial<Record<'name' | 'bankCode' | 'bankAccountName' | 'bankAccountNo', unknown>>;
const change = ({ token }: TestMember, body: Fields): Promise<ApiReply> =>
  system.api('PUT /api/account/profile', { token, body });
const picture = async ({ token }: TestMember) => (await system.api('GET /api/account/profile', { token })).body;
const register = (choices: MemberChoices = {}): Promise<TestMember> => registerMember(system, choices);
const own = ({ bankCode, bankAccountName, bankAccountNo }: TestMember): Fields => ({
  bankCode,
  bankAccountName,
  bankAccountNo,
});

test('the name changes alone, or with the bank fields as they are; everything else stays', async () => {
  const member = await register();
  const before = await picture(member);
  assert.equal(before.canChangeBank, true);
  for (const body of [{ name: '  Nok  ' }, { name: 'Nok', ...own(member) }]) {
    const reply = await change(member, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body, { ...before, profile: { ...before.profile, name: 'Nok' } });
  }
  assert.deepEqual(await picture(member), { ...before, profile: { ...before.profile, name: 'Nok' } });
});

test('a name that is empty, too long or no text is refused, and nothing changes [R-NET-06]', async () => {
  const member = await register();
  const before = await picture(member);
  for (const name of ['', '   ', 'x'.repeat(61), 'x'.repeat(10_000), 'a\u0000b', 7, null, {}]) {
    assertRefused(await change(member, { name, ...own(member) }), 'INVALID_USER_INFO');
  }
  assertRefused(await change(member, {}), 'INVALID_USER_INFO');
  assert.deepEqual(await picture(member), before);
});

test('as long as no money has moved another account can be named; then withdrawals rest for a day', async () => {
  const member = await register();
  const bankAccountNo = newAccountNo();
  const reply = await change(member, {
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
  await fund(ledger, member.id, '500.00');
  const withdrawal = await system.api('POST /api/wallet/withdraw', { token: member.token, body: { amount: 200 } });
  assertRefused(withdrawal, 'REQUEST_LIMIT', 'ACCOUNT_NAME_CHANGED');
  // The account that was left is free again.
  const other = await register();
  assert.equal((await change(other, { name: 'Other', ...own(member) })).status, 200);
});

test('once money has moved the account is locked, and the name still changes [R-NET-06]', async () => {
  const member = await register();
  await fund(ledger, member.id, '1.00');
  const before = await picture(member);
  assert.equal(before.canChangeBank, false);
  const refused = await change(member, { name: 'Nok', ...own(member), bankAccountNo: newAccountNo() });
  assertRefused(refused, 'INVALID_BANK', 'BANK_LOCKED');
  assertRefused(
    await change(member, { name: 'Nok', ...own(member), bankCode: 'GSB', bankAccountNo: '020000000001' }),
    'INVALID_BANK',
    'BANK_LOCKED',
  );
  assert.deepEqual(await picture(member), before);
  assert.equal((await change(member, { name: 'Nok', ...own(member) })).body.profile.name, 'Nok');
});

test('an account that is wrong, another member’s or blocked is refused by its code, and the name stays too [R-NET-06]', async () => {
  const [member, other] = [await register(), await register()];
  await system.database.query(
    `insert into member_bank_account_blocked (bank_code, account_no) values ('SCB', '5550001112')`,
  );
  const before = await picture(member);
  const cases: [Fields, ErrorCode][] = [
    [{ bankCode: 'NOSUCHBANK' }, 'INVALID_BANK'],
    [{ bankAccountNo: '12' }, 'INVALID_BANK'],
    [{ bankAccountNo: '12345678X0' }, 'INVALID_BANK'],
    [{ bankAccountNo: newAccountNo(), bankAccountName: ' ' }, 'INVALID_BANK'],
    [{ bankCode: 'KTB', bankAccountNo: newAccountNo(), bankAccountName: 'สมใจ ดีมาก' }, 'BANK_ACCOUNT_NAME_ENG'],
    [own(other), 'EXISTING_BANK'],
    [{ bankAccountNo: '555-000-1112' }, 'EXISTING_BANK'],
  ];
  for (const [fields, code] of cases) {
    assertRefused(await change(member, { name: 'Nok', ...own(member), ...fields }), code);
  }
  assert.deepEqual(await picture(member), before);
});

test('of two members who name the same account at once one gets it [R-NET-06]', async () => {
  const [one, two] = [await register(), await register()];
  const bank = { bankCode: 'SCB', bankAccountName: 'NOK JAIDEE', bankAccountNo: newAccountNo() };
  const replies = await Promise.all([one, two].map((member) => change(member, { name: 'Nok', ...bank })));
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((one, other) => one - other),
    [200, 409],
  );
});

test('who names one account after the other is stopped [R-NET-06]', async () => {
  await setLimits(system, { 'bank-account-name.minute': 2 });
  const member = await register();
  const next = () => change(member, { name: 'Nok', ...own(member), bankAccountNo: newAccountNo() });
  assert.equal((await next()).status, 200);
  assert.equal((await next()).status, 200);
  assertRefused(await next(), 'REQUEST_LIMIT_1MIN');
});
