import type { Endpoint } from '@krapao/contract/endpoint';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { GameTab } from '../../platform/config.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Parties } from '../../platform/documents/subject.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Clock } from '../../platform/time.ts';
import { operatorDataRoutes } from './http.ts';
import { type Minimums, type OperatorData, createOperatorDataReader } from './read-operator-data.ts';
import { seedOperatorData } from './seed.ts';

export {
  isOpenAt,
  percentFailBelowSuccess,
  amountPerCurrencySchema,
  percent,
  translatedSchema,
  visibleBanners,
  type Bank,
  type DepositAccount,
  hasParty,
  type SettingDefinition,
} from './operator-data.ts';
export { createOperatorVersion, type OperatorData } from './read-operator-data.ts';
export { countHit, countHits, countShared, hitShared, type LimitName, type OperationLimit } from './limits.ts';
export { readSeed, seedOnce } from './seed.ts';
export { configSubjects } from './config-subjects.ts';
export { settingSubject } from './setting-subjects.ts';
export { lockTables } from './subject-queries.ts';
export { selectOperatorRows, smsNeeds } from './queries.ts';
export { listSwitches, setSwitch, type ListedSwitch } from './admin.ts';
export { clearFailedAttempts, selectUsedAttempts as usedAttempts } from './limit-queries.ts';

export type OperatorDataModule = {
  /** The operator's data, at most a second old. */
  readOperatorData: () => Promise<OperatorData>;
};

/** Calls of a terminated site: its status, and how to reach support. */
const OPEN_PATHS: readonly string[] = ['/api/lookup/active', '/api/lookup/contact'];

/**
 * Serves the operator's public data. Seeds its tables on the first start. Refuses all calls but those of status and
 * support when the site is terminated.
 */
export async function operatorDataModule(deps: {
  app: FastifyInstance;
  database: Database;
  clock: Clock;
  variant: Variant;
  /** Public address of the site, unless the operator sets another. */
  publicUrl: string;
  gameTab: GameTab;
  /** Key with which the app encrypts gift links. */
  truelinkSecret: string;
  minimums: Minimums;
  parties: Parties;
}): Promise<OperatorDataModule> {
  await seedOperatorData(deps.database);
  const readOperatorData = createOperatorDataReader(deps.database, deps.minimums, deps.parties);
  deps.app.guards.push(async (endpoint: Endpoint) => {
    if (OPEN_PATHS.includes(endpoint.path)) return;
    if ((await readOperatorData()).isTerminated) throw new Refusal('gone');
  });
  operatorDataRoutes({ ...deps, readOperatorData });
  return { readOperatorData };
}
