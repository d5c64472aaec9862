import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerMember } from '../../harness/members.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { singlePrizeWheel, moneyPrize, publishTestWheel } from '../../spinwheel/wheel-fixtures.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system?.stop());

/** Rows 1 to 9 have one time; later rows have a time of their own. */
const TIME = `timestamptz '2026-01-01 00:00:00.123456Z' + greatest(n - 9, 0) * interval '1 microsecond'`;
const UUID = `lpad(n::text, 8, '0') || '-0000-7000-8000-' || substr($1, 25)`;

/** SQL that inserts row `n` of a member, and what identifies it in a reply: its number. */
const LISTS: Record<string, { field: string; insert: string; numberOf: (row: Record<string, unknown>) => number }> = {
  'POST /api/notices': {
    field: 'notices',
    insert: `insert into notification_item (member_id, kind, reference, at, facts)
      select $1::text::uuid, 'refused', n, now(), json_build_object('amount', n * 100, 'currency', 'BAHT')`,
    numberOf: ({ facts }) => (facts as { amount: number }).amount,
  },
  'POST /api/refund': {
    field: 'refunds',
    insert: `insert into refund (member_id, period_from, period_to, currency, paid_in, lost, percent, amount, source, created_at)
      select $1::text::uuid, now() + n * interval '2 days', now() + n * interval '2 days' + interval '1 day', 'BAHT',
             n * 100, n * 100, 10, n * 100, n, ${TIME}`,
    numberOf: ({ refundAmount }) => Number(refundAmount),
  },
  'POST /api/invite': {
    field: 'invites',
    insert: `insert into invite (inviter_id, member_id, currency, created_at, earned, played, claimed, looked_at)
      select $1::text::uuid, (${UUID})::uuid, 'BAHT', ${TIME}, n * 1000000, 0, 0, 'infinity'`,
    numberOf: ({ amount }) => Number(amount),
  },
  'POST /api/statement/slip': {
    field: 'slips',
    insert: `insert into slip (id, member_id, reference, currency, state, reason, created_at, ended_at, work_at)
      select (${UUID})::uuid, $1::text::uuid, 'S' || n || right($1, 12), 'BAHT', 'FAILED', 'NOT_MATCH', ${TIME}, now(), null`,
    numberOf: ({ reference }) => Number(String(reference).slice(1, -12)),
  },
  'POST /api/spinwheel/spins': {
    field: 'spins',
    insert: `with seed as (insert into spinwheel_seed (id, member_id, state, commitment, revealed_seed, client_seed)
        select (${UUID})::uuid, $1::text::uuid, 'REVEALED', 'c', 's', 's' returning id)
      insert into spinwheel_spin (id, member_id, seed_id, nonce, version, slice, slice_code, coins_after, created_at)
      select (${UUID})::uuid, $1::text::uuid, seed.id, 0, (select max(version) from spinwheel_version), 0, 'a', 0, ${TIME} from seed`,
    numberOf: ({ spinId }) => Number(String(spinId).slice(0, 8)),
  },
};

for (const [call, { field, insert, numberOf }] of Object.entries(LISTS)) {
  test(`pages of ${call} that continue from a cursor have each row once, although others arrive between them`, async () => {
    await publishTestWheel(system, singlePrizeWheel(moneyPrize('10')));
    const { id, token } = await registerMember(system);
    const addRow = async (n: number): Promise<void> => {
      // Without foreign keys: rows that the list only refers to are missing.
      await system.database.tx(async (tx) => {
        await tx.query('set local session_replication_role = replica');
        await tx.query(`${insert.replace(/\bn\b/g, String(n))}`, [id]);
      });
    };
    for (let n = 1; n <= 11; n += 1) await addRow(n);
    const read = async (body: object) => {
      const reply = await system.api(call, { token, body });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      const page = reply.body as { total: number; next?: string } & Record<string, unknown>;
      return { total: page.total, next: page.next, rows: page[field] as Record<string, unknown>[] };
    };
    const expected = (await read({ limit: 100 })).rows;
    const pages = [await read({ limit: 4 })];
    for (let next = pages[0]?.next, n = 12; next !== undefined; next = pages.at(-1)?.next, n += 1) {
      await addRow(n);
      pages.push(await read({ limit: 4, before: next }));
    }
    assert.deepEqual(
      pages.flatMap(({ rows }) => rows.map(numberOf)),
      [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
    );
    assert.deepEqual(
      pages.flatMap(({ rows }) => rows),
      expected,
    );
    assert.deepEqual(
      pages.map(({ total }) => total),
      [11, 7, 3],
    );
    assert.deepEqual((await read({ limit: 4, page: 2, before: pages[0]?.next })).rows.map(numberOf), [3, 2, 1]);
    const cursor = String(pages[0]?.next);
    for (const before of ['', '0', `${cursor}x`, `x${cursor}`, '9'.repeat(40), `${cursor}\u0000`, '1_1_1', 5, null]) {
      assert.equal(
        (await system.api(call, { token, body: { before } })).status,
        400,
        `${call} ${JSON.stringify(before)}`,
      );
    }
  });
}
