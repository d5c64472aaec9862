import type { SpinError } from '@krapao/contract/endpoints/spinwheel';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { later } from '../../platform/time.ts';
import { countHit } from '../operator-data/index.ts';
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

/** Concurrent spins of one member retry. One of them succeeds per round. */
const ATTEMPTS_MAX = 20;

/**
 * Spins the wheel for one coin: one commit takes the coin and inserts the spin and its coupon. A repeated key returns
 * the same spin and does not count towards the rate limit. Without a key each call is a new spin.
 * @returns an error code if nothing was done; the same key may be retried
 * @throws REQUEST_LIMIT
 */
export async function spinWheel(
  deps: SpinwheelDeps,
  member: SpinMember,
  key: string | undefined,
): Promise<SpinResult | SpinError> {
  const knownSpin = await findKnownSpin(deps.database, member, key);
  if (knownSpin) return knownSpin;
  await countHit(deps, 'spin.member', member.id);
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
      const outcome = await spinOnce(deps, member, key);
      if (outcome === 'stale_read') continue;
      // A concurrent call with the same key may have inserted the spin.
      return typeof outcome === 'string' ? ((await findKnownSpin(deps.database, member, key)) ?? outcome) : outcome;
    }
  } catch (error) {
    if (!(error instanceof PurseBusy)) throw error;
  }
  return 'SPIN_BUSY';
}

/** One attempt: reads, draws, inserts. `stale_read`: a spin, seed or wheel changed concurrently. */
async function spinOnce(
  deps: SpinwheelDeps,
  member: SpinMember,
  key: string | undefined,
): Promise<SpinResult | SpinError | 'stale_read'> {
  const { isActive, couponDays } = (await deps.readOperatorData()).settingOf(spinwheelSetting);
  const { purse, seeds, version } = await readSpinState(deps.database, member.id);
  const coins = await countCoins(deps, member, purse);
  if (!isActive || version === null) return 'SPIN_INACTIVE';
  if (coins < 1) return 'NO_COIN';
  const current = seeds.current ?? (await createSeeds(deps, member));
  const wheel = await wheelOfVersion(deps.database, version);
  const { slice, spin } = await drawSpin(deps, { member, key, wheel, current, couponDays });
  const insertOutcome = await insertSpin(deps.database, spin);
  switch (insertOutcome.outcome) {
    case 'applied':
      return { spin: { ...spin, coinsAfter: insertOutcome.coinsAfter }, slice };
    // The caller loads the existing spin of the key.
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

/** Creates the member's seeds. @returns the current seed */
const createSeeds = (deps: SpinwheelDeps, { id }: SpinMember): Promise<Seed> =>
  deps.database.tx(async (tx) => {
    await lockPurse(tx, id);
    return (await readSeeds(tx, deps, id)).current;
  });

type DrawInput = { member: SpinMember; key: string | undefined; wheel: Wheel; current: Seed; couponDays: number };

/** Draws a slice with the current seed, without storing the spin. */
async function drawSpin(
  deps: SpinwheelDeps,
  { member, key, wheel, current, couponDays }: DrawInput,
): Promise<{ slice: Slice; spin: DrawnSpin }> {
  const sliceIndex = await drawIndex(wheel.slices, { ...current, serverSeed: openSeed(deps, current) });
  const slice = sliceAt(wheel, sliceIndex);
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
      slice: sliceIndex,
      sliceCode: slice.code,
      createdAt: now,
      coupon:
        slice.prize.kind === 'NONE' || amount === undefined
          ? undefined
          : { kind: slice.prize.kind, amount, expiresAt: later(now, couponDays * DAY_MS) },
    },
  };
}

function sliceAt(wheel: Wheel, index: number): Slice {
  const slice = wheel.slices[index];
  if (!slice) throw new Error(`the wheel has no slice ${index}`);
  return slice;
}

/** The active wheel, the member's coins, and the seeds of the next spin. @throws NO_DATA without an active wheel */
export async function readWheel(
  deps: SpinwheelDeps,
  member: SpinMember,
): Promise<{ wheel: Wheel; coins: number; coinPer: bigint; current: Seed; next: Seed }> {
  const amountPerCoin = await coinPrice(deps, member);
  return deps.database.tx(async (tx) => {
    const coins = await collectCoins(tx, deps.ledger, member, amountPerCoin);
    const wheel = await selectActiveWheel(tx);
    if (!wheel) throw new Refusal('NO_DATA', { detail: 'NO_WHEEL' });
    return { wheel, coins, coinPer: amountPerCoin, ...(await readSeeds(tx, deps, member.id)) };
  });
}
