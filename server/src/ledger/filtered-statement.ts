import type { StatementFilter } from '@krapao/contract/endpoints/statement';
import { type Minor, minor } from '@krapao/contract/money';
import type { Queryable } from '../platform/database/database.ts';
import { nextCursor, type PageRequest } from '../platform/database/paging.ts';
import { type LineRow, SEQ_MAX, type StatementPage, type StatementRow, toStatementRow } from './statement.ts';

/** Entries that one call reads. Older ones are reached by the cursor of the reply. */
const WINDOW_ENTRIES = 50_000;
/** Entries that one step of a whole period reads. */
const STEP_ENTRIES = 10_000;

/** Finds movements that match any of these. */
export type MovementSearch = {
  /** Beginning of the reference. */
  reference: string | undefined;
  /** Amount or requested amount, without sign. */
  amount: Minor | undefined;
  /** Codes of games that the money came from or went to. */
  games: readonly string[];
};
export type MovementFilter = Omit<StatementFilter, 'search' | 'before'> & { search?: MovementSearch | undefined };
export type FilteredRequest = PageRequest<bigint> & MovementFilter;
/** `older`: cursor of the movements that are not read yet, and the time of the oldest one that is. */
export type FilteredPage = StatementPage & { older?: { before: bigint; searchedFrom: Date } };

type NumberedRow = LineRow & { seq: bigint };
type Summary = { total: bigint; lastSeq: bigint | null; lastAt: Date | null };

const gameAccountKind = (code: string): string => `GAME:${code}`;

/** Parameters $1 to $10 of both queries. */
function filterParameters(memberId: string, { types, game, status, from, until, reference, search }: MovementFilter) {
  return [
    memberId,
    from ?? null,
    until ?? null,
    types ?? null,
    status ?? null,
    game === undefined ? null : gameAccountKind(game),
    reference?.toLowerCase() ?? null,
    search !== undefined,
    search?.reference?.toLowerCase() ?? null,
    search?.amount ?? null,
    search?.games.map(gameAccountKind) ?? [],
  ];
}

/** The filtered queries read the kind of every account. */
function refuseUnnamed(id: bigint): never {
  throw new Error(`the ledger has no account ${id}`);
}

/** A page of matching movements, newest first. It reads, and `total` counts, up to 50,000 entries before the cursor. */
export async function filteredStatement(
  on: Queryable,
  memberId: string,
  { page, limit, before = SEQ_MAX, ...filter }: FilteredRequest,
): Promise<FilteredPage> {
  const { rows } = await on.query<Summary | NumberedRow>(
    NEWEST_FIRST,
    [...filterParameters(memberId, filter), before, WINDOW_ENTRIES, (page - 1) * limit, limit],
    { name: 'ledger-statement-filtered' },
  );
  const [summary, ...matches] = rows as [Summary?, ...NumberedRow[]];
  if (!summary) return { total: 0, pages: 0, lines: [] };
  const { lastSeq, lastAt } = summary;
  const total = Number(summary.total);
  return {
    total,
    pages: Math.ceil(total / limit),
    lines: matches.map((row) => toStatementRow(row, refuseUnnamed)),
    next: nextCursor({ page, limit }, { total, last: matches.at(-1)?.seq }),
    ...(lastSeq !== null && lastAt && { older: { before: lastSeq, searchedFrom: lastAt } }),
  };
}

/** All movements that match a filter, oldest first, in steps of at most 10,000. Call in one snapshot. */
export async function* eachMovement(
  on: Queryable,
  memberId: string,
  filter: MovementFilter,
): AsyncGenerator<StatementRow[]> {
  for (let after: bigint | null = 0n; after !== null;) {
    const { rows }: { rows: (Summary | LineRow)[] } = await on.query<Summary | LineRow>(
      OLDEST_FIRST,
      [...filterParameters(memberId, filter), after, STEP_ENTRIES],
      { name: 'ledger-statement-each' },
    );
    const [summary, ...matches] = rows as [Summary?, ...LineRow[]];
    yield matches.map((row) => toStatementRow(row, refuseUnnamed));
    after = summary?.lastSeq ?? null;
  }
}

/** Free money in the wallet at the start of a period: the current one, less all movements since. */
export async function computeOpeningBalance(
  on: Queryable,
  memberId: string,
  from: string,
  free: bigint,
): Promise<Minor> {
  let opening = free;
  for await (const lines of eachMovement(on, memberId, { from }))
    opening = lines.reduce((left, { amount }) => left - amount, opening);
  return minor(opening);
}

const WALLET_PERIOD = `
  with wallet as (
    select id from ledger.account where member_id = $1 and kind = 'WALLET' order by seq desc limit 1),
  period as (
    select w.id, case when $2::timestamptz is null then 0 else ledger.seq_before(w.id, $2) end as low,
           case when $3::timestamptz is null then ${SEQ_MAX} else ledger.seq_before(w.id, $3) end as high
      from wallet w)`;

const MATCHES = `
  matches as materialized (
    select e.seq, o.id as "operationId", o.kind, o.reference, e.at, o.amount as requested,
           e.balance - e.held as balance, o.debit, o.credit, d.kind as "debitKind", c.kind as "creditKind", s.state,
           s.amount
      from entries e
     cross join lateral (select * from ledger.operation o where o.id = e.operation_id limit 1) o
     cross join lateral (
       select case o.state when 'pending' then 'PROCESSING' when 'voided' then 'FAILED' else 'SUCCESS' end as state,
              case o.state when 'pending' then -o.amount when 'posted' then -o.amount when 'voided' then 0
                   else e.amount end as amount) s
      join ledger.account d on d.id = o.debit
      join ledger.account c on c.id = o.credit
     where (o.pending is null or o.debit <> e.account_id)
       and ($4::text[] is null or o.kind = any($4)) and ($5::text is null or s.state = $5)
       and ($6::text is null or $6 in (d.kind, c.kind))
       and ($7::text is null or starts_with(lower(o.reference), $7))
       and (not $8::boolean or starts_with(lower(o.reference), $9::text) or o.amount = $10::bigint
            or abs(s.amount) = $10 or d.kind = any($11::text[]) or c.kind = any($11)))`;

const NO_MATCH = `null::bigint as seq, null::bigint as "operationId", null as kind, null as reference, null::timestamptz as at,
         null::bigint as requested, null::bigint as balance, null::bigint as debit, null::bigint as credit,
         null as "debitKind", null as "creditKind", null as state, null::bigint as amount,
         (select count(*) from matches) as total`;

// The first row is the summary: number of matches, and the last entry read unless no more follow.
const NEWEST_FIRST = `${WALLET_PERIOD},
  entries as materialized (
    select e.* from period p cross join lateral (
      select * from ledger.entry where account_id = p.id and seq > p.low and seq <= least(p.high, $12::bigint - 1)
       order by seq desc limit $13) e),${MATCHES},
  last as (select min(e.seq) as seq from entries e having count(*) = $13 and min(e.seq) > (select low + 1 from period))
  (select ${NO_MATCH}, (select seq from last) as "lastSeq", (select e.at from entries e join last l on l.seq = e.seq) as "lastAt"
     from wallet)
  union all
  (select m.*, 0, null, null from matches m order by m.seq desc offset $14 limit $15)
   order by seq desc nulls first`;

const OLDEST_FIRST = `${WALLET_PERIOD},
  entries as materialized (
    select e.* from period p cross join lateral (
      select * from ledger.entry where account_id = p.id and seq > greatest(p.low, $12::bigint) and seq <= p.high
       order by seq limit $13) e),${MATCHES}
  (select ${NO_MATCH}, (select max(e.seq) from entries e having count(*) = $13) as "lastSeq", null::timestamptz as "lastAt"
     from wallet)
  union all
  (select m.*, 0, null, null from matches m)
   order by seq nulls first`;
