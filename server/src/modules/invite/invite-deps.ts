import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { AccountModule } from '../account/module.ts';
import type { GameModule } from '../game/module.ts';
import type { IncentiveModule } from '../incentive/module.ts';
import type { OperatorData } from '../lookup/module.ts';

/** What the use cases of `invite` work with. */
export type InviteDeps = {
  database: Database;
  ledger: Pick<Ledger, 'lossesAfter' | 'depositorsAmong'>;
  clock: Clock;
  incentive: Pick<IncentiveModule, 'grant' | 'openGrants' | 'finish'>;
  operatorData: () => Promise<OperatorData>;
  game: Pick<GameModule, 'turnoversOf'>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
  log: Pick<FastifyBaseLogger, 'error'>;
};
