import type { Ledger } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { AccountModule } from '../account/module.ts';
import type { IncentiveModule } from '../incentive/module.ts';
import type { OperatorData } from '../lookup/module.ts';

/** What the use cases of `refund` work with. */
export type RefundDeps = {
  database: Database;
  ledger: Pick<Ledger, 'walletSums' | 'playBetween'>;
  clock: Clock;
  incentive: Pick<IncentiveModule, 'grant' | 'openGrants' | 'finish' | 'follow'>;
  operatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};
