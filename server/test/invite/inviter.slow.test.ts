import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newAccountNo, newPhone, registerMember, registrationOf, verifyPhone } from '../harness/members.ts';
import { setLimits, setSettings } from '../harness/operator.ts';
import { codeOf, invitesOf, type InviteWorld, startInvites } from './invite-world.ts';

let world: InviteWorld;
before(async () => {
  world = await startInvites();
});
after(() => world?.close());
const register = (inviteCode: string, name?: string) =>
  registerMember(world.system, { inviteCode, ...(name && { name }) });
const total = async (member: Awaited<ReturnType<typeof register>>) => (await invitesOf(world, member)).total;

describe('who invited whom', () => {
  test('who registers with a code is an invitee of its owner; blanks around it and its case do not matter [R-INV-02]', async () => {
    const inviter = await registerMember(world.system);
    await register(codeOf(inviter), 'First');
    await register(`  pr${inviter.id.toUpperCase()} `, 'Second');
    const friends = await invitesOf(world, inviter);
    assert.deepEqual(friends, {
      total: 2,
      invites: [
        { name: 'Second', amount: 0 },
        { name: 'First', amount: 0 },
      ],
    });
    const second = await invitesOf(world, inviter, { page: 2, limit: 1 });
    assert.deepEqual(second, { total: 2, invites: [{ name: 'First', amount: 0 }] });
  });

  test('the short code of a member names the same inviter in every spelling [R-INV-02]', async () => {
    const inviter = await registerMember(world.system);
    const { body } = await world.system.api('GET /api/wallet', { token: inviter.token });
    const code: string = body.profile.memberCode;
    const shown = `${code.slice(0, 4)}-${code.slice(4)}`;
    const misheard = code.replaceAll('0', 'o').replaceAll('1', 'l');
    const written = [
      code,
      shown,
      ` ${shown.toLowerCase()} `,
      code.split('').join(' '),
      misheard,
      `PR${code}`,
      `pr ${shown}`,
    ];
    for (const one of written) await register(one);
    assert.equal(await total(inviter), written.length);
    // Seven of eight characters, or one too many, match no member.
    for (const one of [code.slice(1), `${code}0`, `U${code.slice(1)}`]) await register(one);
    assert.equal(await total(inviter), written.length);
  });

  test('validating reports whether the code is known, and refuses none [R-INV-02]', async () => {
    const { database, api } = world.system;
    const [inviter, blocked] = [await registerMember(world.system), await registerMember(world.system)];
    await database.query('insert into invite_blocked (member_id) values ($1)', [blocked.id]);
    const phone = newPhone();
    await verifyPhone(world.system, phone);
    for (const [inviteCode, expected] of [
      ['', 'none'],
      ['  ', 'none'],
      [codeOf(inviter), 'known'],
      [codeOf(inviter).toLowerCase(), 'known'],
      [codeOf(blocked), 'unknown'],
      ['PRnobody', 'unknown'],
      ['ZZZZ-ZZZZ', 'unknown'],
    ] as const) {
      const reply = await api('POST /api/account/validate', { body: registrationOf({ phone, inviteCode }) });
      assert.deepEqual([reply.status, reply.body], [200, { message: 'OK', inviter: expected }], inviteCode);
    }
  });
});

describe('invite codes without effect', () => {
  test('made-up, foreign and blocked codes register a member without an inviter and prevent no registration [R-INV-02]', async () => {
    const { database } = world.system;
    const blocked = await registerMember(world.system);
    await database.query('insert into invite_blocked (member_id) values ($1)', [blocked.id]);
    const notActive = await Promise.all(
      ['inactive', 'restricted', 'deleted'].map(async (status) => {
        const member = await registerMember(world.system);
        await database.query('update member set status = $2 where id = $1', [member.id, status]);
        return member;
      }),
    );
    const codes = [
      'PR00000000-0000-7000-8000-000000000000',
      `PR${blocked.id.slice(0, -1)}`,
      `${codeOf(blocked)}0`,
      blocked.id,
      'PR',
      `PR' or 1=1 --`,
      `QR${blocked.id}`,
      ...[blocked, ...notActive].map(codeOf),
    ];
    for (const code of codes) await register(code);
    const { rows } = await database.query<{ links: number }>(
      'select count(*)::int as links from invite where inviter_id = any($1)',
      [[blocked, ...notActive].map(({ id }) => id)],
    );
    assert.equal(rows[0]?.links, 0);
    await database.query('delete from invite_blocked where member_id = $1', [blocked.id]);
    await register(codeOf(blocked));
    assert.equal(await total(blocked), 1, 'from now on');
  });

  test('a member is never their own inviter, nor two each other’s: the inviter is registered before, for life [R-INV-02]', async () => {
    const first = await registerMember(world.system);
    const second = await register(codeOf(first));
    // The same person again: with the other's code, their own, and under a phone or an account that is taken.
    const { api } = world.system;
    const { phone, bankAccountNo } = first;
    for (const choices of [{ phone }, { bankAccountNo }]) {
      const again = registrationOf({ phone: newPhone(), bankAccountNo: newAccountNo(), ...choices });
      const { status } = await api('POST /api/account', { body: { ...again, inviteCode: codeOf(second) } });
      assert.notEqual(status, 200);
    }
    // A member can't name an inviter any more.
    const bystander = await registerMember(world.system);
    for (const { token } of [first, second, bystander]) {
      const body = { name: 'Changed', inviteCode: codeOf(bystander), inviter: bystander.id };
      const reply = await api('PUT /api/account/profile', { token, body });
      assert.deepEqual([reply.status, reply.body.profile?.name], [200, 'Changed'], JSON.stringify(reply.body));
    }
    assert.deepEqual([await total(first), await total(second), await total(bystander)], [1, 0, 0]);
    const { rows } = await world.system.database.query<{ inviterId: string; memberId: string }>(
      'select inviter_id as "inviterId", member_id as "memberId" from invite where member_id = any($1)',
      [[first.id, second.id, bystander.id]],
    );
    assert.deepEqual(rows, [{ inviterId: first.id, memberId: second.id }]);
  });

  test('a refused registration leaves no invitee, and of thirty concurrent ones one is invited [R-INV-02]', async () => {
    const inviter = await registerMember(world.system);
    const registration = registrationOf({ inviteCode: codeOf(inviter) });
    await setSettings(world.system, { registerOTP: false });
    await setLimits(world.system, { 'register.phone': 1_000, 'register.address.unproved': 1_000 });
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => world.system.api('POST /api/account', { body: registration })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1, JSON.stringify(replies[0]?.body));
    assert.equal(await total(inviter), 1);
  });
});
