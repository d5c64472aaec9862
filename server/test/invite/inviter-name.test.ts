import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inviterName } from '../../src/modules/invite/invite.ts';
import { type MemberOptions, registerMember } from '../harness/members.ts';
import { setRateLimits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system?.stop());

const findInviter = (code: string, address = '203.0.113.9') =>
  system.api('GET /api/invite/inviter/{code}', { params: { code }, headers: { 'x-forwarded-for': address } });

async function memberWithCode(options: MemberOptions = {}): Promise<{ id: string; memberCode: string }> {
  const { id, token } = await registerMember(system, options);
  const { body } = await system.api('GET /api/wallet', { token });
  return { id, memberCode: body.profile.memberCode };
}

test('an inviter is named by first name and initial, else by the member code', () => {
  const nameOf = (name: string) => inviterName({ name, memberCode: '7K4MQ2XD' });
  for (const [name, shown] of [
    ['Somchai Thotsop', 'Somchai T.'],
    ['  somchai   von  thotsop ', 'somchai t.'],
    ['สมชาย ทดสอบ', 'สมชาย ท.'],
    // The vowel is written first and spoken second.
    ['สมหญิง เจริญ', 'สมหญิง จ.'],
    ['ບຸນມີ ໄຊຍະ', 'ບຸນມີ ຊ.'],
    ['Anne-Marie O’Neill', 'Anne-Marie O.'],
    ['สมชาย', 'สมชาย'],
    ['Somchai 0812345678', 'Somchai'],
    ['0812345678', '7K4M-Q2XD'],
    ['som@example.com', '7K4M-Q2XD'],
    ['https://example.com/x Y', '7K4M-Q2XD'],
    ['x'.repeat(60), '7K4M-Q2XD'],
    ['❤️ Somchai', '7K4M-Q2XD'],
    ['', '7K4M-Q2XD'],
  ] as const)
    assert.equal(nameOf(name), shown, name);
});

test('the inviter is found by the typed member code, and by PR and the id', async () => {
  const { id, memberCode } = await memberWithCode({ name: 'สมชาย ทดสอบ' });
  for (const code of [
    memberCode,
    memberCode.toLowerCase(),
    `${memberCode.slice(0, 4)}-${memberCode.slice(4)}`,
    `PR${id}`,
  ]) {
    const { status, body } = await findInviter(code);
    assert.deepEqual([status, body], [200, { inviter: 'สมชาย ท.' }], code);
  }
});

test('unknown codes and those of inactive, deleted and blocked members have the same reply', async () => {
  const [inactive, deleted, blocked] = [await memberWithCode(), await memberWithCode(), await memberWithCode()];
  await system.database.query(`update member set status = 'inactive' where id = $1`, [inactive.id]);
  await system.database.query(`update member set status = 'deleted' where id = $1`, [deleted.id]);
  await system.database.query('insert into invite_blocked (member_id) values ($1)', [blocked.id]);
  const codes = [inactive, deleted, blocked].flatMap(({ id, memberCode }) => [memberCode, `PR${id}`]);
  for (const code of [...codes, '00000000']) {
    const { status, body } = await findInviter(code);
    assert.deepEqual([status, body], [200, { inviter: null }], code);
  }
  for (const code of ['PR', `PR${'0'.repeat(36)}`, 'x', "' or 1=1 --", '%25', 'x'.repeat(64), 'x'.repeat(65)]) {
    const { status, body } = await findInviter(code);
    assert.deepEqual([status, body.message], [404, 'NO_DATA'], code);
  }
});

test('attempts at inviter codes are limited per network, known code or not, and other networks are unaffected', async () => {
  const { memberCode } = await memberWithCode({ name: 'Somchai' });
  await setRateLimits(system, { 'inviter.address': 3 });
  try {
    const statuses: number[] = [];
    for (const code of ['00000001', memberCode, '00000002', memberCode, '00000003'])
      statuses.push((await findInviter(code, '203.0.113.77')).status);
    assert.deepEqual(statuses.slice(0, 3), [200, 200, 200]);
    assert.equal(statuses[3], statuses[4]);
    assert.ok((statuses[3] ?? 0) >= 400);
    assert.equal((await findInviter(memberCode, '198.51.100.7')).status, 200);
  } finally {
    await setRateLimits(system, { 'inviter.address': 60 });
  }
});
