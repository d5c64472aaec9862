import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { GameProviders } from '../../counterparties/game/providers.ts';
import type { AccountModule } from '../account/module.ts';
import type { GameModule } from '../game/module.ts';

/** What the use cases of transfers work with. */
export type TransferWork = {
  database: Database;
  ledger: Ledger;
  clock: Clock;
  providers: GameProviders;
  game: GameModule;
  account: Pick<AccountModule, 'assertWalletOpen'>;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
  /** Tells the resolver of this process that something fell due. */
  wakeResolver(): void;
};

/** For everything of one step that isn't the provider's call: the ledger, the database, a busy machine. */
const LEASE_MARGIN_MS = 3_000;

/** Lease of the worker of a leg: a balance, a hold, a call. */
export const leaseMs = (timeoutMs: number): number => 2 * timeoutMs + LEASE_MARGIN_MS;

/** How long a call to any provider may take. */
export const longestMs = ({ providers }: Pick<TransferWork, 'providers'>): number =>
  Math.max(0, ...[...providers.values()].map(({ timeoutMs }) => timeoutMs));
