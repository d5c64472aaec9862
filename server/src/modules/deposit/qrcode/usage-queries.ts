import type { Currency } from '@krapao/contract/money';
import type { Queryable } from '../../../platform/database/database.ts';
import type { CreditSpeed } from '../../../platform/timeline.ts';

/** Statistics of QR codes. Ids are ordered by creation, so the primary key bounds each read. */

/** Newest codes that a statistic reads at most. */
const ROWS_MAX = 20_000;

/**
 * Time from payment to credit by gateway. The clocks of gateways differ: a negative time counts as 0. Payments of ended
 * codes are omitted: their `ended_at` is not the credit.
 * @param since an id of the beginning of the week
 */
export async function selectQrcodeSpeeds(on: Queryable, since: string): Promise<(CreditSpeed & { gateway: string })[]> {
  const { rows } = await on.query<CreditSpeed & { gateway: string }>(
    `select gateway, currency,
            percentile_disc(0.5) within group (order by ms) filter (where is_today) as "dayMs",
            (count(*) filter (where is_today))::int as "daySamples",
            percentile_disc(0.5) within group (order by ms) as "weekMs", count(*)::int as "weekSamples"
       from (select gateway, currency, ended_at > now() - interval '1 day' as is_today,
                    greatest(0, extract(epoch from ended_at - paid_at) * 1000)::float8 as ms
               from (select * from qrcode where id > $1 order by id desc limit $2) newest
              where state = 'PAID' and (expires_at is null or ended_at < expires_at)) paid
      group by gateway, currency`,
    [since, ROWS_MAX],
    { name: 'qrcode-speeds' },
  );
  return rows;
}

export type CreationCount = { gateway: string; currency: Currency; created: number; failed: number };

/** How many of each gateway's last creations failed. @param since an id of the beginning · @param last creations */
export async function selectQrcodeFailures(on: Queryable, since: string, last: number): Promise<CreationCount[]> {
  const { rows } = await on.query<CreationCount>(
    `select gateway, currency, count(*)::int as created, (count(*) filter (where state = 'FAILED'))::int as failed
       from (select gateway, currency, state, row_number() over (partition by gateway, currency order by id desc) as n
               from (select * from qrcode where id > $1 and state <> 'CREATING' order by id desc limit $3) newest) ranked
      where n <= $2
      group by gateway, currency`,
    [since, last, ROWS_MAX],
    { name: 'qrcode-failures' },
  );
  return rows;
}

/** `lastAmount`: the requested amount of the last paid code. */
export type QrcodeUse = { gateway: string; lastUsedAt: Date | null; lastAmount: bigint | null; lastWorked: boolean };

/** A member's last three codes at each gateway: the last paid one, and whether the newest was created. */
export async function selectQrcodeUse(
  on: Queryable,
  memberId: string,
  gateways: readonly string[],
): Promise<QrcodeUse[]> {
  const { rows } = await on.query<QrcodeUse>(
    `select g.gateway, max(q.created_at) filter (where q.state = 'PAID') as "lastUsedAt",
            (array_agg(q.amount order by q.created_at desc) filter (where q.state = 'PAID'))[1] as "lastAmount",
            (array_agg(q.state order by q.created_at desc))[1] <> 'FAILED' as "lastWorked"
       from unnest($2::text[]) g(gateway),
            lateral (select state, amount, created_at from qrcode
                      where member_id = $1 and qrcode.gateway = g.gateway and state <> 'CREATING'
                      order by created_at desc limit 3) q
      group by g.gateway`,
    [memberId, gateways],
    { name: 'qrcode-use' },
  );
  return rows;
}
