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
  const { rows } = await on.query<{ id: bigint; total: bigint }>(
    `select id, seq - resolved as total from ledger.account
      where member_id = $1 and kind = 'WALLET' order by seq desc limit 1`,
    [memberId],
    { name: 'ledger-statement-total' },
  );
  const [wallet] = rows;
  const total = Number(wallet?.total ?? 0n);
  const lines = wallet && (page - 1) * limit < total ? await readLines(on, wallet.id, (page - 1) * limit, limit) : [];
  return { total, pages: Math.ceil(total / limit), lines };
}

type Row = Omit<StatementLine, 'amount' | 'requested'> & { amount: bigint; requested: bigint };

// The entry that ends a hold on this account isn't a line of its own. Lateral, so that only entries of the page are
// read.
async function readLines(on: Queryable, wallet: bigint, offset: number, limit: number): Promise<StatementLine[]> {
  const { rows } = await on.query<Row>(
    `select o.id as "operationId", o.kind, o.reference, e.at, o.amount as requested, d.kind as debit, c.kind as credit,
            case o.state when 'pending' then 'PROCESSING' when 'voided' then 'FAILED' else 'SUCCESS' end as state,
            case o.state when 'pending' then -o.amount when 'posted' then -o.amount when 'voided' then 0
                 else e.amount end as amount
       from (select operation_id, amount, at, account_id, seq from ledger.entry where account_id = $1 order by seq desc) e
      cross join lateral (select * from ledger.operation o where o.id = e.operation_id) o
      cross join lateral (select a.kind from ledger.account a where a.id = o.debit) d
      cross join lateral (select a.kind from ledger.account a where a.id = o.credit) c
      where o.pending is null or o.debit <> e.account_id
      order by e.seq desc
     offset ${opaque('$2::bigint')} limit ${opaque('$3::bigint')}`,
    [wallet, offset, limit],
    { name: 'ledger-statement' },
  );
  return rows.map((row) => ({ ...row, amount: minor(row.amount), requested: minor(row.requested) }));
}
