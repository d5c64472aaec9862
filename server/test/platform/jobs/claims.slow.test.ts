import { strict as assert } from 'node:assert';
import { after, before, test } from 'node:test';
import { claimDueBonuses } from '../../../src/modules/bonus/deposit-bonus-queries.ts';
import { claimDue as claimCodes } from '../../../src/modules/deposit/qrcode/due-queries.ts';
import { claimDue as claimSlips } from '../../../src/modules/deposit/slip/queries.ts';
import { claimConditions } from '../../../src/modules/incentive/queries.ts';
import { claimDuePush as claimMessages } from '../../../src/modules/notification/push-queries.ts';
import { claimDueLegs } from '../../../src/modules/transfer/queries.ts';
import { claimDueWithdrawals } from '../../../src/modules/withdraw/queries.ts';
import type { Queryable } from '../../../src/platform/database/database.ts';
import { type FreshDatabase, freshDatabase } from '../../harness/fresh-database.ts';
import { recordQueryPlans } from '../../harness/query-plans.ts';

/** Due rows of one counterparty; three more, which became due later, are another's. */
const BUSY_ROWS = 100_000;
const SHARE = 4;
const LEASE_MS = 60_000;
const NONE: ReadonlyMap<string, number> = new Map();

const ID = `md5(n::text)::uuid`;
const ROWS = `generate_series(1, ${BUSY_ROWS} + 3) n`;
/** Member of a browser: the first has two. */
const MEMBER = `md5(case n when 4 then '1' else n::text end)::uuid`;
const DUE = `now() - interval '1 hour' + n * interval '1 ms'`;
const partyOf = (busy: string, other: string): string =>
  `case when n <= ${BUSY_ROWS} then '${busy}' else '${other}' end`;

type Claims = {
  table: string;
  fill: readonly string[];
  claim: (on: Queryable) => Promise<unknown[]>;
  /** Concurrent rows of the busy counterparty. */
  busy: number;
};

const CLAIMS: Readonly<Record<string, Claims>> = {
  'QR codes of a gateway': {
    table: 'qrcode',
    fill: [
      `insert into qrcode (id, member_id, gateway, reference, currency, amount, state, ended_at, inquire_at)
       select ${ID}, ${ID}, ${partyOf('KBANK', 'WW')}, n, 'BAHT', 1, 'FAILED', now(), ${DUE} from ${ROWS}`,
    ],
    claim: (on) => claimCodes(on, SHARE, LEASE_MS, NONE),
    busy: SHARE,
  },
  'chosen bonuses that wait for a game provider': {
    table: 'deposit_bonus',
    fill: [
      `insert into deposit_bonus (credit_key, member_id, currency, code, deposit, work_at, providers)
       select n, ${ID}, 'BAHT', 'X', n, ${DUE}, ${partyOf('imi pg', 'imi')} from ${ROWS}`,
    ],
    claim: (on) => claimDueBonuses(on, SHARE, NONE),
    busy: SHARE,
  },
  'conditions that wait for a game provider': {
    table: 'incentive_condition',
    fill: [
      `insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, leased_until)
       select ${ID}, ${ID}, 'BAHT', 'BONUS', n, '{}', n, 1, now() from ${ROWS}`,
      `insert into incentive_condition (id, member_id, currency, kind, state, base, own, target, floor, percent_success, percent_fail,
         started_at, look_at, providers)
       select ${ID}, ${ID}, 'BAHT', 'BONUS', 'ACTIVE', 2, 1, 9, 1, 500, 1, now(), ${DUE}, ${partyOf('pg', 'imi')} from ${ROWS}`,
    ],
    claim: (on) => claimConditions(on, SHARE, NONE),
    busy: SHARE,
  },
  'transfers at a provider': {
    table: 'transfer_leg',
    fill: [
      `insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
       select ${ID}, ${ID}, 'BAHT', n, '', 'WALLET', 'pg', 1, n from ${ROWS}`,
      `insert into transfer_leg (transfer_id, leg, member_id, game_code, credits_per_unit, direction, amount, credits, provider, username,
         provider_reference, state, sent_at, next_inquiry_at, leased_until)
       select ${ID}, 1, ${ID}, 'pg', 1, 'in', 1, 1, ${partyOf('pg', 'imi')}, n, n, 'UNKNOWN', now(), ${DUE}, now() from ${ROWS}`,
    ],
    claim: (on) => claimDueLegs(on, SHARE, LEASE_MS, NONE),
    busy: SHARE,
  },
  'withdrawals from games of a provider, of which others wait for another provider or the bank': {
    table: 'withdraw',
    fill: [
      `insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
         account_name, paid_from, state, is_held, providers, sent_at, next_inquiry_at, leased_until)
       select ${ID}, ${ID}, 'BAHT', n, '', n > ${BUSY_ROWS}, 1, n, 'SCB', n, 'X', 'X', 'HELD',
         n > ${BUSY_ROWS} + 2, ${partyOf('imi pg', 'imi')}, now(), ${DUE}, now() from ${ROWS}`,
    ],
    claim: (on) => claimDueWithdrawals(on, SHARE, LEASE_MS, NONE),
    busy: SHARE,
  },
  'slips that wait for the bank, of which others wait to be read': {
    table: 'slip',
    fill: [
      `insert into slip (id, member_id, reference, currency, state, sending_bank, trans_ref, work_at)
       select ${ID}, ${ID}, n, 'BAHT', ${partyOf('READ', 'RECEIVED')}, 'SCB', n, ${DUE} from ${ROWS}`,
    ],
    claim: (on) => claimSlips(on, SHARE, LEASE_MS, { folderId: undefined, inProgress: NONE }),
    busy: SHARE,
  },
  'push messages of one member, of which others are another member’s at the same push service': {
    table: 'push_outbox',
    fill: [
      `insert into member_session (token_hash, member_id, remembered, created_at, expires_at)
       select sha256(n::text::bytea), ${MEMBER}, true, now(), now() + interval '1 day' from generate_series(1, 4) n`,
      `insert into push_subscription (id, member_id, session_hash, endpoint, p256dh, auth, language, kinds, with_amounts, created_at)
       select md5(n::text)::uuid, ${MEMBER}, sha256(n::text::bytea), n, convert_to(repeat('x', 65), 'UTF8'),
         convert_to(repeat('x', 16), 'UTF8'), 'th', '{}', false, now() from generate_series(1, 4) n`,
      `insert into notification_item (member_id, kind, reference, at, facts)
       select md5('1')::uuid, 'money-in', n, now(), '{}' from ${ROWS}`,
      `insert into push_outbox (notice_id, subscription_id, work_at, expires_at, lane)
       select i.id, md5(case when n <= 100 then '1' when n <= 102 then '2' else '3' end)::uuid, ${DUE}, now() + interval '1 day', 'host'
         from (select id, row_number() over () as n from notification_item limit 103) i`,
      `insert into push_outbox (notice_id, subscription_id, work_at, expires_at, lane)
       select i.id, md5('1')::uuid, ${DUE}, now() + interval '1 day', 'host!silent'
         from (select id, row_number() over () as n from notification_item offset 103) i`,
      `insert into push_outbox (notice_id, subscription_id, work_at, expires_at, lane)
       select i.id, md5(case when n <= 300 then '4' else '2' end)::uuid, ${DUE}, now() + interval '1 day', 'shared'
         from (select id, row_number() over () as n from notification_item order by id desc limit 301) i`,
    ],
    claim: (on) => claimMessages(on, SHARE + 1, LEASE_MS, { inProgress: NONE, now: new Date() }),
    busy: 2,
  },
};

let fresh: FreshDatabase;
before(async () => {
  fresh = await freshDatabase();
  await fresh.database.tx(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query('set local statement_timeout = 0');
    for (const { fill } of Object.values(CLAIMS)) for (const sql of fill) await tx.query(sql);
  });
  for (const { table } of Object.values(CLAIMS)) await fresh.database.query(`vacuum analyze ${table}`);
});
after(() => fresh?.dropDatabase());

for (const [name, { table, claim, busy }] of Object.entries(CLAIMS))
  test(`a claim of ${name} skips 100,000 rows that are not due, takes three others, and scans no table [R-OPS-07]`, async () => {
    const queryable = recordQueryPlans(fresh.database);
    const claimed = await claim(queryable);
    assert.equal(claimed.length, busy + 3);
    for (const plan of queryable.plans) assert.doesNotMatch(plan, new RegExp(`Seq Scan on ${table}`), plan);
  });

test("a claim of push messages skips 300 rows of a member at the limit, and takes another member's [R-OPS-07]", async () => {
  const { rows } = await fresh.database.query<{ busy: string; other: string }>(
    `select md5('1')::uuid::text as busy, md5('2')::uuid::text as other`,
  );
  const { busy, other } = rows[0] ?? { busy: '', other: '' };
  const inProgress = new Map([[`member:${busy}`, 2]]);
  const claimed = await claimMessages(fresh.database, SHARE, LEASE_MS, { inProgress, now: new Date() });
  assert.deepEqual(
    claimed.filter(({ memberId, lane }) => lane === 'shared' || memberId === busy).map(({ memberId }) => memberId),
    [other],
  );
});
