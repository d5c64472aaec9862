import type { FastifyInstance } from 'fastify';
import type { SnapshotPart } from '../../platform/database/member-snapshot.ts';
import { seedOnce } from '../lookup/module.ts';
import { coins } from './collect-coins.ts';
import { spinwheelRoutes, type SpinwheelRoutesDeps } from './routes.ts';
import type { SpinMember } from './spinwheel-deps.ts';
import { insertWheel } from './wheel-queries.ts';

export { changeCoins, purseOf } from './operate-wheel.ts';
export {
  activeWheel,
  faultsOf,
  handOver,
  publishWheel,
  retireWheel,
  waitingGoods,
  wheelFile,
} from './operate-wheel.ts';
export { sealedSample, sealedSeeds } from './seeds.ts';
export type { Slice } from './spinwheel.ts';

export type SpinwheelModule = {
  /** A member's coins, with those that their newest deposits bring. */
  coins: SnapshotPart<(member: SpinMember) => Promise<number>>;
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
