import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrate } from '../../src/platform/database/migrate.ts';
import { freshDatabase } from '../harness/fresh-database.ts';
import { newPhone } from '../harness/members.ts';

const idOf = (digit: number): string => `0190000${digit}-0000-7000-8000-00000000000a`;

test('members who registered before there were invites have the inviter whose code they typed, unless they can’t have', async () => {
  const fresh = await freshDatabase();
  const { database } = fresh;
  try {
    await database.query('drop table banner, refund, invite, invite_play, inviter, invite_blocked');
    await database.query('delete from schema_migration where number = 132');
    const [inviter, gone, friend, shouting] = [idOf(1), idOf(2), idOf(3), idOf(4)];
    const members: [id: string, inviteCode: string, status: string, currency: string][] = [
      [idOf(1), `PR${friend}`, 'active', 'BAHT'],
      [idOf(2), `PR${idOf(2)}`, 'deleted', 'BAHT'],
      [idOf(3), `PR${inviter}`, 'active', 'BAHT'],
      [idOf(4), ` pr${inviter.toUpperCase()} `, 'active', 'LAK'],
      [idOf(5), `PR${gone}`, 'active', 'BAHT'],
      [idOf(6), 'PRnobody', 'active', 'BAHT'],
      [idOf(7), '', 'active', 'BAHT'],
    ];
    for (const [at, [id, code, status, currency]] of members.entries()) {
      await database.query(
        `insert into member (id, phone, name, password_hash, currency, source_code, invite_code, status, created_at)
         values ($1, $2, 'Somjai', 'x', $3, 'FRIEND', $4, $5, now() + $6 * interval '1 hour')`,
        [id, newPhone(), currency, code, status, at],
      );
    }
    assert.deepEqual(await migrate(database), ['0132-refund-invite.sql']);
    const { rows } = await database.query('select inviter_id, member_id, currency from invite order by member_id');
    assert.deepEqual(rows, [
      { inviter_id: inviter, member_id: friend, currency: 'BAHT' },
      { inviter_id: inviter, member_id: shouting, currency: 'LAK' },
    ]);
    const { rows: inviters } = await database.query('select member_id, currency, unclaimed from inviter');
    assert.deepEqual(inviters, [{ member_id: inviter, currency: 'BAHT', unclaimed: 0n }]);
  } finally {
    await fresh.drop();
  }
});
