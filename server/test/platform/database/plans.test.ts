import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { memberAccounts, cashAfter, playSince } from '../../../src/ledger/balances.ts';
import { batchesAfter, eventsSince } from '../../../src/ledger/events.ts';
import { statement as readStatement } from '../../../src/ledger/statement.ts';
import { selectSessions, suspended } from '../../../src/modules/account/queries.ts';
import { findClaimable } from '../../../src/modules/bonus/queries.ts';
import { expireAnnouncements } from '../../../src/modules/deposit/bank-transfer/announcement-queries.ts';
import { selectManual } from '../../../src/modules/deposit/truelink/queries.ts';
import { selectEnds } from '../../../src/modules/game/queries.ts';
import { claimConditions, claimOpenGrants } from '../../../src/modules/incentive/queries.ts';
import { claimDueLegs as claimLegs } from '../../../src/modules/transfer/queries.ts';
import { claimDueWithdrawals as claimWithdrawals, selectOutcomes } from '../../../src/modules/withdraw/queries.ts';
import { openDatabase, type Queryable } from '../../../src/platform/database/database.ts';
import { snapshotReader } from '../../../src/platform/database/batched-reads.ts';
import { queues } from '../../../src/inventory.ts';
import { selectQueues } from '../../../src/platform/jobs/queues.ts';
import { freshDatabase, type FreshDatabase } from '../../harness/fresh-database.ts';
import { explaining } from '../../harness/plans.ts';

const LEASE_MS = 60_000;
const OFFER = { kind: 'BONUS', code: 'WELCOME', currency: 'BAHT', now: new Date() } as const;
const ID = `md5(n::text)::uuid`;
/** PostgreSQL plans a prepared statement for its values so often, then compares the costs with those of a plan for any. */
const CUSTOM_PLANS_TRIED = 5n;
/** So that each is named, tried, and executed with the plan that it keeps. */
const MORE_THAN_TRIED = 15;

let fresh: FreshDatabase;

/** Rows enough that no plan reads a table as a whole where an index serves. */
const ROWS = [
  `insert into ledger.account (id, bounded, member_id, kind, currency) overriding system value
     select n, true, ${ID}::text, 'WALLET', 'BAHT' from generate_series(1, 20000) n`,
  'update ledger.account set seq = 5 where id = 7',
  `insert into ledger.batch (id, lane, first_operation, last_operation, at, previous_hash, hash)
     select n, n % 2, n * 1024 + 1, n * 1024 + 20, now(), '', '' from generate_series(1, 2000) n`,
  `insert into ledger.operation (id, idempotency_key, request_hash, debit, credit, amount, type, state, kind, reference, actor)
     select n / 20 * 1024 + n % 20 + 1, ${ID}, ${ID}, n % 20000 + 1, (n + 1) % 20000 + 1, 1, 'transfer', 'applied', 'deposit', n, ''
       from generate_series(1, 39999) n`,
  `insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, leased_until)
     select ${ID}, ${ID}, 'BAHT', 'BONUS', n, '{}', n, 1, now() + interval '1 hour' from generate_series(1, 5000) n`,
  `insert into incentive_condition (id, member_id, currency, kind, state, base, own, target, floor, percent_success, percent_fail,
       started_at, look_at)
     select ${ID}, ${ID}, 'BAHT', 'BONUS', 'ACTIVE', 2, 1, 9, 1, 500, 1, now(), now() + interval '1 hour' from generate_series(1, 5000) n`,
  `insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
     select ${ID}, ${ID}, 'BAHT', n, '', 'WALLET', 'pg', 1, n from generate_series(1, 5000) n`,
  `insert into transfer_leg (transfer_id, leg, member_id, game_code, ft_wallet_slot, direction, amount, credits, provider, username,
       provider_reference, state, sent_at, next_ask_at, leased_until)
     select ${ID}, 1, ${ID}, 'pg', 1, 'in', 1, 1, 'pg', n, n, 'UNKNOWN', now(), now() + interval '1 hour', now() from generate_series(1, 5000) n`,
  `insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
       account_name, paid_from, state, is_held, sent_at, next_ask_at, leased_until)
     select ${ID}, ${ID}, 'BAHT', n, '', false, 1, n, 'SCB', n, 'X', 'X', 'UNKNOWN', true, now(), now() + interval '1 hour', now()
       from generate_series(1, 5000) n`,
  `insert into deposit_parked (gateway, reference, reason, evidence, settled_at)
     select 'KBANK', n, 'LATE', repeat('x', 200), now() from generate_series(1, 5000) n`,
  `insert into truelink_gift (id, hash_sha256, member_id, reference, receiver, state, amount, ended_at)
     select ${ID}, sha256(n::text::bytea), ${ID}, n, '0812345678', 'CREDITED', 1, now() from generate_series(1, 5000) n`,
  `insert into deposit_notice (id, member_id, reference, house, currency, amount, pay_amount, expires_at, release_at)
     select ${ID}, ${ID}, n, '', 'BAHT', 1, n, now() + interval '1 hour', now() + interval '2 hours' from generate_series(1, 5000) n`,
  `insert into deposit_reserved_amount (look, pay_amount, notice_id, release_at)
     select 'x', n, ${ID}, now() + interval '2 hours' from generate_series(1, 5000) n`,
];

before(async () => {
  fresh = await freshDatabase();
  await fresh.database.tx(async (tx) => {
    // Without looking up what the rows name: only their number matters.
    await tx.query('set local session_replication_role = replica');
    for (const sql of ROWS) await tx.query(sql);
  });
  await fresh.database.query('analyze');
});
after(() => fresh?.drop());

async function plansOf(run: (on: Queryable) => Promise<unknown>): Promise<string[]> {
  const on = explaining(fresh.database);
  await run(on);
  return on.plans;
}

test('batches that a process missed are read by key: neither all operations nor all accounts are', async () => {
  const plans = await plansOf(async (on) => {
    const batches = await batchesAfter(on, 1, 1_000n, 200);
    assert.equal(batches.length, 200);
    assert.deepEqual(
      batches.slice(0, 2).map(({ batchId, events }) => [batchId, events.length]),
      [
        [1_001n, 20],
        [1_003n, 20],
      ],
    );
  });
  for (const plan of plans) {
    assert.doesNotMatch(plan, /Seq Scan|Hash/);
    for (const index of ['batch_of_lane', 'operation_pkey', 'account_pkey']) assert.match(plan, new RegExp(index));
  }
});

const CLAIMS: Record<string, { column: string; claim: (on: Queryable) => Promise<unknown[]> }> = {
  grants: { column: 'leased_until', claim: (on) => claimOpenGrants(on, 4) },
  conditions: { column: 'look_at', claim: (on) => claimConditions(on, 2) },
  'transfer legs': {
    column: 'next_ask_at',
    claim: (on) => claimLegs(on, 8, LEASE_MS, { perPartition: 4, taken: new Map() }),
  },
  withdrawals: { column: 'next_ask_at', claim: (on) => claimWithdrawals(on, 8, LEASE_MS) },
};
for (const [name, { column, claim }] of Object.entries(CLAIMS)) {
  test(`a claim of ${name} reads those that are due, not all that are open`, async () => {
    const plans = await plansOf(async (on) => assert.deepEqual(await claim(on), []));
    for (const plan of plans) assert.match(plan, new RegExp(`Index Cond: .*${column} <= `), plan);
  });
}

test('releasing amounts reads those that are due, not all that are reserved', async () => {
  const plans = await plansOf((on) => expireAnnouncements(on));
  assert.equal(plans.length, 4);
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on deposit_(notice|reserved_amount)/, plan);
  const { rows } = await fresh.database.query('select from deposit_reserved_amount');
  assert.equal(rows.length, 5_000, 'none is due');
});

test('gauges and lists of what waits for an operator read no settled rows', async () => {
  const plans = await plansOf(async (on) => {
    await selectQueues(on, queues);
    await selectManual(on);
  });
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on (deposit_parked|truelink_gift)/);
});

test('a statement of every command keeps its plan: one item in a list does not have it planned again', async () => {
  const alone = openDatabase({ url: fresh.url, size: 1 });
  try {
    const member =
      (await alone.query<{ id: string }>(`select ${ID} as id from generate_series(7, 7) n`)).rows[0]?.id ?? '';
    const readFacts = snapshotReader('facts', { suspended, holdings: memberAccounts });
    const statements: (() => Promise<unknown>)[] = [
      () => eventsSince(alone, [{ memberId: member, since: 0n, limit: 5 }]),
      () => selectSessions(alone, [Buffer.alloc(32)]),
      () => readFacts(alone, member),
      () => playSince(alone, member, { keys: ['key'], read: {} }),
      () => cashAfter(alone, member, 0n, 5),
      () => findClaimable(alone, member, OFFER, { day: new Date(0), week: new Date(0) }),
      () => readStatement(alone, member, { page: 1, limit: 10 }),
      () => selectEnds(alone, [{ memberId: member, codes: ['WALLET', 'pg'] }]),
      () => selectOutcomes(alone, member, ['reference']),
    ];
    for (const statement of statements) for (let run = 0; run < MORE_THAN_TRIED; run += 1) await statement();
    const { rows } = await alone.query<{ statement: string; custom: bigint; generic: bigint }>(
      'select statement, custom_plans as custom, generic_plans as generic from pg_prepared_statements',
    );
    assert.ok(rows.length >= statements.length, `${rows.length} prepared statements`);
    assert.deepEqual(
      rows.filter(({ custom, generic }) => generic === 0n || custom > CUSTOM_PLANS_TRIED).map((row) => row.statement),
      [],
    );
  } finally {
    await alone.close();
  }
});
