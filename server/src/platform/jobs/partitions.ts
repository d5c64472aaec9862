import type { WorkTable } from './failed-work.ts';

/** A table whose due rows a worker claims per partition. All fields but column names are SQL over a row `w`. */
export type PartitionedWork = Pick<WorkTable, 'table' | 'key' | 'due'> & {
  /** Name of the counterparty, or of several together, that a row waits for. */
  partition: string;
  /** Condition of rows that wait. The table has a partial index of (partition, due) with it. */
  waiting: string;
  /** Further condition of rows that may be claimed. */
  claimable?: string;
  /** Further columns of `due`, read from the locked row. */
  columns?: string;
  /** Limit of concurrent rows of one member in a partition, per process. `memberSql`: SQL of the member's id. */
  memberLimit?: { memberSql: string; concurrency: number };
};

/** Rows of one claim. A small constant, for which the planner reads the table by its key. */
export const CLAIM_MAX = 100;
/** Rows per partition that compete for its free slots, the oldest first. */
const CANDIDATES_MAX = 200;
/** Rows scanned for them, including rows of members at their limit. */
const SCANNED_ROWS_MAX = 5_000;

/** Key under which rows in progress of a member are counted. */
export const memberKey = (memberId: string): string => `member:${memberId}`;

/**
 * SQL of the CTE `due`: keys of rows to claim, locked. Reads a bounded number of rows of each partition by the index.
 * Parameters: `$1` concurrent rows per partition, `$2` rows in progress by key, as JSON.
 */
export function dueOfPartitionsSql({
  table,
  key,
  due,
  partition,
  waiting,
  claimable = 'true',
  columns,
  memberLimit,
}: PartitionedWork): string {
  const firstOf = (condition: string): string =>
    `(select ${partition} from ${table} w where ${waiting} and ${condition} order by ${partition} limit 1)`;
  const inProgress = (counted: string): string => `coalesce(($2::jsonb ->> ${counted})::int, 0)`;
  const free = `greatest(0, $1 - ${inProgress('p.name')})`;
  // In brackets: the operators associate to the left.
  const inProgressOfMember = (id: string): string => inProgress(`('${memberKey('')}' || ${id})`);
  const isWithinLimit = memberLimit
    ? `c.member_rank + ${inProgressOfMember('c.member')} <= ${memberLimit.concurrency}`
    : 'true';
  const dueRows = `select w.${key} as id, w.${due} as due_at, ${memberLimit?.memberSql ?? 'null::text'} as member from ${table} w
           where ${partition} = p.name and ${waiting} and w.${due} <= statement_timestamp() and ${claimable}
           order by w.${due} limit`;
  const candidates = memberLimit
    ? `select o.* from (${dueRows} ${SCANNED_ROWS_MAX}) o where ${inProgressOfMember('o.member')} < ${memberLimit.concurrency}
           order by o.due_at limit case when ${free} > 0 then ${CANDIDATES_MAX} else 0 end`
    : `${dueRows} ${free}`;
  return `with recursive partition_name as (
      select ${firstOf('true')} as name
      union all
      select ${firstOf(`${partition} > n.name`)} from partition_name n where n.name is not null),
    candidate as (
      select d.*, p.name, row_number() over (partition by d.member order by d.due_at, d.id) as member_rank
        from partition_name p cross join lateral (
          ${candidates}) d
       where p.name is not null),
    ranked as (
      select c.id, c.name, row_number() over (partition by c.name order by c.due_at, c.id) as rank
        from candidate c where ${isWithinLimit}),
    due as (
      select l.* from ranked p cross join lateral (
          select w.${key}${columns === undefined ? '' : `, ${columns}`} from ${table} w
           where w.${key} = p.id and ${waiting} and w.${due} <= statement_timestamp() and ${claimable}
           limit 1 for no key update skip locked) l
       where p.rank + ${inProgress('p.name')} <= $1 limit ${CLAIM_MAX})`;
}

/** Parameters of {@link dueOfPartitionsSql}. */
export const partitionParams = (concurrency: number, inProgress: ReadonlyMap<string, number>): readonly unknown[] => [
  concurrency,
  JSON.stringify(Object.fromEntries(inProgress)),
];
