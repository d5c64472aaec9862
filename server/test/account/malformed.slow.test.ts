import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused } from '../harness/assert-refused.ts';
import { registerMember, registrationBody, type TestMember, verifyPhone } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
let member: TestMember;
before(async () => {
  system = await startSystem();
  member = await registerMember(system);
});
after(() => system.stop());

const calls = [
  ['POST /api/login', 'WRONG_CREDENTIAL', 'username'],
  ['POST /api/account', 'INVALID_USER_INFO', 'name'],
  ['POST /api/account/validate', 'INVALID_USER_INFO', 'bankAccountName'],
  ['PUT /api/account/changepwd', 'INVALID_USER_INFO', 'oldPassword'],
  ['POST /api/otp/send', 'PHONE_NUMBER_REQUIRE_10_DIGIT', 'phoneNumber'],
  ['POST /api/otp/verify', 'OTP_TOKEN_INVALID', 'otpToken'],
] as const;

for (const [apiCall, code, field] of calls) {
  test(`${apiCall} replies to unreadable input with ${code} and a 4xx status [R-NET-05]`, async () => {
    const { token } = member;
    const sendLogIn = (body: unknown, headers = {}): ReturnType<typeof system.api> =>
      system.api(apiCall, { token, body, headers });
    const rawBodies = ['{', '{"a":', 'null garbage', "{'a':1}", '\u0000', '[1,', '{"a":1}}'];
    for (const rawBody of rawBodies) assertRefused(await sendLogIn(rawBody), code, 'MALFORMED_JSON', 400);
    assertRefused(await sendLogIn('{"__proto__":{"x":1}}'), code, undefined, 400);
    for (const value of [7, true, null, [], {}, ['x']])
      assertRefused(await sendLogIn({ [field]: value }), code, field, 400);
    assertRefused(await sendLogIn({ [field]: 'x'.repeat(1000) }), code, field, 400);
    for (const malformedText of ['a\u0000b', 'a\ud800', '\udc00b']) {
      assertRefused(await sendLogIn({ [field]: malformedText }), code, field, 400);
    }
    for (const body of [[], 'null', '"text"', '7']) {
      const reply = await sendLogIn(body);
      assert.ok(
        reply.status >= 400 && reply.status < 500 && typeof reply.body.message === 'string',
        JSON.stringify(reply.body),
      );
    }
    assertRefused(await sendLogIn({ [field]: 'x'.repeat(100_000) }), code, 'BODY_TOO_LARGE', 413);
    assertRefused(
      await sendLogIn('username=a&password=b', { 'content-type': 'application/x-www-form-urlencoded' }),
      code,
      'CONTENT_TYPE',
      415,
    );
    assert.ok([400, 401, 403].includes((await system.api(apiCall, { token })).status), 'no body at all');
  });
}

test('deeply nested bodies, extreme numbers and unknown fields cause no server error', async () => {
  const deeplyNestedJson = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
  const reply = await system.api('POST /api/login', { body: deeplyNestedJson });
  assertRefused(reply, 'WRONG_CREDENTIAL');
  const { phone: username, password } = member;
  const extraFields = { username, password, remember: true, isAdmin: true, status: 'active', n: 1e308 };
  assert.equal((await system.api('POST /api/login', { body: extraFields })).status, 200);
});

test('names with bidi controls or invisible characters inside are refused [R-NET-05]', async () => {
  const { token } = member;
  const spoofedHeaders = [
    'SOM\u202eIAJ',
    'a\u2066b\u2069',
    'na\u200fme',
    'a\u061cb',
    'a\tb',
    'a\nb',
    'a\u0085b',
    'a\u2028b',
    'a\ufeffb',
    'a\u00adb',
    '\u202aSom\u202c Jai',
  ];
  for (const spoofedHeader of spoofedHeaders) {
    for (const [call, field] of [
      ['POST /api/account', 'name'],
      ['POST /api/account', 'bankAccountName'],
      ['POST /api/account/validate', 'name'],
      ['PUT /api/account/profile', 'name'],
      ['PUT /api/account/profile', 'bankAccountName'],
      ['PUT /api/account/bankAccountName', 'bankAccountName'],
    ] as const) {
      const reply = await system.api(call, { token, body: { [field]: spoofedHeader } });
      assertRefused(reply, 'INVALID_USER_INFO', field, 400);
    }
  }
  for (const name of ['สมชาย ใจดี', 'ສົມໃຈ', 'สม\u200bชาย', 'Zoë O’Neil', '👩\u200d🚀 Mai']) {
    const { status, body } = await system.api('PUT /api/account/profile', { token, body: { name } });
    assert.deepEqual([status, body.profile?.name], [200, name]);
  }
});

/** What copying from a message, a contact or a web page adds at the ends of a text. */
const COPIED_ENDS = ['\u202a|\u202c', '\u00ad|', '\ufeff|\u200b', '\u200e| ', '\u2060|\u061c', ' \u200d|\u2069 '];

test('names, phones, account numbers and codes lose the invisible characters that copying adds at their ends', async () => {
  const inviter = await system.api('GET /api/account/profile', { token: member.token });
  const { memberCode } = inviter.body.profile;
  for (const ends of COPIED_ENDS) {
    const copied = (text: string): string => ends.replace('|', text);
    const fields = registrationBody({ name: 'Somchai', bankAccountName: 'SOMCHAI DEEMAK', bankCode: 'BBL' });
    const { username = '', name = '', bankAccountNo = '', bankAccountName = '', password } = fields;
    await verifyPhone(system, username);
    const body = {
      ...fields,
      username: copied(username),
      name: copied(name),
      bankAccountNo: copied(bankAccountNo),
      bankAccountName: copied(bankAccountName),
      inviteCode: copied(memberCode),
    };
    const checked = await system.api('POST /api/account/validate', { body });
    assert.deepEqual([checked.status, checked.body.inviter], [200, 'known'], JSON.stringify([ends, checked.body]));
    assert.equal((await system.api('POST /api/account', { body })).status, 200, JSON.stringify(ends));
    const login = await system.api('POST /api/login', { body: { username: copied(username), password } });
    assert.equal(login.status, 200);
    const { token } = login.body;
    const { profile, bankAccount } = (await system.api('GET /api/account/profile', { token })).body;
    assert.deepEqual(
      [profile.username, profile.name, bankAccount?.bankAccountNo, bankAccount?.bankAccountName],
      [username, name, bankAccountNo, bankAccountName],
    );
    const renamed = await system.api('PUT /api/account/profile', { token, body: { name: copied('สม\u200bชาย') } });
    assert.deepEqual([renamed.status, renamed.body.profile?.name], [200, 'สม\u200bชาย']);
    assertRefused(
      await system.api('PUT /api/account/profile', { token, body: { name: copied('') } }),
      'INVALID_USER_INFO',
      'name',
      400,
    );
  }
});

test('a name without a visible character is refused at registration and in the profile [R-NET-05]', async () => {
  const { token } = member;
  const { name: storedName } = (await system.api('GET /api/account/profile', { token })).body.profile;
  const registration = registrationBody();
  await verifyPhone(system, registration['username'] ?? '');
  for (const name of ['   ', '\u200b\u200b', '\u3164\u3164', '\u115f', '\u2800', '\ufe0f \u200d']) {
    const changeReply = await system.api('PUT /api/account/profile', { token, body: { name } });
    assertRefused(changeReply, 'INVALID_USER_INFO', 'name', 400);
    const registerReply = await system.api('POST /api/account', { body: { ...registration, name } });
    assertRefused(registerReply, 'INVALID_USER_INFO', 'name', 400);
  }
  assert.equal((await system.api('GET /api/account/profile', { token })).body.profile.name, storedName);
});
