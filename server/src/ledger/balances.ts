import { type Currency, type Minor, minor } from '@krapao/contract/money';
import type { Queryable } from '../platform/database/database.ts';
import { type SnapshotPart, snapshotPart } from '../platform/database/member-snapshot.ts';
import type { Balance, MemberAccount } from './operation.ts';

export type AccountBalance = Balance & {
  kind: MemberAccount['kind'];
  currency: Currency;
  /** What may be spent: posted − held. */
  free: Minor;
};

type Row = { kind: MemberAccount['kind']; currency: Currency; posted: bigint; held: bigint };

/** The accounts of a member that have entries, by kind. A member who never had money has none. */
export async function memberBalances(on: Queryable, memberId: string): Promise<AccountBalance[]> {
  const { rows } = await on.query<Row>(
    'select kind, currency, posted, held from ledger.account where member_id = $1 order by kind, currency',
    [memberId],
    { name: 'ledger-member-balances' },
  );
  return rows.map(({ kind, currency, posted, held }) => ({
    kind,
    currency,
    posted: minor(posted),
    held: minor(held),
    free: minor(posted - held),
  }));
}

/** A member's accounts, and the last operation that touched any of them; 0 when there is none. */
export type Holdings = { balances: AccountBalance[]; lastEvent: bigint };

type AccountJson = [kind: MemberAccount['kind'], currency: Currency, posted: string, held: string, last: string | null];

/** `seq` of an account is that of its newest entry. */
export const holdings: SnapshotPart<Holdings> = snapshotPart(
  `select json_agg(json_build_array(a.kind, a.currency, a.posted::text, a.held::text, e.operation_id::text))
     from ledger.account a left join ledger.entry e on e.account_id = a.id and e.seq = a.seq
    where a.member_id = asked.member_id::text`,
  (accounts: AccountJson[] | null) => {
    let lastEvent = 0n;
    const balances = (accounts ?? []).map(([kind, currency, ...amounts]) => {
      const [posted, held, last] = amounts.map((amount) => BigInt(amount ?? 0)) as [bigint, bigint, bigint];
      if (last > lastEvent) lastEvent = last;
      return { kind, currency, posted: minor(posted), held: minor(held), free: minor(posted - held) };
    });
    return { balances, lastEvent };
  },
);

/** Balances of all house accounts. */
export async function selectHouseBalances(
  on: Queryable,
): Promise<{ account: string; currency: string; posted: bigint }[]> {
  const { rows } = await on.query<{ account: string; currency: string; posted: bigint }>(
    `select kind as account, currency, sum(posted)::bigint as posted from ledger.account where member_id = ''
      group by kind, currency`,
  );
  return rows;
}

/** Balance of a house account: the sum of its stripes. Negative where the account owes, as a gateway does. */
export async function houseBalance(on: Queryable, house: string, currency: Currency): Promise<Minor> {
  const { rows } = await on.query<{ posted: bigint }>(
    "select coalesce(sum(posted), 0)::bigint as posted from ledger.account where member_id = '' and kind = $1 and currency = $2",
    [house, currency],
  );
  return minor(rows[0]?.posted ?? 0n);
}

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
