import type { Queryable } from '../../../platform/database/database.ts';
import type { CreditSpeed } from '../../../platform/timeline.ts';

/** Statistics of transfers to own accounts. Ids are ordered by their first report. */

/** Newest transfers that a statistic reads at most. */
const ROWS_MAX = 20_000;

/**
 * Time from sending to credit by house account, of transfers that were matched automatically. The clocks of banks
 * differ: a negative time counts as 0.
 * @param since an id of the beginning of the week
 */
export async function selectTransferSpeeds(
  on: Queryable,
  since: string,
): Promise<(CreditSpeed & { houseAccount: string })[]> {
  const { rows } = await on.query<CreditSpeed & { houseAccount: string }>(
    `select house_account as "houseAccount", currency,
            percentile_disc(0.5) within group (order by ms) filter (where is_today) as "dayMs",
            (count(*) filter (where is_today))::int as "daySamples",
            percentile_disc(0.5) within group (order by ms) as "weekMs", count(*)::int as "weekSamples"
       from (select house_account, currency, credited_at > now() - interval '1 day' as is_today,
                    greatest(0, extract(epoch from credited_at - sent_at) * 1000)::float8 as ms
               from (select * from deposit_arrival where id > $1 order by id desc limit $2) newest
              where state = 'CREDITED' and via in ('FEED', 'NOTICE', 'WALLET_APP')) credited
      group by house_account, currency`,
    [since, ROWS_MAX],
    { name: 'arrival-speeds' },
  );
  return rows;
}

/** When a member's money last arrived on each house account, and how much. */
export async function selectTransferUse(
  on: Queryable,
  memberId: string,
): Promise<{ houseAccount: string; lastUsedAt: Date; lastAmount: bigint }[]> {
  const { rows } = await on.query<{ houseAccount: string; lastUsedAt: Date; lastAmount: bigint }>(
    `select house_account as "houseAccount", max(claimed_at) as "lastUsedAt", (array_agg(amount order by claimed_at desc))[1] as "lastAmount"
       from (select house_account, claimed_at, amount from deposit_arrival
              where member_id = $1 and state = 'CREDITED' order by claimed_at desc limit 100) newest
      group by house_account`,
    [memberId],
    { name: 'arrival-use' },
  );
  return rows;
}
