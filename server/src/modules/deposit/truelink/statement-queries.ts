import type { Queryable } from '../../../platform/database/database.ts';

/** Vouchers whose money is in the ledger, and how many links are not over. */
export async function selectVouchers(on: Queryable): Promise<{ credited: ReadonlySet<string>; open: number }> {
  const { rows } = await on.query<{ credited: string[] | null; open: number }>(
    `select array_agg(voucher_id) filter (where state = 'CREDITED') as credited,
            count(*) filter (where state not in ('CREDITED', 'FAILED'))::int as open from truelink_gift`,
  );
  return { credited: new Set(rows[0]?.credited), open: rows[0]?.open ?? 0 };
}
