import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { Job } from '../../../platform/jobs/job.ts';
import { createResolver } from '../../../platform/jobs/resolver.ts';
import type { Feeds } from '../../../adapters/feed/index.ts';
import {
  type IncomingTransfer,
  type TransferIdentity,
  houseOf,
  type ReportedTransfer,
  WALLET_APP_HOUSE,
  type BankTransferDeps,
} from './bank-transfer.ts';
import { creditTransfer, type CreditOutcome, type CreditRequest } from './credit-transfer.ts';
import type { NoticeDeps } from './open-announcement.ts';
import { pollFeeds } from './poll-feeds.ts';
import { countFeedFaults, findArrival } from './queries.ts';
import { bankTransferRoutes, bankTransferWebhooks } from './http.ts';
import { transferResolver, recordTransfer } from './settle-transfer.ts';

export {
  claimForOperator,
  closeFeedEntry,
  decideArrival,
  enterFeedEntry,
  type FeedEntryRefusal,
  type SuspendedArrival,
  suspendedArrivals,
} from './admin.ts';

export { type OpenEntry, selectOpenLines, selectUnreadFeeds, type UnreadFeed } from './queries.ts';
export { arrivalQueue } from './queries.ts';
export { findArrival as findTransfer } from './queries.ts';
export { houseOf } from './bank-transfer.ts';
export type { IncomingTransfer, TransferIdentity, ReportedTransfer, Sender, MatchSource } from './bank-transfer.ts';
export type { CreditOutcome, CreditRequest } from './credit-transfer.ts';
export { isPossibleSender } from './match-sender.ts';
export { type StoredTransfer, selectTransfers, sumInSuspense } from './queries.ts';

export type BankTransferModule = {
  /** Enters a transfer to an account of ours that the look-up of a slip has told of, or finds its row. */
  sight(seen: ReportedTransfer): Promise<IncomingTransfer>;
  find(identity: TransferIdentity): Promise<IncomingTransfer | undefined>;
  /** Credits a transfer that was seen to a member, once. Never straight to the ledger. */
  creditArrival(request: CreditRequest): Promise<CreditOutcome>;
  /** Starts reading the feeds and finishing what was begun. Once, when the database is there. */
  start(): void;
  /** Ends after the work that is under way; before the ledger and the database close. */
  stop(): Promise<void>;
};

export type BankTransferModuleDeps = Omit<NoticeDeps, 'wakeWork'> & Feeds & { metrics: Registry };

/** Money that comes to accounts of ours: who sees it, whose it is, and that it is credited once. */
export function bankTransferModule(app: FastifyInstance, given: BankTransferModuleDeps): BankTransferModule {
  const { database, feeds, pushers, metrics } = given;
  const resolver = createResolver();
  let polls: Job | undefined;
  const deps: NoticeDeps = { ...given, wakeWork: resolver.wake };
  bankTransferRoutes(app, deps);
  bankTransferWebhooks(app, { database, pushers, wakePolls: () => polls?.wake() });
  measureFeeds(deps, metrics);
  return {
    sight: (seen) => recordTransfer(deps, seen, 'SLIP'),
    find: (identity) => findArrival(database, identity),
    creditArrival: (request) => creditTransfer(deps, request),
    start: () => {
      resolver.start(transferResolver(deps));
      polls ??= pollFeeds({ ...deps, feeds, watched: () => watchedFeeds(deps) });
    },
    stop: async () => {
      await Promise.all([polls?.stop(), resolver.stop()]);
      polls = undefined;
    },
  };
}

/** The feeds that the operator wants read: accounts in the mode AUTO. */
async function watchedFeeds({ operatorData }: Pick<BankTransferDeps, 'operatorData'>): Promise<string[]> {
  const { depositAccounts, walletAccounts } = await operatorData();
  const banks = depositAccounts.filter(({ bankType, mode }) => bankType === 'BANK' && mode === 'AUTO');
  const hasWalletApp = walletAccounts.some(({ mode }) => mode === 'AUTO');
  return [...banks.map(houseOf), ...(hasWalletApp ? [WALLET_APP_HOUSE] : [])];
}

// Reads when it is asked: the tables hold the truth for all nodes.
function measureFeeds({ database }: Pick<BankTransferDeps, 'database'>, metrics: Registry): void {
  new Gauge({
    name: 'krapao_feed_faults',
    help: 'Feed lines that wait for an operator, and watched feeds that were not read for a minute',
    labelNames: ['kind'],
    // Every API process reads the same.
    aggregator: 'first',
    registers: [metrics],
    async collect() {
      const { lines, unread } = await countFeedFaults(database);
      this.set({ kind: 'failed line' }, lines);
      this.set({ kind: 'unread feed' }, unread);
    },
  });
}
