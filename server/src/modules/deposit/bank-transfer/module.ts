import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { Job } from '../../../platform/jobs/job.ts';
import { createResolver } from '../../../settlement/resolver.ts';
import type { Feeds } from '../../../counterparties/feed/feeds.ts';
import { type Arrival, type ArrivalIdentity, houseOf, type SeenArrival, WALLET_APP_HOUSE } from './bank-transfer.ts';
import type { BankTransferDeps } from './bank-transfer-deps.ts';
import { creditArrival, type CreditOutcome, type CreditRequest } from './credit-arrival.ts';
import type { NoticeDeps } from './open-notice.ts';
import { pollFeeds } from './poll-feeds.ts';
import { countFeedFaults } from './feed-queries.ts';
import { findArrival } from './queries.ts';
import { bankTransferRoutes } from './routes.ts';
import { arrivalKind, sightArrival } from './settle-arrival.ts';
import { bankTransferWebhooks } from './webhook.ts';

export {
  claimForOperator,
  closeLine,
  decideArrival,
  enterLine,
  type FeedLineRefusal,
  type SuspendedArrival,
  suspendedArrivals,
} from './operate-arrivals.ts';

export { type OpenLine, selectOpenLines, selectUnreadFeeds, type UnreadFeed } from './feed-queries.ts';
export { arrivalQueue } from './queries.ts';
export { findArrival as findTransfer } from './queries.ts';
export { houseOf } from './bank-transfer.ts';
export type { Arrival, ArrivalIdentity, SeenArrival, Sender, Via } from './bank-transfer.ts';
export type { CreditOutcome, CreditRequest } from './credit-arrival.ts';
export { senderFits } from './matching.ts';
export { type KnownArrival, selectKnown, sumInSuspense } from './queries.ts';

export type BankTransferModule = {
  /** Enters a transfer to an account of ours that the look-up of a slip has told of, or finds its row. */
  sight(seen: SeenArrival): Promise<Arrival>;
  find(identity: ArrivalIdentity): Promise<Arrival | undefined>;
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
    sight: (seen) => sightArrival(deps, seen, 'SLIP'),
    find: (identity) => findArrival(database, identity),
    creditArrival: (request) => creditArrival(deps, request),
    start: () => {
      resolver.start(arrivalKind(deps));
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
