import type { Minor } from '@krapao/contract/money';
import type { Database } from '../platform/database/database.ts';

/** Result of one audit query. `violations`: number of rows that break the rule; 0 if the books are correct. */
export type AuditResult = { name: string; violations: number };

/** Audit queries by rule name. Each returns the number of rows that break the rule. */
const AUDIT_QUERIES: Record<string, string> = {
  'posted adds up to zero in each currency': `
    select count(*) from (select 1 from ledger.account group by currency having sum(posted) <> 0) x`,

  'each entry continues the one before it': `
    select count(*) from (
      select seq, amount, balance, held, at,
             lag(seq, 1, 0::bigint) over w as seq_before, lag(balance, 1, 0::bigint) over w as balance_before,
             lag(at, 1, '-infinity'::timestamptz) over w as at_before,
             operation_id <= lag(operation_id, 1, 0::bigint) over w as out_of_order
        from ledger.entry window w as (partition by account_id order by seq)) x
     where seq <> seq_before + 1 or balance <> balance_before + amount or held < 0 or at < at_before or out_of_order`,

  'each account is as its last entry says': `
    select count(*)
      from ledger.account a
      full join (select distinct on (account_id) * from ledger.entry order by account_id, seq desc) e
        on e.account_id = a.id
     where a.id is null or a.seq <> coalesce(e.seq, 0) or a.posted <> coalesce(e.balance, 0)
        or a.held <> coalesce(e.held, 0) or a.at <> coalesce(e.at, '-infinity')`,

  'held is the sum of the open holds': `
    select count(*)
      from ledger.account a
      full join (select debit, sum(amount) as held from ledger.operation where state = 'pending' group by debit) h
        on h.debit = a.id
     where a.id is null or a.held <> coalesce(h.held, 0)`,

  'no member account is below its floor': `
    select count(*) from ledger.account where bounded and posted - held < floor`,

  'each hold is resolved once, by what its state says': `
    select count(*)
      from (select * from ledger.operation where type = 'hold') h
      full join (select pending, count(*) as times, min(type) as type, min(amount) as amount, min(debit) as debit
                   from ledger.operation where pending is not null and state = 'applied' group by pending) r
        on r.pending = h.id
     where h.id is null
        or (h.state in ('posted', 'voided')) <> (r.pending is not null)
        or (r.pending is not null and (r.times <> 1 or r.amount <> h.amount or r.debit <> h.debit
            or r.type <> case h.state when 'posted' then 'post' else 'void' end::ledger.operation_type))`,

  'each operation has its entries, and they balance': `
    select count(*)
      from ledger.operation o
      full join (select operation_id, count(*) as legs, sum(amount) as total,
                        count(*) filter (where amount < 0) as debits, max(amount) as moved
                   from ledger.entry group by operation_id) e
        on e.operation_id = o.id
     where o.id is null
        or coalesce(e.total, 0) <> 0
        or coalesce(e.legs, 0) <> case when o.state = 'rejected' then 0
                                       when o.type = 'mark' then 1 when o.amount = 0 then 0
                                       when o.type in ('hold', 'void') then 1 else 2 end
        or (e.legs = 2 and (e.moved <> o.amount or e.debits <> 1))`,

  'ended holds are counted on their account': `
    select count(*)
      from ledger.account a
      full join (select debit, count(*) as ended from ledger.operation
                  where pending is not null and state = 'applied' group by debit) o
        on o.debit = a.id
     where a.id is null or a.resolved <> coalesce(o.ended, 0)`,

  'each batch is a link of the chain of its lane': `
    select count(*)
      from ledger.lane l
      full join (select b.lane, b.id, b.previous_hash, b.hash,
                        lag(b.hash, 1, ''::bytea) over w as hash_before, lead(b.id) over w as next
                   from ledger.batch b window w as (partition by b.lane order by b.id)) b
        on b.lane = l.id
     where (l.id is null) or (b.id is null and l.last_batch <> 0)
        or b.previous_hash <> b.hash_before
        or (b.next is null and (b.id <> l.last_batch or b.hash <> l.hash))`,

  'each batch hashes to what was written': `
    select count(*)
      from ledger.batch b
      left join (
        select o.id / 1024 as batch, count(*) as operations, string_agg(ledger.operation_line(o), E'\\n' order by o.id) as lines
          from ledger.operation o group by 1) o on o.batch = b.id
      left join (
        select e.operation_id / 1024 as batch, min(e.at) as first_at, max(e.at) as last_at,
               string_agg(ledger.entry_line(e), E'\\n' order by e.operation_id, e.account_id, e.seq) as lines
          from ledger.entry e group by 1) e on e.batch = b.id
     where o.operations is null
        or e.first_at <> b.at or e.last_at <> b.at
        or b.hash <> sha256(b.previous_hash || ledger.batch_text(b.lane, b.id, b.at, o.lines, e.lines))`,

  'nothing was written outside a batch': `
    select (select count(*) from ledger.operation o where not exists
             (select from ledger.batch b where b.id = o.id / 1024 and o.id between b.first_operation and b.last_operation))
         + (select count(*) from ledger.entry e where not exists
             (select from ledger.operation o where o.id = e.operation_id))`,
};

/** Runs all audit queries in one database snapshot. */
export async function audit(database: Database): Promise<AuditResult[]> {
  return database.tx(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    await tx.query('set local statement_timeout = 0');
    await tx.query('set local idle_in_transaction_session_timeout = 0');
    const audits: AuditResult[] = [];
    for (const [name, sql] of Object.entries(AUDIT_QUERIES)) {
      const { rows } = await tx.query<{ violations: bigint }>(`select (${sql})::bigint as violations`);
      audits.push({ name, violations: Number(rows[0]?.violations) });
    }
    return audits;
  });
}

/** The accounts of a currency, compared with their entries. */
type BalanceComparison = {
  currency: string;
  accountCount: number;
  /** Sum of the balances of members. */
  memberTotal: Minor;
  entryCount: number;
  /** Accounts whose balance is not the sum of their entries. */
  wrongAccountCount: number;
};

/** Compares each balance with the sum of its entries. Reads every row. */
export async function compareBalances(database: Database): Promise<BalanceComparison[]> {
  return database.tx(async (tx) => {
    await tx.query('set local statement_timeout = 0');
    const { rows } = await tx.query<BalanceComparison>(
      `select a.currency, count(*)::int as "accountCount", coalesce(sum(a.posted) filter (where a.bounded), 0)::bigint as "memberTotal",
              coalesce(sum(e.entries), 0)::float8 as "entryCount",
              (count(*) filter (where a.posted <> coalesce(e.total, 0)))::int as "wrongAccountCount"
         from ledger.account a
         left join (select account_id, count(*) as entries, sum(amount) as total from ledger.entry group by 1) e
           on e.account_id = a.id
        group by 1 order by 1`,
    );
    return rows;
  });
}
