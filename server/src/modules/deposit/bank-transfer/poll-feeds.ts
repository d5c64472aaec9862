import type { Feed, FeedEntry } from '../../../adapters/feed/port.ts';
import { isTemporary } from '../../../platform/database/errors.ts';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import type { Job } from '../../../platform/jobs/job.ts';
import { startPollingWorker } from '../../../platform/jobs/polling-worker.ts';
import { storableText } from '../../../platform/storable-text.ts';
import type { ReportedTransfer, BankTransferDeps } from './bank-transfer.ts';
import {
  claimFeeds,
  type FailedEntry,
  type FeedRow,
  feedWork,
  insertFailedLines,
  moveCursor,
  scheduleFeed,
  setWatchedFeeds,
} from './queries.ts';
import { recordTransfer } from './settle-transfer.ts';

/** Interval of reads without a push. Members are promised a credit within a minute. */
const READ_INTERVAL_MS = 10_000;
/** Interval after a read without a reply. */
const SILENT_READ_INTERVAL_MS = 20_000;
const PAGE_LINES = 100;
/** Pages per read; further pages are read after the other feeds. */
const PAGES_MAX = 10;
const LEASE_MARGIN_MS = 10_000;
const ERROR_CHARACTERS_MAX = 500;

export type PollDeps = BankTransferDeps & {
  feeds: readonly Feed[];
  /** Names of the feeds that the operator has enabled. */
  readEnabledFeeds: () => Promise<readonly string[]>;
};

/**
 * Polls the feeds of own accounts, each on its schedule, and immediately after a push (`wake`). A silent feed delays no
 * other. A cursor advances only when every entry before it has a row, so a crash repeats a page and loses none.
 */
export function pollFeeds(deps: PollDeps): Job {
  const { database, feeds, log } = deps;
  const leaseMs = Math.max(0, ...feeds.map(({ patienceMs }) => patienceMs)) + LEASE_MARGIN_MS;
  const stopController = new AbortController();
  let watchedNames: string | undefined;
  const worker = startPollingWorker({
    name: 'read feeds',
    // Of each feed.
    concurrency: 1,
    claim: async (_share, inProgress) => {
      const enabledNames = await deps.readEnabledFeeds();
      const watchableNames = feeds.map(({ name }) => name).filter((name) => enabledNames.includes(name));
      if (watchableNames.join() !== watchedNames) {
        await setWatchedFeeds(database, watchableNames);
        watchedNames = watchableNames.join();
      }
      const idleNames = watchableNames.filter((name) => !inProgress.has(name));
      return claimFeeds(database, idleNames, leaseMs);
    },
    partitionsOf: ({ name }) => [name],
    handle: async (feedRow) => {
      const feed = feeds.find(({ name }) => name === feedRow.name);
      if (feed) await readFeed(deps, feed, feedRow, leaseMs, stopController.signal);
    },
    failed: failedWork(database, feedWork),
    keyOf: ({ name }) => name,
    log,
    failureMessage: 'bank feed processing failed',
    logFields: ({ name }) => ({ feed: name }),
  });
  return {
    wake: () => worker.wake(),
    stop: () => {
      stopController.abort();
      return worker.stop();
    },
  };
}

async function readFeed(
  deps: PollDeps,
  feed: Feed,
  feedRow: FeedRow,
  leaseMs: number,
  signal: AbortSignal,
): Promise<void> {
  let { cursor } = feedRow;
  for (let pages = 0; pages < PAGES_MAX && !signal.aborted; pages += 1) {
    const page = await feed.read(cursor, PAGE_LINES);
    if (page.page === 'UNKNOWN') return retryLater(deps, feedRow, page.reason);
    await storePage(deps, feed, page);
    if (page.cursor === undefined) return retryLater(deps, feedRow, 'unusable cursor');
    if (page.cursor === cursor && page.hasMore) return retryLater(deps, feedRow, 'more lines, but an unchanged cursor');
    const hasAdvanced =
      page.cursor === cursor || (await moveCursor(deps.database, feed.name, cursor, page.cursor, leaseMs));
    // Another node reads the feed. The entries of this page are stored.
    if (!hasAdvanced) return;
    cursor = page.cursor;
    if (!page.hasMore) {
      await scheduleFeed(deps.database, feedRow, { inMs: READ_INTERVAL_MS, silences: 0 });
      return;
    }
  }
  await scheduleFeed(deps.database, feedRow, { inMs: 0, silences: 0 });
}

async function retryLater(deps: PollDeps, feedRow: FeedRow, reason: string): Promise<void> {
  deps.log.warn({ feed: feedRow.name, reason }, 'no reply from a bank feed');
  await scheduleFeed(deps.database, feedRow, { inMs: SILENT_READ_INTERVAL_MS, silences: feedRow.silences + 1 });
}

// Leaves an entry that can't be stored to an operator, and stores the rest. A temporary error aborts the page.
async function storePage(
  deps: PollDeps,
  feed: Feed,
  page: { lines: FeedEntry[]; unreadable: string[] },
): Promise<void> {
  const failedEntries: FailedEntry[] = page.unreadable.map((line) => ({ line, error: 'unreadable' }));
  for (const entry of page.lines) {
    try {
      await recordTransfer(deps, toReportedTransfer(feed, entry), 'FEED');
    } catch (error) {
      if (isTemporary(error)) throw error;
      deps.log.error({ err: error, feed: feed.name, reference: entry.transRef }, 'feed entry not stored');
      failedEntries.push({ line: entry.evidence, error: storableText(String(error), ERROR_CHARACTERS_MAX) });
    }
  }
  if (page.lines.length > 0) deps.wakeResolver();
  if (failedEntries.length === 0) return;
  if ((await insertFailedLines(deps.database, feed, failedEntries)) > 0) {
    deps.log.error({ feed: feed.name, lines: failedEntries.length }, 'new feed entries on the list of an operator');
  }
}

const toReportedTransfer = (
  feed: Feed,
  { sendingBank, transRef, evidence: _evidence, ...entry }: FeedEntry,
): ReportedTransfer => ({ ...entry, identity: { sendingBank, transRef }, houseAccount: feed.name });
