import { type Minor, minor } from '@krapao/contract/money';
import { memoizePerConnection } from '../platform/database/batched-reads.ts';
import type { Queryable } from '../platform/database/database.ts';
import { nextCursor, type PageRequest } from '../platform/database/paging.ts';
import { hideFromPlanner } from '../platform/database/statements.ts';
import { coalesce } from '../platform/jobs/concurrency.ts';
import { keyHash } from './codec.ts';
import type { OperationProgress } from './events.ts';
import { InvalidOperation } from './types.ts';

export type StatementRow = {
  operationId: bigint;
  kind: string;
  reference: string;
  state: OperationProgress;
  /** Signed change of the available wallet balance. 0 after a failure. */
  amount: Minor;
  /** Requested amount, positive. 0 for a row that only records an end. */
  requested: Minor;
  /** Free money in the wallet after the movement was entered. */
  balance: Minor;
  /** Kinds of the two accounts: `WALLET`, `GAME:pg`, `bank` … */
  debit: string;
  credit: string;
  at: Date;
};
/** `next`: cursor of the movements after the last line; undefined if there are none. */
export type StatementPage = {
  total: number;
  pages: number;
  lines: StatementRow[];
  next?: bigint | undefined;
};

const PAGE_LIMIT_MAX = 100;
/** Maximum number of requests that one statement reads. */
const REQUESTS_PER_QUERY = 32;

/** After every entry. */
export const SEQ_MAX = 9_223_372_036_854_775_807n;

type MemberPageRequest = { memberId: string; page: number; limit: number; before: bigint };

/**
 * Operations of a member's wallet, newest first. A hold and its resolution are one row. The amounts of all rows add up
 * to the available wallet balance. Concurrent requests share one query.
 * @param page starts at 1 · @param limit rows per page, at most 100 · @param before only movements before this cursor
 */
export async function statement(
  on: Queryable,
  memberId: string,
  { page, limit, before = SEQ_MAX }: PageRequest<bigint>,
): Promise<StatementPage> {
  // Values that the database rejects must not fail other requests in the same query.
  if (
    ![page, (page - 1) * limit, limit].every(Number.isSafeInteger) ||
    page < 1 ||
    limit < 1 ||
    limit > PAGE_LIMIT_MAX
  ) {
    throw new InvalidOperation(`page ${page} of ${limit}`);
  }
  const {
    total,
    lines: statementRows,
    lastSeq,
  } = (await pageReaderOf(on)({ memberId, page, limit, before })) ?? NO_LINES;
  const next = nextCursor({ page, limit }, { total, last: lastSeq });
  return { total, pages: Math.ceil(total / limit), lines: statementRows, next };
}

type StatementLines = Pick<StatementPage, 'total' | 'lines'> & { lastSeq?: bigint };
const NO_LINES: StatementLines = { total: 0, lines: [] };

const pageReaderOf = memoizePerConnection((on) => {
  const readHouseAccountKinds = houseAccountKindReader(on);
  return coalesce(
    (requests: readonly MemberPageRequest[]) => readPages(on, readHouseAccountKinds, requests),
    requestKey,
    REQUESTS_PER_QUERY,
  );
});

const requestKey = ({ memberId, page, limit, before }: MemberPageRequest): string =>
  `${page} ${limit} ${before} ${memberId}`;

type PageRow = { place: bigint; total: bigint } & ((LineRow & { seq: bigint }) | { operationId: null });
export type LineRow = Omit<StatementRow, 'amount' | 'requested' | 'balance' | 'debit' | 'credit'> & {
  amount: bigint;
  requested: bigint;
  balance: bigint;
  debit: bigint;
  credit: bigint;
  /** Undefined for a house account. */
  debitKind: string | null;
  creditKind: string | null;
};

async function readPages(
  on: Queryable,
  readHouseAccountKinds: ReturnType<typeof houseAccountKindReader>,
  requests: readonly MemberPageRequest[],
): Promise<ReadonlyMap<string, StatementLines>> {
  const { rows } = await on.query<PageRow>(
    PAGES_SQL,
    [
      requests.map(({ memberId }) => memberId),
      requests.map(({ page, limit }) => (page - 1) * limit),
      requests.map(({ limit }) => limit),
      requests.map(({ before }) => before),
    ],
    { name: 'ledger-statements' },
  );
  const operationRows = rows.filter((row) => row.operationId !== null) as (LineRow & { place: bigint })[];
  const kindOf = await readHouseAccountKinds(
    operationRows.flatMap(({ debit, debitKind, credit, creditKind }) => [
      ...(debitKind === null ? [debit] : []),
      ...(creditKind === null ? [credit] : []),
    ]),
  );
  const pageByRequest = requests.map((): StatementLines => ({ total: 0, lines: [] }));
  for (const row of rows) {
    const page = pageByRequest[Number(row.place) - 1];
    if (!page) continue;
    page.total = Number(row.total);
    if (row.operationId === null) continue;
    page.lines.push(toStatementRow(row, kindOf));
    page.lastSeq = row.seq;
  }
  return new Map(requests.map((request, index) => [requestKey(request), pageByRequest[index] ?? NO_LINES]));
}

export function toStatementRow(row: LineRow, kindOf: (id: bigint) => string): StatementRow {
  return {
    operationId: row.operationId,
    kind: row.kind,
    reference: row.reference,
    state: row.state,
    amount: minor(row.amount),
    requested: minor(row.requested),
    balance: minor(row.balance),
    debit: row.debitKind ?? kindOf(row.debit),
    credit: row.creditKind ?? kindOf(row.credit),
    at: row.at,
  };
}

/** Cached kinds of house accounts: there are few, and an account never changes its kind. */
function houseAccountKindReader(on: Queryable): (ids: readonly bigint[]) => Promise<(id: bigint) => string> {
  const kindById = new Map<bigint, string>();
  return async (ids) => {
    const unknownIds = [...new Set(ids)].filter((id) => !kindById.has(id));
    if (unknownIds.length > 0) {
      const { rows } = await on.query<{ id: bigint; kind: string }>(
        `select id, kind from ledger.account where id = any(${hideFromPlanner('$1::bigint[]')})`,
        [unknownIds],
        { name: 'ledger-account-kinds' },
      );
      for (const { id, kind } of rows) kindById.set(id, kind);
    }
    return (id) => {
      const kind = kindById.get(id);
      if (kind === undefined) throw new Error(`the ledger has no account ${id}`);
      return kind;
    };
  };
}

const STATEMENT_COLUMNS = `o.id as "operationId", o.kind, o.reference, e.at, o.amount as requested, e.balance - e.held as balance,
             o.debit, o.credit, own.kinds[array_position(own.ids, o.debit)] as "debitKind",
             own.kinds[array_position(own.ids, o.credit)] as "creditKind",
             case o.state when 'pending' then 'PROCESSING' when 'voided' then 'FAILED' else 'SUCCESS' end as state,
             case o.state when 'pending' then -o.amount when 'posted' then -o.amount when 'voided' then 0
                  else e.amount end as amount`;

// The entry that ends a hold is not a separate statement row.
const IS_ROW = `(o.pending is null or o.debit <> e.account_id)`;
const WITH_OPERATION = `cross join lateral (select * from ledger.operation o where o.id = e.operation_id limit 1) o`;

// The lateral join reads only entries of the page. A page past the end returns one row with the total. Only a request
// with a cursor counts the rows from it on. The kinds of house accounts are cached, so only the member's accounts are
// joined.
const PAGES_SQL = `
  select asked.place, w.total, l.*
    from unnest(${hideFromPlanner('$1::text[]')}, ${hideFromPlanner('$2::bigint[]')}, ${hideFromPlanner('$3::bigint[]')},
                ${hideFromPlanner('$4::bigint[]')}) with ordinality asked (member_id, skip, most, before, place)
   cross join lateral (
     select array_agg(a.id) as ids, array_agg(a.kind) as kinds from ledger.account a where a.member_id = asked.member_id) own
   cross join lateral (
     select a.id, a.seq - a.resolved - case when asked.before > a.seq then 0 else (
              select count(*) from ledger.entry e ${WITH_OPERATION}
               where e.account_id = a.id and e.seq >= asked.before and ${IS_ROW}) end as total
       from ledger.account a where a.member_id = asked.member_id and a.kind = 'WALLET' order by a.seq desc limit 1) w
    left join lateral (
      select e.seq, ${STATEMENT_COLUMNS}
        from (select operation_id, amount, balance, held, at, account_id, seq from ledger.entry
               where account_id = w.id and seq < asked.before and w.total > asked.skip order by seq desc) e
       ${WITH_OPERATION}
       where ${IS_ROW}
       order by e.seq desc
      offset asked.skip limit asked.most) l on true
   order by asked.place, l.seq desc`;

/** Rows of a member's wallet by operation: by its id, or by its idempotency key. Others' operations have none. */
export async function statementRows(
  on: Queryable,
  memberId: string,
  { ids = [], keys = [] }: { ids?: readonly bigint[]; keys?: readonly string[] },
): Promise<StatementRow[]> {
  const { rows } = await on.query<LineRow>(ROWS, [memberId, ids, keys.map(keyHash)], { name: 'ledger-rows' });
  const houseAccounts = rows.flatMap(({ debit, debitKind, credit, creditKind }) => [
    ...(debitKind === null ? [debit] : []),
    ...(creditKind === null ? [credit] : []),
  ]);
  const kindOf = await houseAccountKindReader(on)(houseAccounts);
  return rows.map((row) => toStatementRow(row, kindOf));
}

// One entry per operation and account: the last one up to the operation.
const ROWS = `
  select ${STATEMENT_COLUMNS}
    from (select id, kind from ledger.account where member_id = $1 and kind = 'WALLET' order by seq desc limit 1) w
   cross join lateral (
     select array_agg(a.id) as ids, array_agg(a.kind) as kinds from ledger.account a where a.member_id = $1) own
   cross join lateral (
     select * from ledger.operation where id = any(${hideFromPlanner('$2::bigint[]')})
     union
     select * from ledger.operation where idempotency_key = any(${hideFromPlanner('$3::uuid[]')})) o
    join ledger.entry e
      on e.account_id = w.id and e.seq = ledger.seq_until(w.id, o.id) and e.operation_id = o.id
   where w.id in (o.debit, o.credit) and (o.pending is null or o.debit <> w.id)
   order by o.id`;
