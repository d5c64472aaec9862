import type { Currency, Minor } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { OfferKind } from './bonus.ts';

/** An offer in one currency, as an operator sees it. Amounts in minor units. */
export type OfferOnList = {
  code: string;
  kind: OfferKind;
  currency: Currency;
  isOn: boolean;
  startsAt: Date | null;
  endsAt: Date | null;
  /** What has been given to members of this currency, prizes included, and to how many. */
  receipts: number;
  members: number;
  amount: Minor;
  /** What all members together can still receive; null without a limit. */
  leftCount: number | null;
  leftBudget: Minor | null;
};

/** Every offer, in the order in which members see them. */
export async function selectAllOffers(on: Queryable): Promise<OfferOnList[]> {
  const { rows } = await on.query<OfferOnList>(
    `select o.code, o.kind, a.currency, o.is_on as "isOn", o.starts_at as "startsAt", o.ends_at as "endsAt",
            coalesce(r.receipts, 0) as receipts, coalesce(r.members, 0) as members, coalesce(r.amount, 0) as amount,
            o.quota - o.given as "leftCount", a.budget - a.given as "leftBudget"
       from bonus_offer o
       join bonus_offer_amount a on a.code = o.code
       left join (select code, currency, count(*)::int as receipts, count(distinct member_id)::int as members,
                         sum(amount)::bigint as amount
                    from bonus_receipt group by code, currency) r on r.code = a.code and r.currency = a.currency
      order by o.kind, o.position, o.code, a.currency`,
  );
  return rows;
}

/** @returns false when there is no such offer, or it is so already */
export async function saveSwitch(tx: Tx, code: string, isOn: boolean): Promise<boolean> {
  const { rowCount } = await tx.query('update bonus_offer set is_on = $2 where code = $1 and is_on <> $2', [
    code,
    isOn,
  ]);
  return rowCount === 1;
}
