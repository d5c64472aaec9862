import type { SpinError } from '@krapao/contract/endpoints/spinwheel';
import { later } from '../../platform/time.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/errors.ts';
import { countHit } from '../lookup/index.ts';
import { countCoins, collectCoins } from './coins.ts';
import { type DrawnSpin, findSpinByKey, insertSpin, lockPurse, unseenPurse, PurseBusy, seedsField } from './queries.ts';
import { openSeed, readSeeds } from './seeds.ts';
import {
  coinPrice,
  type SpinMember,
  type SpinwheelDeps,
  couponAmount,
  drawIndex,
  type Seed,
  type Slice,
  type Spin,
  spinwheelSetting,
  type Wheel,
} from './spinwheel.ts';
import { activeVersionField, selectActiveWheel, wheelOfVersion } from './wheel-queries.ts';

export type SpinResult = { spin: Spin; slice: Slice };

const DAY_MS = 86_400_000;

const readSpinState = snapshotReader('spin state', {
  purse: unseenPurse,
  seeds: seedsField,
  version: activeVersionField,
});

/** Concurrent spins of one member retry; one of them succeeds per round. */
const ATTEMPTS = 20;

/**
 * Spins the wheel for one coin: one commit takes the coin and inserts the spin and its coupon. A repeated key always
 * returns the same spin and is not counted; without a key each call is a new spin.
 * @returns an error code when nothing was done; the same key may be retried
 * @throws REQUEST_LIMIT
 */
export async function spinWheel(
  deps: SpinwheelDeps,
  member: SpinMember,
  key: string | undefined,
): Promise<SpinResult | SpinError> {
  const known = await findKnownSpin(deps.database, member, key);
  if (known) return known;
  await countHit(deps, 'spin.member', member.id);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const outcome = await spinOnce(deps, member, key);
      if (outcome === 'stale_read') continue;
      // A concurrent call with the same key may have spun.
      return typeof outcome === 'string' ? ((await findKnownSpin(deps.database, member, key)) ?? outcome) : outcome;
    }
  } catch (error) {
    if (!(error instanceof PurseBusy)) throw error;
  }
  return 'SPIN_BUSY';
}

/** One attempt: reads, draws, inserts. `stale_read`: a concurrent spin, seed or wheel change. */
async function spinOnce(
  deps: SpinwheelDeps,
  member: SpinMember,
  key: string | undefined,
): Promise<SpinResult | SpinError | 'stale_read'> {
  const { isActive, couponDays } = (await deps.operatorData()).settingOf(spinwheelSetting);
  const { purse, seeds, version } = await readSpinState(deps.database, member.id);
  const coins = await countCoins(deps, member, purse);
  if (!isActive || version === null) return 'SPIN_INACTIVE';
  if (coins < 1) return 'NO_COIN';
  const current = seeds.current ?? (await createSeeds(deps, member));
  const wheel = await wheelOfVersion(deps.database, version);
  const { slice, spin } = await draw(deps, { member, key, wheel, current, couponDays });
  const written = await insertSpin(deps.database, spin);
  switch (written.outcome) {
    case 'applied':
      return { spin: { ...spin, coinsAfter: written.coinsAfter }, slice };
    // The caller finds the spin of a key that was used.
    case 'replayed':
    case 'no_coin':
      return 'NO_COIN';
    case 'stale_read':
      return 'stale_read';
  }
}

async function findKnownSpin(
  on: Queryable,
  { id }: SpinMember,
  key: string | undefined,
): Promise<SpinResult | undefined> {
  const spin = key === undefined ? undefined : await findSpinByKey(on, id, key);
  if (!spin) return undefined;
  return { spin, slice: sliceAt(await wheelOfVersion(on, spin.version), spin.slice) };
}

/** @returns the current seed */
const createSeeds = (deps: SpinwheelDeps, { id }: SpinMember): Promise<Seed> =>
  deps.database.tx(async (tx) => {
    await lockPurse(tx, id);
    return (await readSeeds(tx, deps, id)).current;
  });

type Draw = { member: SpinMember; key: string | undefined; wheel: Wheel; current: Seed; couponDays: number };

/** Draws a slice with the current seed; stores nothing. */
async function draw(
  deps: SpinwheelDeps,
  { member, key, wheel, current, couponDays }: Draw,
): Promise<{ slice: Slice; spin: DrawnSpin }> {
  const index = await drawIndex(wheel.slices, { ...current, serverSeed: openSeed(deps, current) });
  const slice = sliceAt(wheel, index);
  const now = deps.clock.now();
  const amount = couponAmount(slice, member.currency);
  return {
    slice,
    spin: {
      id: uuidV7(now),
      memberId: member.id,
      key,
      seedId: current.id,
      nonce: current.nonce,
      version: wheel.version,
      slice: index,
      sliceCode: slice.code,
      createdAt: now,
      coupon:
        slice.prize.kind === 'NONE' || amount === undefined
          ? undefined
          : { kind: slice.prize.kind, amount, expiresAt: later(now, couponDays * DAY_MS) },
    },
  };
}

function sliceAt(wheel: Wheel, place: number): Slice {
  const slice = wheel.slices[place];
  if (!slice) throw new Error(`the wheel has no slice ${place}`);
  return slice;
}

/** The wheel as the next spin finds it, and what that spin is drawn by. Refuses with NO_DATA when there is no wheel. */
export async function readWheel(
  deps: SpinwheelDeps,
  member: SpinMember,
): Promise<{ wheel: Wheel; coins: number; coinPer: bigint; current: Seed; next: Seed }> {
  const coinPer = await coinPrice(deps, member);
  return deps.database.tx(async (tx) => {
    const coins = await collectCoins(tx, deps.ledger, member, coinPer);
    const wheel = await selectActiveWheel(tx);
    if (!wheel) throw new Refusal('NO_DATA', { detail: 'NO_WHEEL' });
    return { wheel, coins, coinPer, ...(await readSeeds(tx, deps, member.id)) };
  });
}
