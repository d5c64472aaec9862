import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { Feeds } from '../../../adapters/feed/index.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { createResolver } from '../../../platform/jobs/resolver.ts';
import {
  type IncomingTransfer,
  type TransferIdentity,
  houseAccountOf,
  type ReportedTransfer,
  WALLET_APP_ACCOUNT,
  type BankTransferDeps,
} from './bank-transfer.ts';
import { creditTransfer, type CreditOutcome, type CreditRequest } from './credit-transfer.ts';
import { bankTransferRoutes, bankTransferWebhooks } from './http.ts';
import type { AnnouncementDeps } from './open-announcement.ts';
import { pollFeeds } from './poll-feeds.ts';
import { countFeedFaults, findTransfer } from './queries.ts';
import { transferResolver, recordTransfer } from './settle-transfer.ts';

export {
  claimForOperator,
  closeFeedEntry,
  assignTransfer,
  enterFeedEntry,
  type FeedEntryError,
  type SuspendedTransfer,
  suspendedTransfers,
} from './admin.ts';

export {
  type OpenEntry,
  selectOpenLines,
  selectFeedReads,
  selectUnreadFeeds,
  type UnreadFeed,
  arrivalQueue,
  feedWork,
  findTransfer,
  type StoredTransfer,
  selectTransfers,
  sumInSuspense,
} from './queries.ts';
export { selectTransferSpeeds, selectTransferUse } from './usage-queries.ts';
export {
  type AnnouncedTransfer,
  type AssignedTransfer,
  findAnnounced,
  pendingAnnouncements,
  selectAssigned,
} from './timeline-queries.ts';
export {
  creditKey,
  houseAccountOf,
  WALLET_APP_ACCOUNT,
  type IncomingTransfer,
  type TransferIdentity,
  type ReportedTransfer,
  type Sender,
  type MatchSource,
} from './bank-transfer.ts';
export type { CreditOutcome, CreditRequest } from './credit-transfer.ts';
export { isPossibleSender } from './match-sender.ts';

export type BankTransferModule = {
  /** Stores a transfer reported by the look-up of a slip, or finds its row. */
  record(transfer: ReportedTransfer): Promise<IncomingTransfer>;
  find(identity: TransferIdentity): Promise<IncomingTransfer | undefined>;
  /** Credits a stored transfer to a member, at most once. */
  credit(request: CreditRequest): Promise<CreditOutcome>;
  /** Starts polling the feeds and the resolver. Call once, after migration. */
  start(): void;
  /** Resolves when pending work is done. Call before closing the ledger and the database. */
  stop(): Promise<void>;
};

export type BankTransferModuleDeps = Omit<AnnouncementDeps, 'wakeResolver'> & Feeds & { metrics: Registry };

/** Deposits by bank transfer to own accounts: reading feeds, matching senders, crediting once. */
export function bankTransferModule(app: FastifyInstance, moduleDeps: BankTransferModuleDeps): BankTransferModule {
  const { database, feeds, pushers, metrics } = moduleDeps;
  const resolver = createResolver();
  let pollJob: Job | undefined;
  const deps: AnnouncementDeps = { ...moduleDeps, wakeResolver: resolver.wake };
  bankTransferRoutes(app, deps);
  bankTransferWebhooks(app, { database, pushers, wakePolls: () => pollJob?.wake() });
  measureFeeds(deps, metrics);
  return {
    record: (transfer) => recordTransfer(deps, transfer, 'SLIP'),
    find: (identity) => findTransfer(database, identity),
    credit: (request) => creditTransfer(deps, request),
    start: () => {
      resolver.start(transferResolver(deps));
      pollJob ??= pollFeeds({
        ...deps,
        feeds,
        readEnabledFeeds: async () => enabledFeeds(await deps.readOperatorData()),
      });
    },
    stop: async () => {
      await Promise.all([pollJob?.stop(), resolver.stop()]);
      pollJob = undefined;
    },
  };
}

/** Feeds that the operator has enabled: accounts in mode AUTO. */
export function enabledFeeds({ depositAccounts, walletAccounts }: ReceivingAccounts): string[] {
  const bankAccounts = depositAccounts.filter(({ bankType, mode }) => bankType === 'BANK' && mode === 'AUTO');
  const hasWalletApp = walletAccounts.some(({ mode }) => mode === 'AUTO');
  return [...bankAccounts.map(houseAccountOf), ...(hasWalletApp ? [WALLET_APP_ACCOUNT] : [])];
}

type ReceivingAccounts = {
  depositAccounts: readonly { bankType: string; bankCode: string; accountNo: string; mode: string }[];
  walletAccounts: readonly { mode: string }[];
};

// Read on scrape: the tables are shared by all nodes.
function measureFeeds({ database }: Pick<BankTransferDeps, 'database'>, metrics: Registry): void {
  new Gauge({
    name: 'krapao_feed_faults',
    help: 'Feed lines that wait for an operator, and watched feeds that were not read for a minute',
    labelNames: ['kind'],
    // Equal in every API process.
    aggregator: 'first',
    registers: [metrics],
    async collect() {
      const { lines, unread } = await countFeedFaults(database);
      this.set({ kind: 'failed line' }, lines);
      this.set({ kind: 'unread feed' }, unread);
    },
  });
}
