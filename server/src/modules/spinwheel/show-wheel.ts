import { Refusal } from '../../platform/refusal.ts';
import { collectCoins } from './collect-coins.ts';
import { seedsOf } from './seeds.ts';
import { coinPerOf, type SpinwheelDeps, type SpinMember } from './spinwheel-deps.ts';
import type { Seed, Wheel } from './spinwheel.ts';
import { selectActiveWheel } from './wheel-queries.ts';

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
