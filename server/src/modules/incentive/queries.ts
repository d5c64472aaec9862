import { type Minor, minor } from '@krapao/contract/money';
import { conditionTransitions } from '@krapao/contract/states';
import type { ReadPositions } from '../../ledger/index.ts';
import { type SnapshotField, snapshotField, snapshotReader } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { WorkTable } from '../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../platform/jobs/leases.ts';
import { dueOfPartitionsSql, partitionParams } from '../../platform/jobs/partitions.ts';
import type { InProgress } from '../../platform/jobs/polling-worker.ts';
import type { QueueSource } from '../../platform/jobs/queues.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import type { AllocatedCondition } from './allocate-turnover.ts';
import type { Condition, ConditionKind, Grant } from './incentive.ts';
import type { CountedTurnover, Ending } from './progress.ts';

/** Lease of a claimed row. Longer than posting to the ledger takes, retries included. */
export const LEASE_MS = 60_000;

const GRANT_COLUMNS = `g.id, g.member_id as "memberId", g.currency, g.kind, g.source, g.name, g.reference, g.amount, g.state,
  g.created_at as "createdAt"`;
/** SQL columns of a condition. @param amount wraps the SQL of an amount column */
const conditionColumns = (
  amount: (column: string) => string,
): string => `c.id, c.member_id as "memberId", c.currency, c.kind, g.name, c.state,
  ${amount('c.base')} as base, ${amount('c.own')} as own, ${amount('c.target')} as target, ${amount('c.floor')} as floor,
  c.percent_success::float8 as "percentSuccess", c.percent_fail::float8 as "percentFail",
  ${amount('c.turnover_target')} as "turnoverTarget", c.turnover_before as "turnoverBefore",
  coalesce(c.started_at, g.created_at) as "startedAt", c.expires_at as "expiresAt", ${amount('c.play')} as play,
  ${amount('c.turnover')} as turnover, ${amount('c.takes_back')} as "takesBack",
  ${amount('c.outstanding_before')} as "outstandingBefore", c.clear_attempt as "clearAttempt", g.reference`;
const CONDITION_COLUMNS = conditionColumns((column) => column);
/** Amounts as text, because JSON numbers would lose digits. */
const CONDITION_COLUMNS_AS_TEXT = conditionColumns((column) => `${column}::text`);
const CONDITION_TABLES = 'incentive_condition c join incentive_grant g on g.id = c.id';
const IS_OPEN_SQL = `c.state in ('OPENING', 'ACTIVE', 'CLEARING')`;

type ConditionRow = Omit<Condition, 'turnoverBefore'> & { turnoverBefore: Record<string, string | null> };
const toCondition = ({ turnoverBefore, ...row }: ConditionRow): Condition => ({
  ...row,
  turnoverBefore: Object.fromEntries(
    Object.entries(turnoverBefore).map(([code, amount]) => [code, amount === null ? null : minor(BigInt(amount))]),
  ),
});
/** A condition row as JSON: amounts and times are strings. */
type ConditionJson = Omit<ConditionRow, AmountName | 'turnoverTarget' | 'takesBack' | 'startedAt' | 'expiresAt'> &
  Record<AmountName, string> &
  Record<'turnoverTarget' | 'takesBack', string | null> & { startedAt: string; expiresAt: string | null };
type AmountName = 'base' | 'own' | 'target' | 'floor' | 'play' | 'turnover' | 'outstandingBefore';

const parseMinor = (text: string): Minor => minor(BigInt(text));
const conditionFromJson = (json: ConditionJson): Condition =>
  toCondition({
    ...json,
    base: parseMinor(json.base),
    own: parseMinor(json.own),
    target: parseMinor(json.target),
    floor: parseMinor(json.floor),
    play: parseMinor(json.play),
    turnover: parseMinor(json.turnover),
    outstandingBefore: parseMinor(json.outstandingBefore),
    turnoverTarget: json.turnoverTarget === null ? null : parseMinor(json.turnoverTarget),
    takesBack: json.takesBack === null ? null : parseMinor(json.takesBack),
    startedAt: new Date(json.startedAt),
    expiresAt: json.expiresAt === null ? null : new Date(json.expiresAt),
  });

/** Amounts by name as JSON with strings, because JSON numbers would lose digits. */
const amountsAsJson = (amounts: Readonly<Record<string, bigint | null>>): string =>
  JSON.stringify(amounts, (_name, amount: unknown) => (typeof amount === 'bigint' ? String(amount) : amount));

/**
 * Waits for the member lock and holds it until the transaction ends. Raises its version, so that earlier reads are
 * outdated.
 */
export async function lockMember(tx: Tx, memberId: string): Promise<void> {
  await tx.query(
    `insert into incentive_gate as g (member_id) values ($1)
     on conflict (member_id) do update set version = g.version + 1`,
    [memberId],
    { name: 'incentive-hold-gate' },
  );
}

/** Creates the lock row of a member without one. */
export async function insertMemberLock(on: Queryable, memberId: string): Promise<void> {
  await on.query('insert into incentive_gate (member_id) values ($1) on conflict (member_id) do nothing', [memberId], {
    name: 'incentive-insert-gate',
  });
}

/** Version of the member lock (null before its row exists), and whether a condition is open. */
export type ConditionGate = { version: bigint | null; hasConditions: boolean };

export const memberLockVersion: SnapshotField<ConditionGate> = snapshotField(
  `select json_build_object(
     'version', (select g.version::text from incentive_gate g where g.member_id = asked.member_id),
     'hasConditions', exists (select from incentive_condition c where c.member_id = asked.member_id and ${IS_OPEN_SQL}))`,
  ({ version, hasConditions }: { version: string | null; hasConditions: boolean }) => ({
    version: version === null ? null : BigInt(version),
    hasConditions,
  }),
);

/** Violates `incentive_grant_once` if the source has granted before. */
export async function insertGrant(tx: Tx, grant: Grant): Promise<void> {
  await tx.query(
    `insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, created_at, leased_until)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp() + $10 * interval '1 ms')`,
    [
      grant.id,
      grant.memberId,
      grant.currency,
      grant.kind,
      grant.source,
      JSON.stringify(grant.name),
      grant.reference,
      grant.amount,
      grant.createdAt,
      LEASE_MS,
    ],
  );
}

export type NewCondition = Pick<
  Condition,
  | 'base'
  | 'own'
  | 'target'
  | 'floor'
  | 'percentSuccess'
  | 'percentFail'
  | 'turnoverTarget'
  | 'turnoverBefore'
  | 'outstandingBefore'
  | 'expiresAt'
>;

/** Violates `incentive_condition_one_bonus` if a bonus or promotion is open. */
export async function insertCondition(tx: Tx, grant: Grant, condition: NewCondition): Promise<void> {
  await tx.query(
    `insert into incentive_condition (id, member_id, currency, kind, base, own, target, floor, percent_success,
       percent_fail, turnover_target, turnover_before, expires_at, outstanding_before)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      grant.id,
      grant.memberId,
      grant.currency,
      grant.kind,
      condition.base,
      condition.own,
      condition.target,
      condition.floor,
      condition.percentSuccess,
      condition.percentFail,
      condition.turnoverTarget,
      amountsAsJson(condition.turnoverBefore),
      condition.expiresAt,
      condition.outstandingBefore,
    ],
  );
}

export async function selectGrant(on: Queryable, id: string): Promise<Grant | undefined> {
  const { rows } = await on.query<Grant>(`select ${GRANT_COLUMNS} from incentive_grant g where g.id = $1`, [id]);
  return rows[0];
}

export async function selectOpenGrants(on: Queryable, memberId: string, kind: ConditionKind): Promise<Grant[]> {
  const { rows } = await on.query<Grant>(
    `select ${GRANT_COLUMNS} from incentive_grant g
      where g.member_id = $1 and g.kind = $2 and g.state = 'OPEN' order by g.created_at`,
    [memberId, kind],
  );
  return rows;
}

/** Claims grants that are stored but not credited. */
export async function claimOpenGrants(on: Queryable, limit: number): Promise<Grant[]> {
  const { rows } = await on.query<Grant>(
    `with due as (
       select d.id from incentive_grant d where d.state = 'OPEN' and d.leased_until <= statement_timestamp()
        order by d.leased_until limit $1 for no key update skip locked)
     update incentive_grant g set leased_until = clock_timestamp() + $2 * interval '1 ms'
       from due where g.id = due.id
     returning ${GRANT_COLUMNS}`,
    [limit, LEASE_MS],
  );
  return rows;
}

/** A member's conditions that have not ended, oldest first. */
export const openConditions: SnapshotField<Condition[]> = snapshotField(
  `select json_agg(to_json(o)) from (
     select ${CONDITION_COLUMNS_AS_TEXT} from ${CONDITION_TABLES} where c.member_id = asked.member_id and ${IS_OPEN_SQL} order by g.created_at, c.id) o`,
  (conditions: ConditionJson[] | null) => (conditions ?? []).map(conditionFromJson),
);

const readOpenConditions = snapshotReader('open conditions of a member', { open: openConditions });

/** Reads the open conditions of a member in a separate query. */
export const selectOpenConditions = async (on: Queryable, memberId: string): Promise<Condition[]> =>
  (await readOpenConditions(on, memberId)).open;

const DUE_SQL = dueOfPartitionsSql({
  table: 'incentive_condition',
  key: 'id',
  due: 'look_at',
  partition: `(case when w.state = 'ACTIVE' then w.providers else 'ending' end)`,
  waiting: `not w.is_told and w.state <> 'OPENING'`,
});

/** A condition to check. `waitsFor`: its partition, which names the providers that its check queries. */
export type DueCondition = Condition & { waitsFor: string };

/**
 * Claims conditions that are due for a check, each under a lease. The older a condition, the rarer its checks: at least
 * every hour, and when it expires. Calls of its member check it anyway.
 * @param share concurrent checks that wait for the same providers, and of conditions whose end was not completed
 */
export async function claimConditions(on: Queryable, share: number, inProgress: InProgress): Promise<DueCondition[]> {
  const { rows } = await on.query<ConditionRow & { providers: string }>(
    `${DUE_SQL}
     update incentive_condition c
        set ${leaseSql(
          'look_at',
          `now() + case when c.state <> 'ACTIVE' then $3 * interval '1 ms'
            else greatest($3 * interval '1 ms', least(
              (now() - c.started_at) / 10, interval '1 hour', c.expires_at - now())) end`,
        )},
            -- The member may have opened games since.
            providers = providers_of(c.member_id)
       from due, incentive_grant g
      where c.id = due.id and g.id = c.id
     returning ${CONDITION_COLUMNS}, c.providers`,
    [...partitionParams(share, inProgress), LEASE_MS],
  );
  return rows.map(({ providers, ...row }) => ({
    ...toCondition(row),
    waitsFor: row.state === 'ACTIVE' ? providers : 'ending',
  }));
}

export async function saveTurnoverBefore(
  tx: Tx,
  id: string,
  turnoverBefore: Readonly<Record<string, Minor | null>>,
): Promise<void> {
  await tx.query('update incentive_condition set turnover_before = $2 where id = $1', [
    id,
    amountsAsJson(turnoverBefore),
  ]);
}

/** ACTIVE → SUCCESS or FAILED. The caller holds the member lock and then posts to the ledger. */
export async function markEnded(tx: Tx, id: string, state: Ending, current: Minor): Promise<void> {
  await tx.query(
    `update incentive_condition
        set state = $2, ended_at = clock_timestamp(), ended_current = $3,
            look_at = clock_timestamp() + $4 * interval '1 ms'
      where id = $1 and state = any($5)`,
    [id, state, current, LEASE_MS, statesBefore(conditionTransitions, state, 'ACTIVE')],
  );
}

/** ACTIVE → CLEARING, under the member lock. Fixes the amount to take back. @returns the updated condition */
export async function markClearing(tx: Tx, id: string, takesBack: Minor, current: Minor): Promise<Condition> {
  const { rows } = await tx.query<ConditionRow>(
    `update incentive_condition c
        set state = 'CLEARING', takes_back = $2, ended_current = $3, clear_attempt = c.clear_attempt + 1,
            look_at = clock_timestamp() + $4 * interval '1 ms'
       from incentive_grant g
      where c.id = $1 and g.id = c.id and c.state = any($5)
     returning ${CONDITION_COLUMNS}`,
    [id, takesBack, current, LEASE_MS, statesBefore(conditionTransitions, 'CLEARING')],
  );
  const [row] = rows;
  if (!row) throw new Error(`the condition ${id} is not active`);
  return toCondition(row);
}

export const grantWorkTable: WorkTable = {
  table: 'incentive_grant',
  key: 'id',
  keyType: 'uuid',
  due: 'leased_until',
  lease: 'leased_until',
  open: `w.state = 'OPEN'`,
  label: 'w.reference',
};

export const conditionWorkTable: WorkTable = {
  table: 'incentive_condition',
  key: 'id',
  keyType: 'uuid',
  due: 'look_at',
  open: `not w.is_told and w.state <> 'OPENING'`,
  label: '(select g.reference from incentive_grant g where g.id = w.id)',
};

/** Overdue grants that are not credited yet. */
export const incentiveQueue = {
  queue: 'incentive',
  work: [grantWorkTable, conditionWorkTable],
  resolver: `select leased_until from incentive_grant where state = 'OPEN' and leased_until < now()`,
  operatedBy: 'krapao offers (docs/runbooks/offers.md)',
} satisfies QueueSource;

/** Positions up to which a member's play is counted. Counted play never counts for another condition. */
export type AllocationPositions = { entries: ReadPositions; turnover: CountedTurnover };

type DigitsByName = Readonly<Record<string, string>>;

export const allocationPositions: SnapshotField<AllocationPositions> = snapshotField(
  `select json_build_object('entries', g.counted_entries, 'turnover', g.counted_turnover)
     from incentive_gate g where g.member_id = asked.member_id`,
  (allocation: { entries: DigitsByName; turnover: DigitsByName } | null) => {
    const parseBigints = (digitsByName: DigitsByName = {}): Record<string, bigint> =>
      Object.fromEntries(Object.entries(digitsByName).map(([name, text]) => [name, BigInt(text)]));
    const turnover = Object.entries(parseBigints(allocation?.turnover)).map(([game, amount]) => [game, minor(amount)]);
    return { entries: parseBigints(allocation?.entries), turnover: Object.fromEntries(turnover) };
  },
);

/**
 * Saves an allocation under the member lock, in one commit with the conditions that it ends.
 * @param conditionsBefore the conditions as they were read
 */
export async function saveAllocation(
  tx: Tx,
  memberId: string,
  conditionsBefore: readonly Condition[],
  allocated: readonly AllocatedCondition[],
  { entries, turnover }: AllocationPositions,
): Promise<void> {
  await tx.query(
    `update incentive_gate set counted_entries = $2, counted_turnover = $3
      where member_id = $1 and (counted_entries <> $2 or counted_turnover <> $3)`,
    [memberId, amountsAsJson(entries), amountsAsJson(turnover)],
  );
  const changedConditions = allocated
    .map(({ condition }) => condition)
    .filter(
      (condition, index) =>
        condition.play !== conditionsBefore[index]?.play || condition.turnover !== conditionsBefore[index].turnover,
    );
  for (const { id, play, turnover: conditionTurnover } of changedConditions) {
    await tx.query('update incentive_condition set play = $2, turnover = $3 where id = $1', [
      id,
      play,
      conditionTurnover,
    ]);
  }
}
