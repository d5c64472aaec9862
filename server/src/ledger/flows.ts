import type { Currency } from '@krapao/contract/money';
import type { Queryable } from '../platform/database/database.ts';

/**
 * The total that moved between two kinds of accounts, over all members and all time. Holds count once they are posted.
 */
export type Flow = {
  /** Kind of the movements: deposit, withdraw, transfer, play … */
  kind: string;
  currency: Currency;
  /** `WALLET`, `GAME:pg`, or the name of a house account. */
  debit: string;
  credit: string;
  amount: bigint;
};

/** Sums of all movements, by pair of accounts. Reads all operations: for nightly jobs and tests. */
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
