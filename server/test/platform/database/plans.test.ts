import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { queues } from '../../../src/inventory.ts';
import { memberAccounts, cashAfter, playSince } from '../../../src/ledger/balances.ts';
import { batchesAfter, eventsSince } from '../../../src/ledger/events.ts';
import { statement as readStatement } from '../../../src/ledger/statement.ts';
import { selectSessions, suspended } from '../../../src/modules/account/queries.ts';
import { findClaimable } from '../../../src/modules/bonus/queries.ts';
import { expireAnnouncements } from '../../../src/modules/deposit/bank-transfer/announcement-queries.ts';
import { selectManual } from '../../../src/modules/deposit/truelink/queries.ts';
import { selectLegAccounts } from '../../../src/modules/game/queries.ts';
import { claimConditions, claimOpenGrants } from '../../../src/modules/incentive/queries.ts';
import { readPending } from '../../../src/modules/timeline/list-pending.ts';
import { claimDueLegs as claimLegs } from '../../../src/modules/transfer/queries.ts';
import { claimDueWithdrawals as claimWithdrawals, selectOutcomes } from '../../../src/modules/withdraw/queries.ts';
import { snapshotReader } from '../../../src/platform/database/batched-reads.ts';
import { openDatabase, type Queryable } from '../../../src/platform/database/database.ts';
import { selectQueues } from '../../../src/platform/jobs/queues.ts';
import { systemClock } from '../../../src/platform/time.ts';
import { freshDatabase, type FreshDatabase } from '../../harness/fresh-database.ts';
import { recordQueryPlans } from '../../harness/query-plans.ts';

const LEASE_MS = 60_000;
const OFFER_FILTER = { kind: 'BONUS', code: 'WELCOME', currency: 'BAHT', now: new Date() } as const;
const ID_SQL = `md5(n::text)::uuid`;
/**
 * PostgreSQL plans a prepared statement this often for its values, before it compares the costs with a generic plan.
 */
const CUSTOM_PLAN_RUNS = 5n;
/** Enough executions to prepare each statement, to compare its plans, and to use the chosen one. */
const RUNS_UNTIL_GENERIC_PLAN = 15;

let fresh: FreshDatabase;

/** Enough rows that no plan scans a table where an index serves. */
const FILL_QUERIES = [
  `insert into ledger.account (id, bounded, member_id, kind, currency) overriding system value
     select n, true, ${ID_SQL}::text, 'WALLET', 'BAHT' from generate_series(1, 20000) n`,
  'update ledger.account set seq = 5 where id = 7',
  `insert into ledger.batch (id, lane, first_operation, last_operation, at, previous_hash, hash)
     select n, n % 2, n * 1024 + 1, n * 1024 + 20, now(), '', '' from generate_series(1, 2000) n`,
  `insert into ledger.operation (id, idempotency_key, request_hash, debit, credit, amount, type, state, kind, reference, actor)
     select n / 20 * 1024 + n % 20 + 1, ${ID_SQL}, ${ID_SQL}, n % 20000 + 1, (n + 1) % 20000 + 1, 1, 'transfer', 'applied', 'deposit', n, ''
       from generate_series(1, 39999) n`,
  `insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, leased_until)
     select ${ID_SQL}, ${ID_SQL}, 'BAHT', 'BONUS', n, '{}', n, 1, now() + interval '1 hour' from generate_series(1, 5000) n`,
  `insert into incentive_condition (id, member_id, currency, kind, state, base, own, target, floor, percent_success, percent_fail,
       started_at, look_at)
     select ${ID_SQL}, ${ID_SQL}, 'BAHT', 'BONUS', 'ACTIVE', 2, 1, 9, 1, 500, 1, now(), now() + interval '1 hour' from generate_series(1, 5000) n`,
  `insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
     select ${ID_SQL}, ${ID_SQL}, 'BAHT', n, '', 'WALLET', 'pg', 1, n from generate_series(1, 5000) n`,
  `insert into transfer_leg (transfer_id, leg, member_id, game_code, credits_per_unit, direction, amount, credits, provider, username,
       provider_reference, state, sent_at, next_inquiry_at, leased_until)
     select ${ID_SQL}, 1, ${ID_SQL}, 'pg', 1, 'in', 1, 1, 'pg', n, n, 'UNKNOWN', now(), now() + interval '1 hour', now() from generate_series(1, 5000) n`,
  `insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
       account_name, paid_from, state, is_held, sent_at, next_inquiry_at, leased_until)
     select ${ID_SQL}, ${ID_SQL}, 'BAHT', n, '', false, 1, n, 'SCB', n, 'X', 'X', 'UNKNOWN', true, now(), now() + interval '1 hour', now()
       from generate_series(1, 5000) n`,
  `insert into deposit_parked (gateway, reference, reason, evidence, settled_at)
     select 'KBANK', n, 'LATE', repeat('x', 200), now() from generate_series(1, 5000) n`,
  `insert into truelink_gift (id, hash_sha256, member_id, reference, receiver, state, amount, ended_at)
     select ${ID_SQL}, sha256(n::text::bytea), ${ID_SQL}, n, '0812345678', 'CREDITED', 1, now() from generate_series(1, 5000) n`,
  `insert into deposit_announcement (id, member_id, reference, house_account, currency, amount, pay_amount, expires_at, release_at)
     select ${ID_SQL}, ${ID_SQL}, n, null, 'BAHT', 1, n, now() + interval '1 hour', now() + interval '2 hours' from generate_series(1, 5000) n`,
  `insert into qrcode (id, member_id, gateway, reference, currency, amount, state, ended_at)
     select ${ID_SQL}, ${ID_SQL}, 'KBANK', n, 'BAHT', 1, 'FAILED', now() from generate_series(1, 5000) n`,
  `insert into slip (id, member_id, reference, currency, state, reason, ended_at, work_at)
     select ${ID_SQL}, ${ID_SQL}, n, 'BAHT', 'FAILED', 'NOT_MATCH', now(), null from generate_series(1, 5000) n`,
  `insert into deposit_reserved_amount (look, pay_amount, announcement_id, release_at)
     select 'x', n, ${ID_SQL}, now() + interval '2 hours' from generate_series(1, 5000) n`,
];

before(async () => {
  fresh = await freshDatabase();
  await fresh.database.tx(async (tx) => {
    // Without checking foreign keys: only the number of rows matters.
    await tx.query('set local session_replication_role = replica');
    for (const sql of FILL_QUERIES) await tx.query(sql);
  });
  await fresh.database.query('analyze');
});
after(() => fresh?.dropDatabase());

async function recordPlansOf(runQueries: (queryable: Queryable) => Promise<unknown>): Promise<string[]> {
  const queryable = recordQueryPlans(fresh.database);
  await runQueries(queryable);
  return queryable.plans;
}

test('batches that a process missed are read by key, without scanning all operations or accounts', async () => {
  const queryPlans = await recordPlansOf(async (queryable) => {
    const batchRows = await batchesAfter(queryable, 1, 1_000n, 200);
    assert.equal(batchRows.length, 200);
    assert.deepEqual(
      batchRows.slice(0, 2).map(({ batchId, events }) => [batchId, events.length]),
      [
        [1_001n, 20],
        [1_003n, 20],
      ],
    );
  });
  for (const plan of queryPlans) {
    assert.doesNotMatch(plan, /Seq Scan|Hash/);
    for (const index of ['batch_of_lane', 'operation_pkey', 'account_pkey']) assert.match(plan, new RegExp(index));
  }
});

const CLAIM_QUERIES: Record<string, { column: string; claimRows: (queryable: Queryable) => Promise<unknown[]> }> = {
  grants: { column: 'leased_until', claimRows: (queryable) => claimOpenGrants(queryable, 4) },
  conditions: { column: 'look_at', claimRows: (queryable) => claimConditions(queryable, 2, new Map()) },
  'transfer legs': {
    column: 'next_inquiry_at',
    claimRows: (queryable) => claimLegs(queryable, 4, LEASE_MS, new Map()),
  },
  withdrawals: {
    column: 'next_inquiry_at',
    claimRows: (queryable) => claimWithdrawals(queryable, 8, LEASE_MS, new Map()),
  },
};
for (const [name, { column, claimRows }] of Object.entries(CLAIM_QUERIES)) {
  test(`a claim of ${name} reads only due rows, not all open ones`, async () => {
    const queryPlans = await recordPlansOf(async (queryable) => assert.deepEqual(await claimRows(queryable), []));
    for (const plan of queryPlans) assert.match(plan, new RegExp(`Index Cond: .*${column} <= `), plan);
  });
}

test('the open items of a member are read by indexes, not from all rows of a table', async () => {
  const durations = () => Promise.resolve(new Map());
  const { rows } = await fresh.database.query<{ id: string }>(`select ${ID_SQL} as id from generate_series(7, 7) n`);
  const queryPlans = await recordPlansOf(async (queryable) => {
    const { items } = await readPending({ database: queryable, clock: systemClock, durations }, rows[0]?.id ?? '');
    assert.deepEqual(items.map(({ kind }) => kind).toSorted(), ['notice', 'transfer', 'withdraw']);
  });
  assert.ok(queryPlans.length > 0);
  for (const plan of queryPlans) assert.doesNotMatch(plan, /Seq Scan/, plan);
});

test('the release of reserved amounts reads only due rows', async () => {
  const queryPlans = await recordPlansOf((queryable) => expireAnnouncements(queryable));
  assert.equal(queryPlans.length, 4);
  for (const plan of queryPlans) assert.doesNotMatch(plan, /Seq Scan on deposit_(announcement|reserved_amount)/, plan);
  const { rows } = await fresh.database.query('select from deposit_reserved_amount');
  assert.equal(rows.length, 5_000, 'none is due');
});

test('metrics and lists of items that wait for an operator read no settled rows', async () => {
  const queryPlans = await recordPlansOf(async (queryable) => {
    await selectQueues(queryable, queues);
    await selectManual(queryable);
  });
  for (const plan of queryPlans) assert.doesNotMatch(plan, /Seq Scan on (deposit_parked|truelink_gift)/);
});

test('the statement of each command keeps its plan, whatever the number of items', async () => {
  const singleConnection = openDatabase({ url: fresh.url, size: 1 });
  try {
    const member =
      (await singleConnection.query<{ id: string }>(`select ${ID_SQL} as id from generate_series(7, 7) n`)).rows[0]
        ?.id ?? '';
    const readFacts = snapshotReader('facts', { suspended, holdings: memberAccounts });
    const statements: (() => Promise<unknown>)[] = [
      () => eventsSince(singleConnection, [{ memberId: member, since: 0n, limit: 5 }]),
      () => selectSessions(singleConnection, [Buffer.alloc(32)]),
      () => readFacts(singleConnection, member),
      () => playSince(singleConnection, member, { keys: ['key'], read: {} }),
      () => cashAfter(singleConnection, member, 0n, 5),
      () => findClaimable(singleConnection, member, OFFER_FILTER, { day: new Date(0), week: new Date(0) }),
      () => readStatement(singleConnection, member, { page: 1, limit: 10 }),
      () => selectLegAccounts(singleConnection, [{ memberId: member, codes: ['WALLET', 'pg'] }]),
      () => selectOutcomes(singleConnection, member, ['reference']),
    ];
    for (const statement of statements)
      for (let runNumber = 0; runNumber < RUNS_UNTIL_GENERIC_PLAN; runNumber += 1) await statement();
    const { rows } = await singleConnection.query<{ statement: string; custom: bigint; generic: bigint }>(
      'select statement, custom_plans as custom, generic_plans as generic from pg_prepared_statements',
    );
    assert.ok(rows.length >= statements.length, `${rows.length} prepared statements`);
    assert.deepEqual(
      rows.filter(({ custom, generic }) => generic === 0n || custom > CUSTOM_PLAN_RUNS).map((row) => row.statement),
      [],
    );
  } finally {
    await singleConnection.close();
  }
});
