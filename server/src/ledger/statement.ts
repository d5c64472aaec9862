import { type Minor, minor } from '@krapao/contract/money';
import type { Queryable } from '../platform/database/database.ts';
import { coalesce } from '../platform/jobs/concurrency.ts';
import { keyHash } from './codec.ts';
import type { Progress } from './events.ts';
import { InvalidOperation } from './types.ts';
import { hideFromPlanner } from '../platform/database/statements.ts';
import { memoizePerConnection } from '../platform/database/batched-reads.ts';

export type StatementRow = {
  operationId: bigint;
  kind: string;
  reference: string;
  state: Progress;
  /** Signed effect of the movement on the free money of the wallet. 0 once it failed. */
  amount: Minor;
  /** The requested amount, more than 0; 0 for a line that only records an end. */
  requested: Minor;
  /** Kinds of the two accounts: `WALLET`, `GAME:pg`, `bank` … */
  debit: string;
  credit: string;
  at: Date;
};
export type StatementPage = { total: number; pages: number; lines: StatementRow[] };

const LIMIT_MAX = 100;
/** Members whose pages one statement reads. */
const AT_ONCE = 32;

type Page = { page: number; limit: number };
type Request = Page & { memberId: string };

/**
 * The movements of a member's wallet, newest first, each once: a hold and its resolution are one line. The amounts of
 * all lines add up to what is free in the wallet. Pages that are asked for at the same time are read together.
 * @param page counted from 1 · @param limit lines of a page, at most 100
 */
export async function statement(on: Queryable, memberId: string, { page, limit }: Page): Promise<StatementPage> {
  // What the database would refuse must not fail those who share the statement.
  if (![page, (page - 1) * limit, limit].every(Number.isSafeInteger) || page < 1 || limit < 1 || limit > LIMIT_MAX) {
    throw new InvalidOperation(`page ${page} of ${limit}`);
  }
  const { total, lines } = (await readerOf(on)({ memberId, page, limit })) ?? NO_LINES;
  return { total, pages: Math.ceil(total / limit), lines };
}

type Lines = Pick<StatementPage, 'total' | 'lines'>;
const NO_LINES: Lines = { total: 0, lines: [] };

const readerOf = memoizePerConnection((on) => {
  const kinds = houseKinds(on);
  return coalesce((requests: readonly Request[]) => readPages(on, kinds, requests), keyOf, AT_ONCE);
});

const keyOf = ({ memberId, page, limit }: Request): string => `${page} ${limit} ${memberId}`;

type Row = { place: bigint; total: bigint } & (LineRow | { operationId: null });
type LineRow = Omit<StatementRow, 'amount' | 'requested' | 'debit' | 'credit'> & {
  amount: bigint;
  requested: bigint;
  debit: bigint;
  credit: bigint;
  /** Undefined for an account of the house. */
  debitKind: string | null;
  creditKind: string | null;
};

async function readPages(
  on: Queryable,
  kinds: ReturnType<typeof houseKinds>,
  requests: readonly Request[],
): Promise<ReadonlyMap<string, Lines>> {
  const { rows } = await on.query<Row>(
    PAGES,
    [
      requests.map(({ memberId }) => memberId),
      requests.map(({ page, limit }) => (page - 1) * limit),
      requests.map(({ limit }) => limit),
    ],
    { name: 'ledger-statements' },
  );
  const lines = rows.filter((row) => row.operationId !== null) as (LineRow & { place: bigint })[];
  const kindOf = await kinds(
    lines.flatMap(({ debit, debitKind, credit, creditKind }) => [
      ...(debitKind === null ? [debit] : []),
      ...(creditKind === null ? [credit] : []),
    ]),
  );
  const pages = requests.map((): Lines => ({ total: 0, lines: [] }));
  for (const row of rows) {
    const page = pages[Number(row.place) - 1];
    if (!page) continue;
    page.total = Number(row.total);
    if (row.operationId !== null) page.lines.push(lineOf(row, kindOf));
  }
  return new Map(requests.map((request, index) => [keyOf(request), pages[index] ?? NO_LINES]));
}

function lineOf(row: LineRow, kindOf: (id: bigint) => string): StatementRow {
  return {
    operationId: row.operationId,
    kind: row.kind,
    reference: row.reference,
    state: row.state,
    amount: minor(row.amount),
    requested: minor(row.requested),
    debit: row.debitKind ?? kindOf(row.debit),
    credit: row.creditKind ?? kindOf(row.credit),
    at: row.at,
  };
}

/** Kinds of accounts of the house: few, and an account never changes its kind. */
function houseKinds(on: Queryable): (ids: readonly bigint[]) => Promise<(id: bigint) => string> {
  const known = new Map<bigint, string>();
  return async (ids) => {
    const unknown = [...new Set(ids)].filter((id) => !known.has(id));
    if (unknown.length > 0) {
      const { rows } = await on.query<{ id: bigint; kind: string }>(
        `select id, kind from ledger.account where id = any(${hideFromPlanner('$1::bigint[]')})`,
        [unknown],
        { name: 'ledger-account-kinds' },
      );
      for (const { id, kind } of rows) known.set(id, kind);
    }
    return (id) => {
      const kind = known.get(id);
      if (kind === undefined) throw new Error(`the ledger has no account ${id}`);
      return kind;
    };
  };
}

const COLUMNS = `o.id as "operationId", o.kind, o.reference, e.at, o.amount as requested, o.debit, o.credit,
             own.kinds[array_position(own.ids, o.debit)] as "debitKind",
             own.kinds[array_position(own.ids, o.credit)] as "creditKind",
             case o.state when 'pending' then 'PROCESSING' when 'voided' then 'FAILED' else 'SUCCESS' end as state,
             case o.state when 'pending' then -o.amount when 'posted' then -o.amount when 'voided' then 0
                  else e.amount end as amount`;

// The entry that ends a hold on this account isn't a line of its own. Lateral, so that only entries of the page are
// read; none is beyond the last page. A wallet without lines there answers one row, of its total alone. An operation names
// accounts of one member and of the house only: the member's are read once, those of the house are known.
const PAGES = `
  select asked.place, w.total, l.*
    from unnest(${hideFromPlanner('$1::text[]')}, ${hideFromPlanner('$2::bigint[]')}, ${hideFromPlanner('$3::bigint[]')}) with ordinality asked (member_id, skip, most, place)
   cross join lateral (
     select array_agg(a.id) as ids, array_agg(a.kind) as kinds from ledger.account a where a.member_id = asked.member_id) own
   cross join lateral (
     select id, seq - resolved as total from ledger.account
      where member_id = asked.member_id and kind = 'WALLET' order by seq desc limit 1) w
    left join lateral (
      select e.seq, ${COLUMNS}
        from (select operation_id, amount, at, account_id, seq from ledger.entry
               where account_id = w.id and w.total > asked.skip order by seq desc) e
       cross join lateral (select * from ledger.operation o where o.id = e.operation_id limit 1) o
       where o.pending is null or o.debit <> e.account_id
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
  const houses = rows.flatMap(({ debit, debitKind, credit, creditKind }) => [
    ...(debitKind === null ? [debit] : []),
    ...(creditKind === null ? [credit] : []),
  ]);
  const kindOf = await houseKinds(on)(houses);
  return rows.map((row) => lineOf(row, kindOf));
}

// One entry per operation and account: the last one up to the operation.
const ROWS = `
  select ${COLUMNS}
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
