import type { Minor } from '@krapao/contract/money';
import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import type { IncentiveModule } from '../incentive/module.ts';
import type { OperatorData } from '../lookup/module.ts';

/** What the use cases of `invite` work with. */
export type InviteDeps = {
  database: Database;
  ledger: Pick<Ledger, 'lossesAfter' | 'depositorsAmong'>;
  clock: Clock;
  incentive: Pick<IncentiveModule, 'grant' | 'openGrants' | 'finish'>;
  operatorData: () => Promise<OperatorData>;
  /** Stakes of settled bets by member and kind of ledger account, where the provider tells. */
  turnoversOf(
    on: Queryable,
    memberIds: readonly string[],
  ): Promise<{ memberId: string; kind: string; turnover: Minor | null; mayBeOpen: boolean }[]>;
  /** What members are called. */
  namesOf(on: Queryable, memberIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Throws NO_WALLET when the member's money may not move. */
  assertWalletOpen(memberId: string): Promise<void>;
  log: Pick<FastifyBaseLogger, 'error'>;
};
