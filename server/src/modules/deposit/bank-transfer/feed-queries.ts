import type { Queryable } from '../../../platform/database/database.ts';

/** All SQL of feeds: how far each account of ours has been read. */

export type FeedRow = { name: string; cursor: string; wakes: number; silences: number };

/** Gives a feed that is read for the first time its row. */
export async function enterFeeds(on: Queryable, names: readonly string[]): Promise<void> {
  await on.query(`insert into deposit_feed (name) select unnest($1::text[]) on conflict do nothing`, [names]);
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
    `update deposit_feed set cursor = $3, poll_at = now() + $4 * interval '1 millisecond' where name = $1 and cursor = $2`,
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

/** Keeps unreadable lines. @returns how many of them are new */
export async function keepUnreadable(on: Queryable, feed: string, lines: readonly string[]): Promise<number> {
  const { rowCount } = await on.query(
    `insert into deposit_unreadable_line (feed, hash, line)
     select $1, sha256(convert_to(line, 'UTF8')), left(line, 2000) from unnest($2::text[]) as line
     on conflict do nothing`,
    [feed, lines],
  );
  return rowCount;
}
