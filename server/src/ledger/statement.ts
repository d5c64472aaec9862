import { type Minor, minor } from '@krapao/contract/money';
import type { Queryable } from '../platform/database/database.ts';
import type { Progress } from './event.ts';
import { InvalidOperation } from './operation.ts';
import { opaque } from '../platform/database/opaque.ts';

export type StatementLine = {
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
export type StatementPage = { total: number; pages: number; lines: StatementLine[] };

const LIMIT_MAX = 100;

/**
 * The movements of a member's wallet, newest first, each once: a hold and its resolution are one line. The amounts of
 * all lines add up to what is free in the wallet.
 * @param page counted from 1 · @param limit lines of a page, at most 100
 */
export async function statement(
  on: Queryable,
  memberId: string,
  { page, limit }: { page: number; limit: number },
): Promise<StatementPage> {
  if (!Number.isSafeInteger(page) || page < 1 || !(limit >= 1 && limit <= LIMIT_MAX)) {
    throw new InvalidOperation(`page ${page} of ${limit}`);
  }
  const { rows } = await on.query<Row>(PAGE, [memberId, (page - 1) * limit, limit], { name: 'ledger-statement' });
  const total = Number(rows[0]?.total ?? 0n);
  return { total, pages: Math.ceil(total / limit), lines: rows.flatMap(lineOf) };
}

type Row = { total: bigint; seq: bigint | null } & (LineRow | { operationId: null });
type LineRow = Omit<StatementLine, 'amount' | 'requested'> & { amount: bigint; requested: bigint };

const lineOf = ({ total: _total, seq: _seq, ...row }: Row): StatementLine[] =>
  row.operationId === null ? [] : [{ ...row, amount: minor(row.amount), requested: minor(row.requested) }];

// The entry that ends a hold on this account isn't a line of its own. Lateral, so that only entries of the page are
// read; none is beyond the last page. A wallet without lines there answers one row, of its total alone.
const PAGE = `
  select w.total, l.*
    from (select id, seq - resolved as total from ledger.account
           where member_id = $1 and kind = 'WALLET' order by seq desc limit 1) w
    left join lateral (
      select e.seq, o.id as "operationId", o.kind, o.reference, e.at, o.amount as requested, d.kind as debit, c.kind as credit,
             case o.state when 'pending' then 'PROCESSING' when 'voided' then 'FAILED' else 'SUCCESS' end as state,
             case o.state when 'pending' then -o.amount when 'posted' then -o.amount when 'voided' then 0
                  else e.amount end as amount
        from (select operation_id, amount, at, account_id, seq from ledger.entry
               where account_id = w.id and w.total > $2 order by seq desc) e
       cross join lateral (select * from ledger.operation o where o.id = e.operation_id) o
       cross join lateral (select a.kind from ledger.account a where a.id = o.debit) d
       cross join lateral (select a.kind from ledger.account a where a.id = o.credit) c
       where o.pending is null or o.debit <> e.account_id
       order by e.seq desc
      offset ${opaque('$2::bigint')} limit ${opaque('$3::bigint')}) l on true
   order by l.seq desc`;
