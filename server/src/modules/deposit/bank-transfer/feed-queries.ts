import type { Currency } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../../platform/database/database.ts';

/** All SQL of feeds: how far each account of ours has been read. */

export type FeedRow = { name: string; cursor: string; wakes: number; silences: number };

/** Marks the feeds that are polled; only these are reported when they are not read. */
export async function setWatchedFeeds(on: Queryable, names: readonly string[]): Promise<void> {
  await on.query(
    `with watched as (
       insert into deposit_feed (name, polled_at) select unnest($1::text[]), now()
       on conflict (name) do update set is_watched = true,
         polled_at = case when deposit_feed.is_watched then deposit_feed.polled_at else now() end
       returning name)
     update deposit_feed set is_watched = false where is_watched and name <> all($1) and name not in (select name from watched)`,
    [names],
  );
}

/** Claims a due feed under a lease. */
export async function claimFeed(
  on: Queryable,
  names: readonly string[],
  leaseMs: number,
): Promise<FeedRow | undefined> {
  const { rows } = await on.query<FeedRow>(
    `update deposit_feed set poll_at = now() + $2 * interval '1 millisecond'
     where name = (
       select name from deposit_feed where name = any($1) and poll_at <= now() order by poll_at limit 1 for update skip locked)
     returning name, cursor, wakes, silences`,
    [names, leaseMs],
    { name: 'feed-claim' },
  );
  return rows[0];
}

/** Moves the cursor on and keeps the lease, unless another node has moved it meanwhile. @returns whether it did */
export async function moveCursor(
  on: Queryable,
  name: string,
  from: string,
  to: string,
  leaseMs: number,
): Promise<boolean> {
  const { rowCount } = await on.query(
    `update deposit_feed set cursor = $3, polled_at = now(), poll_at = now() + $4 * interval '1 millisecond' where name = $1 and cursor = $2`,
    [name, from, to, leaseMs],
  );
  return rowCount === 1;
}

/** Ends a reading. A feed whose reading was requested meanwhile is due at once. */
export async function scheduleFeed(
  on: Queryable,
  feed: Pick<FeedRow, 'name' | 'wakes'>,
  next: { inMs: number; silences: number },
): Promise<void> {
  await on.query(
    `update deposit_feed set silences = $3, polled_at = case when $3 = 0 then now() else polled_at end,
       poll_at = case when wakes > $2 then now() else now() + $4 * interval '1 millisecond' end
     where name = $1`,
    [feed.name, feed.wakes, next.silences, next.inMs],
  );
}

/** Wants a feed read at once. */
export async function wakeFeed(on: Queryable, name: string): Promise<void> {
  await on.query('update deposit_feed set poll_at = now(), wakes = wakes + 1 where name = $1', [name], {
    name: 'feed-wake',
  });
}

/** A feed line that an operator settles; `error`: why it failed. */
export type FailedLine = { line: string; error: string };

/** Stores lines that could not be parsed or stored as transfers. @returns number of new lines */
export async function insertFailedLines(
  on: Queryable,
  feed: { name: string; currency: Currency },
  failed: readonly FailedLine[],
): Promise<number> {
  const { rowCount } = await on.query(
    `insert into deposit_unreadable_line (feed, currency, hash, line, error)
     select $1, $2, sha256(convert_to(line, 'UTF8')), left(line, 2000), error
       from unnest($3::text[], $4::text[]) as failed (line, error)
     on conflict do nothing`,
    [feed.name, feed.currency, failed.map(({ line }) => line), failed.map(({ error }) => error)],
  );
  return rowCount;
}

/** A feed line that waits for an operator. */
export type OpenLine = FailedLine & { id: bigint; feed: string; ageMs: number };

export async function selectOpenLines(on: Queryable): Promise<OpenLine[]> {
  const { rows } = await on.query<OpenLine>(
    `select id, feed, line, error, (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs"
       from deposit_unreadable_line where settled_at is null order by seen_at, id limit 1000`,
  );
  return rows;
}

export type LockedFeedLine = { feed: string; currency: Currency | null; seenAt: Date; isSettled: boolean };

/** Locks a feed line until the transaction ends. @param id its number, as typed */
export async function lockLine(tx: Tx, id: string): Promise<LockedFeedLine | undefined> {
  const { rows } = await tx.query<LockedFeedLine>(
    `select feed, currency, seen_at as "seenAt", settled_at is not null as "isSettled"
       from deposit_unreadable_line where id::text = $1 for no key update`,
    [id],
  );
  return rows[0];
}

export async function markLineSettled(tx: Tx, id: string, by: string): Promise<void> {
  await tx.query('update deposit_unreadable_line set settled_at = now(), settled_by = $2 where id::text = $1', [
    id,
    by,
  ]);
}

/** A watched feed without a successful read for a minute. `silences`: consecutive reads without a reply. */
export type UnreadFeed = { name: string; unreadMs: number; silences: number };

export async function selectUnreadFeeds(on: Queryable): Promise<UnreadFeed[]> {
  const { rows } = await on.query<UnreadFeed>(
    `select name, silences, (extract(epoch from now() - polled_at) * 1000)::float8 as "unreadMs" from deposit_feed
      where is_watched and polled_at < now() - interval '1 minute' order by polled_at`,
  );
  return rows;
}

/** Numbers of feed lines that wait for an operator and of watched feeds not read for a minute. */
export async function countFeedFaults(on: Queryable): Promise<{ lines: number; unread: number }> {
  const { rows } = await on.query<{ lines: number; unread: number }>(
    `select (select count(*) from deposit_unreadable_line where settled_at is null)::int as lines,
            (select count(*) from deposit_feed
              where is_watched and polled_at < now() - interval '1 minute')::int as unread`,
  );
  return rows[0] ?? { lines: 0, unread: 0 };
}
