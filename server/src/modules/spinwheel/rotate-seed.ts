import { lockPurse, beginSeed, revealSeed } from './queries.ts';
import { openSeed, seedsOf } from './seeds.ts';
import { countCall, type SpinwheelDeps, type SpinMember } from './spinwheel-deps.ts';
import type { Seed } from './spinwheel.ts';

/**
 * Reveals the seed of the spins so far and continues with the seed that the house has committed to, together with the
 * client seed that the member chooses now; left out, the one that they have stays. No spin is drawn meanwhile.
 * @throws REQUEST_LIMIT
 */
export async function rotateSeed(
  deps: SpinwheelDeps,
  { id }: SpinMember,
  clientSeed: string | undefined,
): Promise<{ revealed: { commitment: string; serverSeed: string }; current: Seed; next: Seed }> {
  await countCall(deps, 'spin-seed.member', id);
  return deps.database.tx(async (tx) => {
    await lockPurse(tx, id);
    const { current, next } = await seedsOf(tx, deps, id);
    const serverSeed = openSeed(deps, current);
    await revealSeed(tx, current.id, serverSeed);
    await beginSeed(tx, next.id, clientSeed ?? current.clientSeed);
    return { revealed: { commitment: current.commitment, serverSeed }, ...(await seedsOf(tx, deps, id)) };
  });
}
