import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { selectDescribed } from '../../../src/modules/incentive/history-queries.ts';
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts';
import { insertPlainMember } from '../../harness/plain-member.ts';

let fresh: FreshDatabase;
before(async () => {
  fresh = await freshDatabase();
});
after(() => fresh.dropDatabase());

/** A grant whose name is the member's id. References are unique for each member only. */
async function postGrantTo(memberId: string, reference: string): Promise<void> {
  await fresh.database.query(
    `insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, leased_until)
     select $1, $2, 'BAHT', 'REFUND', $3, jsonb_build_object('th', $2::uuid), $3, 1, now()`,
    [randomUUID(), memberId, reference],
  );
}

test('members whose reads are batched get only their own rows, also under the same reference', async () => {
  const members = await Promise.all(Array.from({ length: 70 }, () => insertPlainMember(fresh.database)));
  for (const member of members) {
    await postGrantTo(member, 'SAME');
    await postGrantTo(member, `OWN ${member}`);
  }
  const [first = '', second = ''] = members;
  const otherReads = await Promise.all([
    ...members.map((member) => selectDescribed(fresh.database, member, ['SAME', `OWN ${member}`, 'SAME'])),
    selectDescribed(fresh.database, first, [`OWN ${second}`]),
    selectDescribed(fresh.database, second, []),
  ]);
  assert.deepEqual(
    otherReads.map((rows) => rows.map(({ reference, name }) => [reference, name.th])),
    [
      ...members.map((id) => [
        ['SAME', id],
        [`OWN ${id}`, id],
        ['SAME', id],
      ]),
      [],
      [],
    ],
  );
});
