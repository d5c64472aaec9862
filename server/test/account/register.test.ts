import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import {
  logIn,
  type MemberOptions,
  newAccountNo,
  newPhone,
  registerMember,
  registrationBody,
  verifyPhone,
} from '../harness/members.ts';
import { waitForSettingsReload, setSettings } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system.stop());

type RegistrationBody = Record<string, unknown>;
const validateRegistration = (body: RegistrationBody): Promise<ApiReply> =>
  system.api('POST /api/account/validate', { body });
const createAccount = (body: RegistrationBody): Promise<ApiReply> => system.api('POST /api/account', { body });

/** Asserts that both calls refuse this registration with the same error. */
async function assertBothRefuse(
  body: RegistrationBody,
  ...expected: [Parameters<typeof assertRefused>[1], string?]
): Promise<void> {
  assertRefused(await validateRegistration(body), ...expected);
  assertRefused(await createAccount(body), ...expected);
}

async function registrationWithProof(memberOptions: MemberOptions = {}): Promise<Record<string, string>> {
  const phone = newPhone();
  await verifyPhone(system, phone);
  return registrationBody({ phone, ...memberOptions });
}

test('a member registers, logs in and sees their profile', async () => {
  const bankAccountNo = `123-4-56${newAccountNo().slice(0, 3)}-7`;
  const member = await registerMember(system, { name: '  Malee  ', bankAccountName: 'malee  rakdee', bankAccountNo });
  const { status, body } = await system.api('GET /api/account/profile', { token: member.token });
  assert.equal(status, 200);
  const { createdAt, memberCode, ...profile } = body.profile;
  assert.match(memberCode, /^[0-9A-HJKMNP-TV-Z]{8}$/);
  assert.deepEqual(profile, { _id: member.id, name: 'Malee', username: member.phone, currency: 'BAHT' });
  assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000);
  assert.deepEqual(body.bankAccount, {
    bankCode: 'SCB',
    bankAccountName: 'MALEE RAKDEE',
    bankAccountNo: bankAccountNo.replaceAll('-', ''),
    bank: { nameTH: 'ธนาคารไทยพาณิชย์', nameEN: 'Siam Commercial Bank', nameLA: 'ທະນາຄານໄທພານິດ' },
  });
});

test('a phone that was not proved is UNVERIFIED_OTP [R-REG-07]', async () => {
  await assertBothRefuse(registrationBody(), 'UNVERIFIED_OTP');
});

test('a phone without exactly 10 digits is PHONE_NUMBER_REQUIRE_10_DIGIT [R-REG-07]', async () => {
  for (const phone of ['', '081234567', '08123456789', '+6681234567', '08 1234567']) {
    await assertBothRefuse({ ...registrationBody(), username: phone }, 'PHONE_NUMBER_REQUIRE_10_DIGIT');
  }
});

test('10 digits outside every mobile range are INVALID_USER_INFO with PHONE_NOT_MOBILE [R-REG-07]', async () => {
  for (const phone of ['0212345678', '0531234567', '0712345678', '1234567890', '0000000000']) {
    await assertBothRefuse({ ...registrationBody(), username: phone }, 'INVALID_USER_INFO', 'PHONE_NOT_MOBILE');
  }
});

test('every 06 number is a mobile number, and another range becomes one when the operator permits it', async () => {
  for (const range of ['060', '067', '068', '069']) {
    const phone = `${range}${newPhone().slice(3)}`;
    assert.equal((await registerMember(system, { phone })).phone, phone);
  }
  const phone = `071${newPhone().slice(3)}`;
  await assertBothRefuse({ ...registrationBody(), username: phone }, 'INVALID_USER_INFO', 'PHONE_NOT_MOBILE');
  const { rows } = await system.database.query<{ value: string[] }>(
    `select value from operator_data_setting where name = 'phoneRanges'`,
  );
  const before = rows[0]?.value ?? [];
  await setSettings(system, { phoneRanges: [...before, '071xxxxxxx'] });
  try {
    const formattedPhone = `+66 ${phone.slice(1, 3)} ${phone.slice(3)}`;
    assert.equal((await registerMember(system, { phone })).phone, phone);
    assert.ok(await logIn(system, formattedPhone, 'green-basket-27'));
    await assertBothRefuse(
      { ...registrationBody(), username: `072${phone.slice(3)}` },
      'INVALID_USER_INFO',
      'PHONE_NOT_MOBILE',
    );
    await setSettings(system, { phoneRanges: before.filter((range) => range !== '06xxxxxxxx') });
    const inactivePhone = `061${newPhone().slice(3)}`;
    await assertBothRefuse({ ...registrationBody(), username: inactivePhone }, 'INVALID_USER_INFO', 'PHONE_NOT_MOBILE');
  } finally {
    await setSettings(system, { phoneRanges: before });
  }
});

test('a phone belongs to one member in every notation', async () => {
  const registration = await registrationWithProof();
  const { username: phone = '' } = registration;
  const formattedPhone = `+66 ${phone.slice(1, 3)} ${phone.slice(3, 6)} ${phone.slice(6)}`;
  const createReply = await createAccount({ ...registration, username: formattedPhone });
  assert.equal(createReply.body.profile.username, phone, JSON.stringify(createReply.body));
  await assertBothRefuse({ ...registration, bankAccountNo: newAccountNo() }, 'EXISTING_USER');
});

test('missing or malformed name, password, source or currency is INVALID_USER_INFO [R-REG-07]', async () => {
  const registration = await registrationWithProof();
  const { username: phone = '' } = registration;
  for (const name of ['', '   ', 'x'.repeat(61)])
    await assertBothRefuse({ ...registration, name }, 'INVALID_USER_INFO', 'name');
  for (const password of [
    '',
    'short-7',
    'x'.repeat(129),
    'aaaaaaaaaa',
    '12345678',
    'Password',
    '１２３４５６７８',
    phone,
  ]) {
    await assertBothRefuse({ ...registration, password }, 'INVALID_USER_INFO', 'password');
  }
  for (const sourceCode of ['NOBODY', 'friend']) {
    await assertBothRefuse({ ...registration, sourceCode }, 'INVALID_USER_INFO', 'sourceCode');
  }
  for (const currency of ['LAK', 'USD', 'baht']) {
    await assertBothRefuse({ ...registration, currency }, 'INVALID_USER_INFO', 'currency');
  }
  for (const field of ['name', 'password', 'sourceCode', 'bankAccountNo', 'inviteCode']) {
    await assertBothRefuse({ ...registration, [field]: 7 }, 'INVALID_USER_INFO', field);
    await assertBothRefuse({ ...registration, [field]: 'x'.repeat(5000) }, 'INVALID_USER_INFO', field);
  }
  assert.equal((await createAccount(registration)).status, 200);
});

test('a source and an inviter are optional: left out or empty, the member is registered [R-REG-07]', async () => {
  for (const optionalFields of [{}, { sourceCode: '', inviteCode: '' }]) {
    const { sourceCode: _, inviteCode: __, ...required } = await registrationWithProof();
    const registration = { ...required, ...optionalFields };
    assert.equal((await validateRegistration(registration)).status, 200);
    const { status, body } = await createAccount(registration);
    assert.equal(status, 200, JSON.stringify(body));
    const { rows } = await system.database.query('select source_code from member where id = $1', [body.profile._id]);
    assert.deepEqual(rows, [{ source_code: '' }]);
  }
});

test("registration of a member's phone is EXISTING_USER, and only for a caller who has proved the phone [R-REG-07]", async () => {
  const member = await registerMember(system);
  await assertBothRefuse(registrationBody({ phone: member.phone }), 'EXISTING_USER');
  await system.database.query('update otp_phone set verified_until = now() where phone = $1', [member.phone]);
  await assertBothRefuse(registrationBody({ phone: member.phone }), 'UNVERIFIED_OTP');
});

test("registration with a member's bank account is EXISTING_BANK, in every notation [R-REG-07]", async () => {
  const { bankAccountNo } = await registerMember(system);
  const registration = await registrationWithProof({ bankAccountNo });
  await assertBothRefuse(registration, 'EXISTING_BANK');
  const spacedAccountNo = `${bankAccountNo.slice(0, 3)}-${bankAccountNo.slice(3, 4)} ${bankAccountNo.slice(4)}`;
  await assertBothRefuse({ ...registration, bankAccountNo: spacedAccountNo }, 'EXISTING_BANK');
  for (const zero of [0x0e50, 0x0ed0, 0x0660, 0x06f0, 0xff10]) {
    const accountInScript = bankAccountNo.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
    await assertBothRefuse({ ...registration, bankAccountNo: accountInScript }, 'EXISTING_BANK');
  }
  assert.equal(
    (await createAccount({ ...registration, bankCode: 'KBANK' })).status,
    200,
    'the same number at another bank',
  );
});

test('an account number in Thai digits is stored in ASCII digits', async () => {
  const registration = await registrationWithProof();
  const { bankAccountNo = '' } = registration as { bankAccountNo?: string };
  const inThai = bankAccountNo.replace(/\d/g, (digit) => String.fromCharCode(0x0e50 + Number(digit)));
  assert.equal((await createAccount({ ...registration, bankAccountNo: inThai })).status, 200);
  const { rows } = await system.database.query('select account_no from member_bank_account where account_no = $1', [
    bankAccountNo,
  ]);
  assert.equal(rows.length, 1);
});

test('a bank account that the operator has blocked is EXISTING_BANK', async () => {
  const registration = await registrationWithProof();
  await system.database.query('insert into member_bank_account_blocked (bank_code, account_no) values ($1, $2)', [
    registration['bankCode'],
    registration['bankAccountNo'],
  ]);
  await assertBothRefuse(registration, 'EXISTING_BANK');
});

test('an unknown or disabled bank, or an account number impossible at it, is INVALID_BANK [R-REG-07]', async () => {
  const registration = await registrationWithProof();
  for (const bankCode of ['', 'NOBANK', 'scb'])
    await assertBothRefuse({ ...registration, bankCode }, 'INVALID_BANK', 'bankCode');
  for (const bankAccountNo of ['', '123456789', '12345678901', '12345x7890']) {
    await assertBothRefuse({ ...registration, bankAccountNo }, 'INVALID_BANK', 'bankAccountNo');
  }
  await assertBothRefuse({ ...registration, bankAccountName: ' ' }, 'INVALID_BANK', 'bankAccountName');
  await system.database.query(`update operator_data_bank set is_enabled = false where code = 'CITI'`);
  await waitForSettingsReload();
  await assertBothRefuse({ ...registration, bankCode: 'CITI' }, 'INVALID_BANK', 'bankCode');
});

test('a non-English holder name at KTB, TMB or BBL is BANK_ACCOUNT_NAME_ENG [R-REG-07]', async () => {
  const registration = await registrationWithProof();
  for (const bankCode of ['KTB', 'TMB', 'BBL']) {
    for (const bankAccountName of ['สมใจ ดีมาก', 'SOMJAI D33MAK', 'SOMJAI-DEEMAK']) {
      await assertBothRefuse({ ...registration, bankCode, bankAccountName }, 'BANK_ACCOUNT_NAME_ENG');
    }
    assert.equal((await validateRegistration({ ...registration, bankCode })).status, 200);
  }
  assert.equal((await createAccount({ ...registration, bankCode: 'SCB', bankAccountName: 'สมใจ ดีมาก' })).status, 200);
});

test('the validation call checks bank fields only if one is sent; registration always does', async () => {
  const { bankCode: _, bankAccountName: __, bankAccountNo: ___, ...user } = await registrationWithProof();
  assert.deepEqual((await validateRegistration(user)).body, { message: 'OK', inviter: 'none' });
  assertRefused(await createAccount(user), 'INVALID_BANK', 'bankCode');
  assertRefused(await validateRegistration({ ...user, bankAccountNo: '1' }), 'INVALID_BANK', 'bankCode');
  const { rows } = await system.database.query('select from member where phone = $1', [user['username']]);
  assert.equal(rows.length, 0, 'validating enters nobody');
});

test('a registration during which the database fails is REGISTER_FAIL and stores nothing [R-REG-07]', async () => {
  const registration = await registrationWithProof();
  await system.database.query(`alter table member_bank_account rename to hidden`);
  await system.database.query(`create view member_bank_account as select * from hidden where false`);
  await system.database.query(`create rule refuse as on insert to member_bank_account do instead select 1 / 0`);
  try {
    assert.equal((await validateRegistration(registration)).status, 200);
    assertRefused(await createAccount(registration), 'REGISTER_FAIL');
  } finally {
    await system.database.query('drop view member_bank_account');
    await system.database.query('alter table hidden rename to member_bank_account');
  }
  const { rows } = await system.database.query('select from member where phone = $1', [registration['username']]);
  assert.equal(rows.length, 0);
  assert.equal((await createAccount(registration)).status, 200, 'and it can be tried again');
});

test('of concurrent registrations of one phone one succeeds, and the others are EXISTING_USER', async () => {
  const registration = await registrationWithProof();
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => createAccount({ ...registration, bankAccountNo: newAccountNo() })),
  );
  assert.equal(replies.filter(({ status }) => status === 200).length, 1);
  assert.equal(replies.filter(({ body }) => body.message === 'EXISTING_USER').length, 7);
});

test('of two concurrent registrations of one bank account one succeeds, and the other is EXISTING_BANK', async () => {
  const bankAccountNo = newAccountNo();
  const registrations = [
    await registrationWithProof({ bankAccountNo }),
    await registrationWithProof({ bankAccountNo }),
  ];
  const replies = await Promise.all(registrations.map(createAccount));
  assert.deepEqual(
    replies.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
  assertRefused(replies.find(({ status }) => status === 409) as ApiReply, 'EXISTING_BANK');
});

test('registration accepts any invite code, and stores it unchanged', async () => {
  const inviter = await registerMember(system);
  for (const inviteCode of [`PR${inviter.id}`, 'PRnobody', `' or 1=1 --`, '<b>hi</b>']) {
    const member = await registerMember(system, { inviteCode });
    const { rows } = await system.database.query('select invite_code as code from member where id = $1', [member.id]);
    assert.deepEqual(rows, [{ code: inviteCode }]);
  }
});

test('a duplicate member code is replaced by a new one at registration', async () => {
  const existingMember = await registerMember(system);
  const { rows } = await system.database.query<{ code: string }>('select code from member where id = $1', [
    existingMember.id,
  ]);
  await system.database.query('create sequence draw');
  await system.database.query('alter function new_member_code() rename to truly_new_member_code');
  await system.database.query(`create function new_member_code() returns text language sql volatile as $$
    select case when nextval('draw') < 3 then '${rows[0]?.code ?? ''}' else truly_new_member_code() end $$`);
  await system.database.query('alter table member alter code set default new_member_code()');
  try {
    const { status, body } = await createAccount(await registrationWithProof());
    assert.equal(status, 200, JSON.stringify(body));
    assert.notEqual(body.profile.memberCode, rows[0]?.code);
  } finally {
    await system.database.query('alter table member alter code set default truly_new_member_code()');
  }
});

test('without registerOTP registration needs no code, and validation calls are rate-limited', async () => {
  await setSettings(system, { registerOTP: false });
  try {
    assert.equal((await createAccount(registrationBody())).status, 200);
    const codes: string[] = [];
    for (let attempt = 0; attempt < 61; attempt += 1)
      codes.push((await validateRegistration(registrationBody())).body.message);
    assert.equal(codes[0], 'OK');
    assert.equal(codes.at(-1), 'REQUEST_LIMIT');
  } finally {
    await setSettings(system, { registerOTP: true });
  }
});

test('login, registration and one-time codes from a denied network are INVALID_IP [R-NET-06]', async () => {
  const member = await registerMember(system);
  await system.database.query(`insert into operator_data_address_rule values ('198.51.100.0/24', 'deny')`);
  await waitForSettingsReload();
  const headers = { 'x-forwarded-for': '198.51.100.9' };
  const body = { ...registrationBody(), phoneNumber: newPhone() };
  for (const call of ['POST /api/account', 'POST /api/account/validate', 'POST /api/otp/send']) {
    assertRefused(await system.api(call, { body, headers }), 'INVALID_IP');
  }
  const login = { username: member.phone, password: member.password };
  assertRefused(await system.api('POST /api/login', { body: login, headers }), 'INVALID_IP');
  assert.ok(await logIn(system, member.phone, member.password));
  const unreadableHeaders = { 'x-forwarded-for': 'not an address' };
  assert.equal((await system.api('POST /api/login', { body: login, headers: unreadableHeaders })).status, 200);
});
