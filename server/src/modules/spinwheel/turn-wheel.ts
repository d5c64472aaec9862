import type { SpinError } from '@krapao/contract/endpoints/spinwheel';
import { later } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { collectCoins } from './collect-coins.ts';
import { insertCoupon } from './coupon-queries.ts';
import { advanceNonce, findSpinByKey, insertSpin, moveCoins, PurseBusy } from './queries.ts';
import { openSeed, seedsOf } from './seeds.ts';
import { countCall, type SpinDeps, type Turner } from './spin-deps.ts';
import { couponAmount, drawSlice, type Slice, type Spin, type Wheel } from './spinwheel.ts';
import { selectActiveWheel, selectWheels } from './wheel-queries.ts';

export type Turned = { spin: Spin; slice: Slice };

const DAY_MS = 86_400_000;

/**
 * Turns the wheel for one coin: in one commit the coin is taken, the slice drawn, and the coupon made. A repeated key
 * answers the same turn for good, whatever has become of the wheel; without a key each call is a turn of its own.
 * @returns why not, as a code, when nothing was done; the same key may try again then
 * @throws REQUEST_LIMIT
 */
export async function turnWheel(deps: SpinDeps, member: Turner, key: string | undefined): Promise<Turned | SpinError> {
  await countCall(deps, 'spin.member', member.id);
  const { isActive, coinPer, couponDays } = (await deps.operatorData()).setting('spinwheel');
  try {
    return await deps.database.tx(async (tx) => {
      // From here on the member's turns stand in line.
      const coins = await collectCoins(tx, deps.ledger, member, coinPer[member.currency]);
      const known = key === undefined ? undefined : await findTurn(tx, member, key);
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

async function findTurn(tx: Tx, { id }: Turner, key: string): Promise<Turned | undefined> {
  const spin = await findSpinByKey(tx, id, key);
  if (!spin) return undefined;
  const wheel = (await selectWheels(tx, [spin.version])).get(spin.version);
  return { spin, slice: sliceAt(wheel, spin.slice) };
}

async function draw(
  tx: Tx,
  deps: SpinDeps,
  { member, key, wheel, couponDays }: { member: Turner; key: string | undefined; wheel: Wheel; couponDays: number },
): Promise<Turned> {
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
    coinsAfter: await moveCoins(tx, member.id, `spin:${id}`, -1),
    createdAt: now,
  };
  await advanceNonce(tx, current.id);
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
