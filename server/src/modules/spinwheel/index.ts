import type { FastifyInstance } from 'fastify';
import type { SnapshotField } from '../../platform/database/batched-reads.ts';
import { seedOnce } from '../lookup/index.ts';
import { coins } from './coins.ts';
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
  waitingGoods,
  wheelFile,
} from './admin.ts';
export { sealedSample, sealedSeeds } from './seeds.ts';
export type { Slice } from './spinwheel.ts';

export type SpinwheelModule = {
  /** A member's coins, with those that their newest deposits bring. */
  coins: SnapshotField<(member: SpinMember) => Promise<number>>;
};

/** The spin wheel: coins, spins that are provably fair, coupons. Publishes the first wheel on the first start. */
export async function spinwheelModule(deps: SpinwheelRoutesDeps & { app: FastifyInstance }): Promise<SpinwheelModule> {
  await deps.database.tx((tx) =>
    seedOnce(tx, 'wheel', async (on, content) => {
      await insertWheel(on, content);
    }),
  );
  spinwheelRoutes(deps.app, deps);
  return { coins: coins(deps) };
}
