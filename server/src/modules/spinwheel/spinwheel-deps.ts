import type { Currency } from '@krapao/contract/money';
import type { Ledger } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { AccountModule } from '../account/module.ts';
import type { BonusModule } from '../bonus/module.ts';
import type { IncentiveModule } from '../incentive/module.ts';
import type { OperatorData } from '../lookup/module.ts';
import { spinwheelSetting } from './spinwheel.ts';

/** Who spins. */
export type SpinMember = { id: string; currency: Currency };

/** What the use cases of `spinwheel` work with. */
export type SpinwheelDeps = {
  database: Database;
  clock: Clock;
  secretBox: SecretBox;
  rateLimits: RateLimits;
  ledger: Pick<Ledger, 'cashAfter'>;
  operatorData: () => Promise<OperatorData>;
  incentive: Pick<IncentiveModule, 'grant'>;
  bonus: Pick<BonusModule, 'awardOf' | 'findPrizeTerms'>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};

/** What a coin is given for, in the member's currency. Read before a transaction: it may have to be fetched. */
export async function coinPerOf(
  { operatorData }: Pick<SpinwheelDeps, 'operatorData'>,
  { currency }: SpinMember,
): Promise<bigint> {
  return (await operatorData()).settingOf(spinwheelSetting).coinPer[currency];
}
