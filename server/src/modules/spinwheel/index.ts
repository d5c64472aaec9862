import type { FastifyInstance } from 'fastify';
import type { SnapshotField } from '../../platform/database/batched-reads.ts';
import { seedOnce } from '../operator-data/index.ts';
import { coinsField } from './coins.ts';
import { spinwheelRoutes, type SpinwheelRoutesDeps } from './http.ts';
import type { SpinMember } from './spinwheel.ts';
import { insertWheel } from './wheel-queries.ts';

export {
  changeCoins,
  readPurse,
  activeWheel,
  validateWheel,
  markGoodsHandedOver,
  publishWheel,
  retireWheel,
  openGoodsCoupons,
  wheelFile,
} from './admin.ts';
export { configGuard, configSubjects } from './config-subjects.ts';
export { sealedSample, sealedSeeds } from './seeds.ts';
export type { Slice } from './spinwheel.ts';

export type SpinwheelModule = {
  /** A member's coins, new deposits included. */
  coins: SnapshotField<(member: SpinMember) => Promise<number>>;
};

/**
 * Creates the spin wheel module: coins, provably fair spins and coupons. Publishes the seed wheel on the first start.
 */
export async function spinwheelModule(deps: SpinwheelRoutesDeps & { app: FastifyInstance }): Promise<SpinwheelModule> {
  await deps.database.tx((tx) =>
    seedOnce(tx, 'wheel', async (on, content) => {
      await insertWheel(on, content);
    }),
  );
  spinwheelRoutes(deps.app, deps);
  return { coins: coinsField(deps) };
}
