import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newAccountNo, newPhone, registerMember, registrationBody, verifyPhone } from '../harness/members.ts';
import { setRateLimits, setSettings } from '../harness/operator.ts';
import { inviteCodeOf, listInvites, type InviteSystem, startInviteSystem } from './invite-fixtures.ts';

let inviteSystem: InviteSystem;
before(async () => {
  inviteSystem = await startInviteSystem();
});
after(() => inviteSystem?.close());
const register = (inviteCode: string, name?: string) =>
  registerMember(inviteSystem.system, { inviteCode, ...(name && { name }) });
const readInviteeCount = async (member: Awaited<ReturnType<typeof register>>) =>
  (await listInvites(inviteSystem, member)).total;

describe('inviter and invitee', () => {
  test('a member who registers with a code is an invitee of its owner, ignoring blanks around it and case [R-INV-02]', async () => {
    const inviter = await registerMember(inviteSystem.system);
    await register(inviteCodeOf(inviter), 'First');
    await register(`  pr${inviter.id.toUpperCase()} `, 'Second');
    const listedInvites = await listInvites(inviteSystem, inviter);
    assert.deepEqual(listedInvites, {
      total: 2,
      invites: [
        { name: 'Second', amount: 0 },
        { name: 'First', amount: 0 },
      ],
    });
    const second = await listInvites(inviteSystem, inviter, { page: 2, limit: 1 });
    assert.deepEqual(second, { total: 2, invites: [{ name: 'First', amount: 0 }] });
  });

  test('the short code of a member names the same inviter in every spelling [R-INV-02]', async () => {
    const inviter = await registerMember(inviteSystem.system);
    const { body } = await inviteSystem.system.api('GET /api/wallet', { token: inviter.token });
    const code: string = body.profile.memberCode;
    const spacedCode = `${code.slice(0, 4)}-${code.slice(4)}`;
    const misreadCode = code.replaceAll('0', 'o').replaceAll('1', 'l');
    const codeSpellings = [
      code,
      spacedCode,
      ` ${spacedCode.toLowerCase()} `,
      code.split('').join(' '),
      misreadCode,
      `PR${code}`,
      `pr ${spacedCode}`,
    ];
    for (const writtenCode of codeSpellings) await register(writtenCode);
    assert.equal(await readInviteeCount(inviter), codeSpellings.length);
    // A code with one character less or more matches no member.
    for (const invalidCode of [code.slice(1), `${code}0`, `U${code.slice(1)}`]) await register(invalidCode);
    assert.equal(await readInviteeCount(inviter), codeSpellings.length);
  });

  test('validation reports whether an invite code is known, and refuses none [R-INV-02]', async () => {
    const { database, api } = inviteSystem.system;
    const [inviter, blockedMember] = [
      await registerMember(inviteSystem.system),
      await registerMember(inviteSystem.system),
    ];
    await database.query('insert into invite_blocked (member_id) values ($1)', [blockedMember.id]);
    const phone = newPhone();
    await verifyPhone(inviteSystem.system, phone);
    for (const [inviteCode, expected] of [
      ['', 'none'],
      ['  ', 'none'],
      [inviteCodeOf(inviter), 'known'],
      [inviteCodeOf(inviter).toLowerCase(), 'known'],
      [inviteCodeOf(blockedMember), 'unknown'],
      ['PRnobody', 'unknown'],
      ['ZZZZ-ZZZZ', 'unknown'],
    ] as const) {
      const reply = await api('POST /api/account/validate', { body: registrationBody({ phone, inviteCode }) });
      assert.deepEqual([reply.status, reply.body], [200, { message: 'OK', inviter: expected }], inviteCode);
    }
  });
});

describe('invite codes without effect', () => {
  test('invented, foreign and blocked codes register a member without an inviter [R-INV-02]', async () => {
    const { database } = inviteSystem.system;
    const blockedMember = await registerMember(inviteSystem.system);
    await database.query('insert into invite_blocked (member_id) values ($1)', [blockedMember.id]);
    const inactiveReplies = await Promise.all(
      ['inactive', 'restricted', 'deleted'].map(async (status) => {
        const member = await registerMember(inviteSystem.system);
        await database.query('update member set status = $2 where id = $1', [member.id, status]);
        return member;
      }),
    );
    const codes = [
      'PR00000000-0000-7000-8000-000000000000',
      `PR${blockedMember.id.slice(0, -1)}`,
      `${inviteCodeOf(blockedMember)}0`,
      blockedMember.id,
      'PR',
      `PR' or 1=1 --`,
      `QR${blockedMember.id}`,
      ...[blockedMember, ...inactiveReplies].map(inviteCodeOf),
    ];
    for (const code of codes) await register(code);
    const { rows } = await database.query<{ links: number }>(
      'select count(*)::int as links from invite where inviter_id = any($1)',
      [[blockedMember, ...inactiveReplies].map(({ id }) => id)],
    );
    assert.equal(rows[0]?.links, 0);
    await database.query('delete from invite_blocked where member_id = $1', [blockedMember.id]);
    await register(inviteCodeOf(blockedMember));
    assert.equal(await readInviteeCount(blockedMember), 1, 'from now on');
  });

  test("a member is never their own inviter, nor two members each other's: an inviter registered before, for life [R-INV-02]", async () => {
    const first = await registerMember(inviteSystem.system);
    const second = await register(inviteCodeOf(first));
    // Repeated registration by the same person: with the other member's code, with their own code, and with a used
    // phone or account.
    const { api } = inviteSystem.system;
    const { phone, bankAccountNo } = first;
    for (const sharedFields of [{ phone }, { bankAccountNo }]) {
      const repeatedBody = registrationBody({ phone: newPhone(), bankAccountNo: newAccountNo(), ...sharedFields });
      const { status } = await api('POST /api/account', {
        body: { ...repeatedBody, inviteCode: inviteCodeOf(second) },
      });
      assert.notEqual(status, 200);
    }
    // A member can't name an inviter any more.
    const uninvitedMember = await registerMember(inviteSystem.system);
    for (const { token } of [first, second, uninvitedMember]) {
      const body = { name: 'Changed', inviteCode: inviteCodeOf(uninvitedMember), inviter: uninvitedMember.id };
      const reply = await api('PUT /api/account/profile', { token, body });
      assert.deepEqual([reply.status, reply.body.profile?.name], [200, 'Changed'], JSON.stringify(reply.body));
    }
    assert.deepEqual(
      [await readInviteeCount(first), await readInviteeCount(second), await readInviteeCount(uninvitedMember)],
      [1, 0, 0],
    );
    const { rows } = await inviteSystem.system.database.query<{ inviterId: string; memberId: string }>(
      'select inviter_id as "inviterId", member_id as "memberId" from invite where member_id = any($1)',
      [[first.id, second.id, uninvitedMember.id]],
    );
    assert.deepEqual(rows, [{ inviterId: first.id, memberId: second.id }]);
  });

  test('a refused registration leaves no invitee, and thirty concurrent ones leave one [R-INV-02]', async () => {
    const inviter = await registerMember(inviteSystem.system);
    const registration = registrationBody({ inviteCode: inviteCodeOf(inviter) });
    await setSettings(inviteSystem.system, { registerOTP: false });
    await setRateLimits(inviteSystem.system, { 'register.phone': 1_000, 'register.address.unproved': 1_000 });
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => inviteSystem.system.api('POST /api/account', { body: registration })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1, JSON.stringify(replies[0]?.body));
    assert.equal(await readInviteeCount(inviter), 1);
  });
});
