import type { Endpoint } from '@krapao/contract/endpoint';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../platform/time.ts';
import type { GameTab } from '../../platform/config.ts';
import type { Database } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { type Minimums, type SiteConfig, createSiteConfig } from './operator-data.ts';
import { lookupRoutes } from './http.ts';
import { seedLookup } from './seed.ts';

export {
  isOpenAt,
  metAboveLost,
  perCurrency,
  percent,
  translated,
  visibleBanners,
  type Bank,
  type DepositAccount,
  type SettingDefinition,
} from './lookup.ts';
export { createConfigVersion, type SiteConfig } from './operator-data.ts';
export { countHit, countHits, countShared, hitShared, type LimitName, type OperationLimit } from './limits.ts';
export { seedOnce } from './seed.ts';

export type LookupModule = {
  /** What the operator has set, at most a second old. */
  operatorData: () => Promise<SiteConfig>;
};

const STATUS_PATH = '/api/lookup/active';

/**
 * What the operator sets and anyone may read. Fills its tables on the first start, then serves them, and refuses every
 * other call once the site is gone.
 */
export async function lookupModule(deps: {
  app: FastifyInstance;
  database: Database;
  clock: Clock;
  variant: Variant;
  /** Address of the site as members know it, unless the operator sets another. */
  publicUrl: string;
  gameTab: GameTab;
  /** What the app encrypts gift links with. */
  truelinkSecret: string;
  minimums: Minimums;
}): Promise<LookupModule> {
  await seedLookup(deps.database);
  const operatorData = createSiteConfig(deps.database, deps.minimums);
  deps.app.guards.push(async (endpoint: Endpoint) => {
    if (endpoint.path === STATUS_PATH) return;
    if ((await operatorData()).isGone) throw new Refusal('gone');
  });
  lookupRoutes({ ...deps, operatorData });
  return { operatorData };
}
