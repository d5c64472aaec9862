import { type Currency, type Minor, minor } from '@krapao/contract/money';
import type { Queryable } from '../platform/database.ts';
import type { Balance, MemberAccount } from './operation.ts';

export type AccountBalance = Balance & {
  kind: MemberAccount['kind'];
  currency: Currency;
  /** What may be spent: posted − held. */
  free: Minor;
};

type Row = { kind: MemberAccount['kind']; currency: Currency; posted: bigint; held: bigint };

/** The accounts of a member that ever moved, by kind. A member who never had money has none. */
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

/** What the house has in one account: the sum of its stripes. Negative where it owes, as a gateway does. */
export async function houseBalance(on: Queryable, house: string, currency: Currency): Promise<Minor> {
  const { rows } = await on.query<{ posted: bigint }>(
    "select coalesce(sum(posted), 0)::bigint as posted from ledger.account where member_id = '' and kind = $1 and currency = $2",
    [house, currency],
  );
  return minor(rows[0]?.posted ?? 0n);
}
