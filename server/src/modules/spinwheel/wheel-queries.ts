import { couponTransitions } from '@krapao/contract/states';
import { z } from 'zod';
import { type SnapshotField, snapshotField, memoizePerConnection } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import { hashWeights, type Wheel, wheelShape, type Coupon } from './spinwheel.ts';

const wheelRowShape = wheelShape.extend({ version: z.int(), weightsHash: z.string(), publishedAt: z.date() });
export type PublishedWheel = Wheel & { publishedAt: Date };

const WHEEL_COLUMNS = `version, name, slices, weights_hash as "weightsHash", published_at as "publishedAt"`;

/** The active version: the newest that is not withdrawn. */
export async function selectActiveWheel(on: Queryable): Promise<PublishedWheel | undefined> {
  const { rows } = await on.query<object>(
    `select ${WHEEL_COLUMNS} from spinwheel_version where is_active order by version desc limit 1`,
    [],
    { name: 'wheel-active' },
  );
  return rows[0] && wheelRowShape.parse(rows[0]);
}

/** Number of the active version; null without an active wheel. */
export const activeVersionField: SnapshotField<number | null> = snapshotField(
  'select max(w.version) from spinwheel_version w where w.is_active',
  (version: number | null) => version,
);

/** Versions are immutable, so each process reads each version once. */
const wheelCache = memoizePerConnection(() => new Map<number, Wheel>());

/** A published version, cached. */
export async function wheelOfVersion(on: Queryable, version: number): Promise<Wheel> {
  const cachedWheels = wheelCache(on);
  const wheel = cachedWheels.get(version) ?? (await selectWheels(on, [version])).get(version);
  if (!wheel) throw new Error(`wheel version ${version} does not exist`);
  cachedWheels.set(version, wheel);
  return wheel;
}

export async function selectWheels(on: Queryable, versions: readonly number[]): Promise<ReadonlyMap<number, Wheel>> {
  const { rows } = await on.query<object>(`select ${WHEEL_COLUMNS} from spinwheel_version where version = any($1)`, [
    [...new Set(versions)],
  ]);
  return new Map(rows.map((row) => wheelRowShape.parse(row)).map((wheel) => [wheel.version, wheel]));
}

/** Time when the first wheel was published. Later deposits earn coins. */
export async function selectFirstPublished(on: Queryable): Promise<Date | undefined> {
  const { rows } = await on.query<{ at: Date | null }>('select min(published_at) as at from spinwheel_version');
  return rows[0]?.at ?? undefined;
}

/**
 * Publishes a wheel as the next version. Stores the text of its file, which is parsed again when it is read.
 * @returns the version
 */
export async function insertWheel(tx: Tx, content: unknown): Promise<number> {
  const { name, slices } = content as { name: unknown; slices: unknown };
  // Concurrent operators must get different version numbers.
  await tx.query('lock table spinwheel_version in share row exclusive mode');
  const { rows } = await tx.query<{ version: number }>(
    `insert into spinwheel_version (version, name, slices, weights_hash)
     select coalesce(max(version), 0) + 1, $1, $2, $3 from spinwheel_version returning version`,
    [JSON.stringify(name), JSON.stringify(slices), hashWeights(wheelShape.parse(content).slices)],
  );
  return rows[0]?.version ?? 0;
}

/** Withdraws a version. @returns false if it does not exist or is already withdrawn */
export async function markInactive(tx: Tx, version: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update spinwheel_version set is_active = false where version = $1 and is_active',
    [version],
  );
  return rowCount === 1;
}

/** Withdraws every version. */
export async function markAllInactive(tx: Tx): Promise<void> {
  await tx.query('update spinwheel_version set is_active = false where is_active');
}

/** The active version as stored; null without one. */
export async function selectActiveWheelText(on: Queryable): Promise<unknown> {
  const { rows } = await on.query<object>(
    'select name, slices from spinwheel_version where is_active order by version desc limit 1',
  );
  return rows[0] ?? null;
}

/** Number of claimable coupons whose prize is an offer. */
export async function countCouponsOfOffer(on: Queryable, code: string): Promise<number> {
  const { rows } = await on.query<{ coupons: number }>(
    `select count(*)::int as coupons
       from spinwheel_coupon c join spinwheel_version w on w.version = c.version
       cross join lateral jsonb_array_elements(w.slices) s(slice)
      where c.state = 'OPEN' and c.kind = 'BONUS' and (c.expires_at is null or c.expires_at > now())
        and s.slice ->> 'code' = c.slice_code and s.slice #>> '{prize,bonus}' = $1`,
    [code],
  );
  return rows[0]?.coupons ?? 0;
}

/** A version as stored. */
export async function selectWheelText(on: Queryable, version: number): Promise<unknown> {
  const { rows } = await on.query<object>('select name, slices from spinwheel_version where version = $1', [version]);
  return rows[0];
}

const COUPON_COLUMNS = `id, member_id as "memberId", version, slice_code as "sliceCode", kind, amount, state,
  expires_at as "expiresAt", created_at as "createdAt"`;

export async function findCoupon(on: Queryable, id: string): Promise<Coupon | undefined> {
  const { rows } = await on.query<Coupon>(`select ${COUPON_COLUMNS} from spinwheel_coupon where id = $1`, [id]);
  return rows[0];
}

/** Coupons that can still be claimed, newest first. */
export async function selectOpenCoupons(on: Queryable, memberId: string, now: Date): Promise<Coupon[]> {
  const { rows } = await on.query<Coupon>(
    `select ${COUPON_COLUMNS} from spinwheel_coupon
      where member_id = $1 and state = 'OPEN' and (expires_at is null or expires_at > $2)
      order by id desc limit 1000`,
    [memberId, now],
  );
  return rows;
}

/** Expires unclaimed coupons, except coupons for goods, which operators decide about. */
export async function expireCoupons(on: Queryable, memberId: string, now: Date): Promise<void> {
  await on.query(
    `update spinwheel_coupon set state = 'EXPIRED', ended_at = $2
      where member_id = $1 and state = any($3) and expires_at <= $2 and kind <> 'GOODS'`,
    [memberId, now, statesBefore(couponTransitions, 'EXPIRED')],
  );
}

/** Marks a coupon as claimed. @returns whether this call did it */
export async function markClaimed(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update spinwheel_coupon set state = 'CLAIMED', ended_at = $2
      where id = $1 and state = any($3) and (expires_at is null or expires_at > $2)`,
    [id, now, statesBefore(couponTransitions, 'CLAIMED')],
  );
  return rowCount === 1;
}

/** Open coupons for goods, expired ones included: operators decide about those. */
export async function selectOpenGoods(on: Queryable): Promise<Coupon[]> {
  const { rows } = await on.query<Coupon>(
    `select ${COUPON_COLUMNS} from spinwheel_coupon where kind = 'GOODS' and state = 'OPEN' order by id limit 1000`,
  );
  return rows;
}

/** Marks goods as handed over. @returns whether this call did it */
export async function markHandedOver(tx: Tx, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update spinwheel_coupon set state = 'CLAIMED', ended_at = now() where id = $1 and kind = 'GOODS' and state = any($2)`,
    [id, statesBefore(couponTransitions, 'CLAIMED')],
  );
  return rowCount === 1;
}
