import { couponTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { sourcesOf } from '../../settlement/transition.ts';
import type { Coupon } from './spinwheel.ts';

/** SQL of coupons. */

const COLUMNS = `id, member_id as "memberId", version, slice_code as "sliceCode", kind, amount, state,
  expires_at as "expiresAt", created_at as "createdAt"`;

export async function findCoupon(on: Queryable, id: string): Promise<Coupon | undefined> {
  const { rows } = await on.query<Coupon>(`select ${COLUMNS} from spinwheel_coupon where id = $1`, [id]);
  return rows[0];
}

/** Coupons that can still be claimed, newest first. */
export async function selectOpenCoupons(on: Queryable, memberId: string, now: Date): Promise<Coupon[]> {
  const { rows } = await on.query<Coupon>(
    `select ${COLUMNS} from spinwheel_coupon
      where member_id = $1 and state = 'OPEN' and (expires_at is null or expires_at > $2)
      order by id desc limit 1000`,
    [memberId, now],
  );
  return rows;
}

/** Expires unclaimed coupons, except for goods, which operators decide on. */
export async function expireCoupons(on: Queryable, memberId: string, now: Date): Promise<void> {
  await on.query(
    `update spinwheel_coupon set state = 'EXPIRED', ended_at = $2
      where member_id = $1 and state = any($3) and expires_at <= $2 and kind <> 'GOODS'`,
    [memberId, now, sourcesOf(couponTransitions, 'EXPIRED')],
  );
}

/** Takes a coupon. @returns whether this call did it */
export async function markClaimed(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update spinwheel_coupon set state = 'CLAIMED', ended_at = $2
      where id = $1 and state = any($3) and (expires_at is null or expires_at > $2)`,
    [id, now, sourcesOf(couponTransitions, 'CLAIMED')],
  );
  return rowCount === 1;
}

/** Coupons for goods, the late ones too: people decide about those. */
export async function selectOpenGoods(on: Queryable): Promise<Coupon[]> {
  const { rows } = await on.query<Coupon>(
    `select ${COLUMNS} from spinwheel_coupon where kind = 'GOODS' and state = 'OPEN' order by id limit 1000`,
  );
  return rows;
}

/** Marks goods as handed over. @returns whether this call did it */
export async function markHanded(tx: Tx, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update spinwheel_coupon set state = 'CLAIMED', ended_at = now() where id = $1 and kind = 'GOODS' and state = any($2)`,
    [id, sourcesOf(couponTransitions, 'CLAIMED')],
  );
  return rowCount === 1;
}
