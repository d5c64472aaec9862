import { type Job, startPeriodicJob } from '../../../platform/jobs/job.ts';
import type { Feed, FeedEntry } from '../../../adapters/feed/port.ts';
import { isTemporary } from '../../../platform/database/errors.ts';
import { storableText } from '../../../platform/storable-text.ts';
import type { ReportedTransfer, BankTransferDeps } from './bank-transfer.ts';
import {
  claimFeed,
  type FailedEntry,
  type FeedRow,
  insertFailedLines,
  moveCursor,
  scheduleFeed,
  setWatchedFeeds,
} from './queries.ts';
import { recordTransfer } from './settle-transfer.ts';

const TURN_MS = 1_000;
/** Between two readings without a push. A member is promised a minute. */
const EVERY_MS = 10_000;
/** One that doesn't answer is asked less often, and still several times a minute. */
const SILENT_EVERY_MS = 20_000;
const PAGE_LINES = 100;
/** Pages of one reading; what is left is read in the next, after the others had their turn. */
const PAGES_MAX = 10;
const LEASE_MARGIN_MS = 10_000;
const ERROR_CHARACTERS_MAX = 500;

export type PollDeps = BankTransferDeps & {
  feeds: readonly Feed[];
  /** Names of the feeds that the operator wants read. */
  watched: () => Promise<readonly string[]>;
};

/**
 * Reads what came to our accounts: each on its rhythm, and at once when a push came (`wake`). A cursor moves on only when
 * every line before it has a row, so that a crash reads a page again and loses none.
 */
export function pollFeeds(deps: PollDeps): Job {
  const leaseMs = Math.max(0, ...deps.feeds.map(({ patienceMs }) => patienceMs)) + LEASE_MARGIN_MS;
  let known: string | undefined;
  return startPeriodicJob({
    name: 'read feeds',
    everyMs: TURN_MS,
    log: deps.log,
    run: async (signal) => {
      const watched = await deps.watched();
      const names = deps.feeds.map(({ name }) => name).filter((name) => watched.includes(name));
      if (names.join() !== known) {
        await setWatchedFeeds(deps.database, names);
        known = names.join();
      }
      await Promise.all(names.map(() => pollNext(deps, names, leaseMs, signal)));
    },
  });
}

// Each takes whatever is due next, not a feed of its own: other nodes are taking too.
async function pollNext(deps: PollDeps, names: readonly string[], leaseMs: number, signal: AbortSignal): Promise<void> {
  const row = await claimFeed(deps.database, names, leaseMs);
  const feed = deps.feeds.find(({ name }) => name === row?.name);
  if (!row || !feed) return;
  try {
    await readFeed(deps, feed, row, leaseMs, signal);
  } catch (error) {
    // The row stays as it was claimed, and falls due again when the lease is over.
    deps.log.error({ err: error, feed: feed.name }, 'a feed could not be read');
  }
}

async function readFeed(deps: PollDeps, feed: Feed, row: FeedRow, leaseMs: number, signal: AbortSignal): Promise<void> {
  let { cursor } = row;
  for (let pages = 0; pages < PAGES_MAX && !signal.aborted; pages += 1) {
    const page = await feed.read(cursor, PAGE_LINES);
    if (page.page === 'UNKNOWN') return readLater(deps, row, page.reason);
    await takeIn(deps, feed, page);
    if (page.cursor === undefined) return readLater(deps, row, 'unusable cursor');
    if (page.cursor === cursor && page.hasMore) return readLater(deps, row, 'more lines, but an unchanged cursor');
    const isMoved =
      page.cursor === cursor || (await moveCursor(deps.database, feed.name, cursor, page.cursor, leaseMs));
    // Another node reads it now: what was read here is stored, and that node goes on.
    if (!isMoved) return;
    cursor = page.cursor;
    if (!page.hasMore) {
      await scheduleFeed(deps.database, row, { inMs: EVERY_MS, silences: 0 });
      return;
    }
  }
  await scheduleFeed(deps.database, row, { inMs: 0, silences: 0 });
}

async function readLater(deps: PollDeps, row: FeedRow, reason: string): Promise<void> {
  deps.log.warn({ feed: row.name, reason }, 'a feed did not tell');
  await scheduleFeed(deps.database, row, { inMs: SILENT_EVERY_MS, silences: row.silences + 1 });
}

// A failed line goes to an operator, and the next lines are stored. A transient error aborts the page.
async function takeIn(deps: PollDeps, feed: Feed, page: { lines: FeedEntry[]; unreadable: string[] }): Promise<void> {
  const failed: FailedEntry[] = page.unreadable.map((line) => ({ line, error: 'unreadable' }));
  for (const line of page.lines) {
    try {
      await recordTransfer(deps, seenBy(feed, line), 'FEED');
    } catch (error) {
      if (isTemporary(error)) throw error;
      deps.log.error({ err: error, feed: feed.name, transRef: line.transRef }, 'a line of a feed could not be stored');
      failed.push({ line: line.evidence, error: storableText(String(error), ERROR_CHARACTERS_MAX) });
    }
  }
  if (page.lines.length > 0) deps.wakeWork();
  if (failed.length === 0) return;
  if ((await insertFailedLines(deps.database, feed, failed)) > 0) {
    deps.log.error({ feed: feed.name, lines: failed.length }, 'lines of a feed wait for an operator');
  }
}

const seenBy = (feed: Feed, { sendingBank, transRef, evidence: _evidence, ...line }: FeedEntry): ReportedTransfer => ({
  ...line,
  identity: { sendingBank, transRef },
  house: feed.name,
});
