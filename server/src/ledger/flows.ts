import type { Currency } from '@krapao/contract/money';
import type { Queryable } from '../platform/database/database.ts';

/** What moved between two kinds of accounts, over all members and for all time. Holds are in it once they are posted. */
export type Flow = {
  /** What the movements are to a person: deposit, withdraw, transfer, play … */
  kind: string;
  currency: Currency;
  /** `WALLET`, `GAME:pg`, or the name of a house account. */
  debit: string;
  credit: string;
  amount: bigint;
};

/** Sums of everything that moved, by where it went. Reads all operations: for the night, and for tests. */
export async function flows(on: Queryable): Promise<Flow[]> {
  const { rows } = await on.query<Flow>(
    `select o.kind, d.currency, d.kind as debit, c.kind as credit, sum(o.amount)::bigint as amount
       from ledger.operation o
       join ledger.account d on d.id = o.debit
       join ledger.account c on c.id = o.credit
      where o.state = 'applied' and o.type in ('transfer', 'post', 'adjust')
      group by 1, 2, 3, 4`,
  );
  return rows;
}
