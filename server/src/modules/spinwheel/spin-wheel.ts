import type { SpinError } from '@krapao/contract/endpoints/spinwheel';
import { later } from '../../platform/clock.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { collectCoins } from './collect-coins.ts';
import { insertCoupon } from './coupon-queries.ts';
import { findSpinByKey, insertSpin, moveCoins, PurseBusy } from './queries.ts';
import { openSeed, seedsOf } from './seeds.ts';
import { countHit } from '../lookup/module.ts';
import { coinPerOf, type SpinMember, type SpinwheelDeps } from './spinwheel-deps.ts';
import {
  couponAmount,
  drawSlice,
  type Seed,
  type Slice,
  type Spin,
  spinwheelSetting,
  type Wheel,
} from './spinwheel.ts';
import { selectActiveWheel, selectWheels } from './wheel-queries.ts';
import { Refusal } from '../../platform/refusal.ts';

export type Spun = { spin: Spin; slice: Slice };

const DAY_MS = 86_400_000;

/**
 * Spins the wheel for one coin: in one commit the coin is taken, the slice drawn, and the coupon made. A repeated key
 * answers the same spin for good, whatever has become of the wheel, and is not counted; without a key each call is a spin of
 * its own.
 * @returns why not, as a code, when nothing was done; the same key may try again then
 * @throws REQUEST_LIMIT
 */
export async function spinWheel(
  deps: SpinwheelDeps,
  member: SpinMember,
  key: string | undefined,
): Promise<Spun | SpinError> {
  const spun = await findKnownSpin(deps.database, member, key);
  if (spun) return spun;
  await countHit(deps, 'spin.member', member.id);
  const { isActive, coinPer, couponDays } = (await deps.operatorData()).settingOf(spinwheelSetting);
  try {
    return await deps.database.tx(async (tx) => {
      // From here on the member's spins are serialised.
      const coins = await collectCoins(tx, deps.ledger, member, coinPer[member.currency]);
      const known = await findKnownSpin(tx, member, key);
      if (known) return known;
      const wheel = isActive ? await selectActiveWheel(tx) : undefined;
      if (!wheel) return 'SPIN_INACTIVE';
      if (coins < 1) return 'NO_COIN';
      return draw(tx, deps, { member, key, wheel, couponDays });
    });
  } catch (error) {
    if (error instanceof PurseBusy) return 'SPIN_BUSY';
    throw error;
  }
}

async function findKnownSpin(on: Queryable, { id }: SpinMember, key: string | undefined): Promise<Spun | undefined> {
  const spin = key === undefined ? undefined : await findSpinByKey(on, id, key);
  if (!spin) return undefined;
  const wheel = (await selectWheels(on, [spin.version])).get(spin.version);
  return { spin, slice: sliceAt(wheel, spin.slice) };
}

async function draw(
  tx: Tx,
  deps: SpinwheelDeps,
  { member, key, wheel, couponDays }: { member: SpinMember; key: string | undefined; wheel: Wheel; couponDays: number },
): Promise<Spun> {
  const { current } = await seedsOf(tx, deps, member.id);
  const place = drawSlice(wheel.slices, { ...current, serverSeed: openSeed(deps, current) });
  const slice = sliceAt(wheel, place);
  const now = deps.clock.now();
  const id = uuidV7(now);
  const spin: Spin = {
    id,
    nonce: current.nonce,
    version: wheel.version,
    slice: place,
    sliceCode: slice.code,
    coinsAfter: await moveCoins(tx, member.id, `spinwheel:${id}`, -1),
    createdAt: now,
  };
  await insertSpin(tx, { ...spin, memberId: member.id, seedId: current.id, key });
  const amount = couponAmount(slice, member.currency);
  if (slice.prize.kind !== 'NONE' && amount !== undefined) {
    await insertCoupon(tx, {
      id,
      memberId: member.id,
      version: wheel.version,
      sliceCode: slice.code,
      kind: slice.prize.kind,
      amount,
      expiresAt: later(now, couponDays * DAY_MS),
      createdAt: now,
    });
  }
  return { spin, slice };
}

function sliceAt(wheel: Wheel | undefined, place: number): Slice {
  const slice = wheel?.slices[place];
  if (!slice) throw new Error(`the wheel has no slice ${place}`);
  return slice;
}

/** The wheel as the next spin finds it, and what that spin is drawn by. Refuses with NO_DATA when there is no wheel. */
export async function showWheel(
  deps: SpinwheelDeps,
  member: SpinMember,
): Promise<{ wheel: Wheel; coins: number; coinPer: bigint; current: Seed; next: Seed }> {
  const coinPer = await coinPerOf(deps, member);
  return deps.database.tx(async (tx) => {
    const coins = await collectCoins(tx, deps.ledger, member, coinPer);
    const wheel = await selectActiveWheel(tx);
    if (!wheel) throw new Refusal('NO_DATA', { detail: 'NO_WHEEL' });
    return { wheel, coins, coinPer, ...(await seedsOf(tx, deps, member.id)) };
  });
}
