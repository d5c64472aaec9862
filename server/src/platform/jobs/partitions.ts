import type { WorkTable } from './failed-work.ts';

/** A table whose due rows a worker claims per partition. All fields but column names are SQL over a row `w`. */
export type PartitionedWork = Pick<WorkTable, 'table' | 'key' | 'due'> & {
  /** Name of the counterparty, or of the set of counterparties, that a row waits for. */
  partition: string;
  /** Condition of rows that wait. The table has a partial index of (partition, due) with it. */
  waiting: string;
  /** Further condition of rows that may be claimed. */
  claimable?: string;
  /** Further columns of `due`, read from the locked row. */
  columns?: string;
  /** Shares a partition among its members. `of`: SQL of the member; `share`: concurrent rows of each per process. */
  owners?: { of: string; share: number };
};

/** Rows of one claim. A small constant, for which the planner reads the table by its key. */
export const CLAIM_MAX = 100;
/** Oldest due rows of a partition among which the members with a free share get theirs. */
const OWNED_CANDIDATES = 200;
/** Rows read to find them: those of members without a free share are skipped. */
const OWNED_ROWS_MAX = 5_000;

/** Key under which rows in progress of a member are counted. */
export const ownerKey = (memberId: string): string => `member:${memberId}`;

/**
 * SQL of the CTE `due` with the keys of rows to claim, locked. Finds each partition by the index and reads a bounded
 * number of its rows, whatever is due. Parameters: `$1` concurrent rows per partition, `$2` rows in progress by key, as
 * JSON.
 */
export function dueOfPartitionsSql({
  table,
  key,
  due,
  partition,
  waiting,
  claimable = 'true',
  columns,
  owners,
}: PartitionedWork): string {
  const firstOf = (condition: string): string =>
    `(select ${partition} from ${table} w where ${waiting} and ${condition} order by ${partition} limit 1)`;
  const inProgress = (counted: string): string => `coalesce(($2::jsonb ->> ${counted})::int, 0)`;
  const free = `greatest(0, $1 - ${inProgress('p.name')})`;
  // In brackets: the operators associate to the left.
  const inProgressOf = (owner: string): string => inProgress(`('${ownerKey('')}' || ${owner})`);
  const ownShare = owners ? `c.owner_place + ${inProgressOf('c.owner')} <= ${owners.share}` : 'true';
  const dueRows = `select w.${key} as id, w.${due} as due_at, ${owners?.of ?? 'null::text'} as owner from ${table} w
           where ${partition} = p.name and ${waiting} and w.${due} <= statement_timestamp() and ${claimable}
           order by w.${due} limit`;
  const candidates = owners
    ? `select o.* from (${dueRows} ${OWNED_ROWS_MAX}) o where ${inProgressOf('o.owner')} < ${owners.share}
           order by o.due_at limit case when ${free} > 0 then ${OWNED_CANDIDATES} else 0 end`
    : `${dueRows} ${free}`;
  return `with recursive named as (
      select ${firstOf('true')} as name
      union all
      select ${firstOf(`${partition} > n.name`)} from named n where n.name is not null),
    candidate as (
      select d.*, p.name, row_number() over (partition by d.owner order by d.due_at, d.id) as owner_place
        from named p cross join lateral (
          ${candidates}) d
       where p.name is not null),
    placed as (
      select c.id, c.name, row_number() over (partition by c.name order by c.due_at, c.id) as place
        from candidate c where ${ownShare}),
    due as (
      select l.* from placed p cross join lateral (
          select w.${key}${columns === undefined ? '' : `, ${columns}`} from ${table} w
           where w.${key} = p.id and ${waiting} and w.${due} <= statement_timestamp() and ${claimable}
           limit 1 for no key update skip locked) l
       where p.place + ${inProgress('p.name')} <= $1 limit ${CLAIM_MAX})`;
}

/** Parameters of {@link dueOfPartitionsSql}. */
export const partitionParams = (share: number, inProgress: ReadonlyMap<string, number>): readonly unknown[] => [
  share,
  JSON.stringify(Object.fromEntries(inProgress)),
];
