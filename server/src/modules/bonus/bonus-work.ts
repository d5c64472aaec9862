import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts';
import type { AccountModule } from '../account/module.ts';
import type { IncentiveModule } from '../incentive/module.ts';
import type { OperatorData } from '../lookup/module.ts';

/** What the use cases of bonuses and promotions work with. */
export type BonusWork = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  incentive: Pick<
    IncentiveModule,
    'grantOffer' | 'follow' | 'activeBonus' | 'ended' | 'clear' | 'cancelCondition' | 'eligibility'
  >;
  operatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};
