import { noticeKinds } from '@krapao/contract/endpoints/notification';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { nextCursor, type PageRequest } from '../../platform/database/paging.ts';
import { type Notice, type StoredNotice, ttlMs } from './notification.ts';

/** SQL of the bonus that came with the deposit of a notice `n`; null without one. Its reference names the operation. */
export const BONUS_OF_DEPOSIT_SQL = `(select r.amount from bonus_receipt r
  where n.kind = 'money-in' and r.member_id = n.member_id
    and r.deposit_operation = substring(n.reference from '^line-(\\d{1,18})$')::bigint)`;

/** SQL condition of a session `s` that has not ended at the time in a parameter, and whose member may use it. */
export const isLive = (now: string): string =>
  `s.expires_at > ${now} and s.superseded_at is null and s.logged_out_at is null
   and (select m.status from member m where m.id = s.member_id) = 'active'`;

/**
 * Adds notices, and queues a push message for each subscription of their kind, unless the event is too old for one. A
 * repeated notice changes nothing. Members who are not registered get none.
 */
export async function addNotices(tx: Tx, notices: readonly Notice[], now: Date): Promise<void> {
  if (notices.length === 0) return;
  await tx.query(
    `with reported as (
       select * from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::jsonb[], $6::float8[])
         as r (member_id, kind, reference, at, facts, ttl_ms)),
     added as (
       insert into notification_item (member_id, kind, reference, at, facts)
       select r.member_id, r.kind, r.reference, r.at, r.facts from reported r join member m on m.id = r.member_id
       on conflict do nothing returning id, member_id, kind, reference)
     insert into push_outbox (notice_id, subscription_id, work_at, expires_at)
     select a.id, p.id, now(), now() + (r.at - $7::timestamptz) + r.ttl_ms * interval '1 millisecond'
       from added a
       join reported r on (r.member_id, r.kind, r.reference) = (a.member_id, a.kind, a.reference)
       join push_subscription p on p.member_id = a.member_id and a.kind = any(p.kinds)
       join member_session s on s.token_hash = p.session_hash and ${isLive('$7')}
      where r.at + r.ttl_ms * interval '1 millisecond' > $7
      -- Waits for a concurrent deletion, in its order. The foreign key would refuse a deleted row.
      order by p.id for key share of p
     on conflict do nothing`,
    [
      notices.map(({ memberId }) => memberId),
      notices.map(({ kind }) => kind),
      notices.map(({ reference }) => reference),
      notices.map(({ at }) => at),
      notices.map(({ facts }) => JSON.stringify(facts)),
      notices.map(({ kind }) => ttlMs(kind)),
      now,
    ],
    { name: 'notices-add' },
  );
}

/** A page of the member's notices, newest first, and their number, without kinds of a newer program. */
export async function selectNotices(
  on: Queryable,
  memberId: string,
  request: PageRequest,
): Promise<{ total: number; unread: number; notices: StoredNotice[]; next: string | undefined }> {
  const { page, limit, before = null } = request;
  const [counts, { rows: notices }] = await Promise.all([
    on.query<{ total: number; unread: number }>(
      `select count(*) filter (where $3::bigint is null or id < $3)::int as total, count(*) filter (where read_at is null)::int as unread
         from notification_item where member_id = $1 and kind = any($2)`,
      [memberId, noticeKinds, before],
      { name: 'notices-count' },
    ),
    on.query<StoredNotice>(
      `select n.id, n.kind, n.reference, n.at, n.facts, n.read_at is not null as "isRead", ${BONUS_OF_DEPOSIT_SQL} as bonus
         from notification_item n where n.member_id = $1 and n.kind = any($4) and ($5::bigint is null or n.id < $5)
        order by n.id desc limit $2 offset $3`,
      [memberId, limit, (page - 1) * limit, noticeKinds, before],
      { name: 'notices-page' },
    ),
  ]);
  const { total, unread } = counts.rows[0] ?? { total: 0, unread: 0 };
  return { total, unread, notices, next: nextCursor(request, { total, last: notices.at(-1)?.id.toString() }) };
}

export async function markRead(
  on: Queryable,
  memberId: string,
  { from, until }: { from: bigint; until: bigint },
): Promise<void> {
  await on.query(
    'update notification_item set read_at = now() where member_id = $1 and id between $2 and $3 and read_at is null',
    [memberId, from, until],
    { name: 'notices-read' },
  );
}

/** Marks notices of replies as read: the member has read them in the chat. */
export async function markSupportRead(on: Queryable, memberId: string): Promise<void> {
  await on.query(
    `update notification_item set read_at = now() where member_id = $1 and kind = 'support' and read_at is null`,
    [memberId],
    { name: 'notices-read-support' },
  );
}

/** The last followed batch of each lane. */
export async function selectCursors(on: Queryable): Promise<ReadonlyMap<number, bigint>> {
  const { rows } = await on.query<{ lane: number; batch: bigint }>('select lane, batch from notification_cursor', [], {
    name: 'notice-cursors',
  });
  return new Map(rows.map(({ lane, batch }) => [lane, batch]));
}

/** Locks the cursor of a lane until the transaction ends. @returns undefined while another node has it */
export async function lockCursor(tx: Tx, lane: number): Promise<bigint | undefined> {
  await tx.query('insert into notification_cursor (lane, batch) values ($1, 0) on conflict do nothing', [lane]);
  const { rows } = await tx.query<{ batch: bigint }>(
    'select batch from notification_cursor where lane = $1 for update skip locked',
    [lane],
  );
  return rows[0]?.batch;
}

export async function moveCursor(tx: Tx, lane: number, batch: bigint): Promise<void> {
  await tx.query('update notification_cursor set batch = $2 where lane = $1', [lane, batch]);
}

const KEPT_DAYS = 90;

/** Deletes old notices, and messages that no process has sent in time. */
export async function deleteOld(on: Queryable): Promise<void> {
  await on.query(`delete from notification_item where at < now() - make_interval(days => $1)`, [KEPT_DAYS]);
  await on.query(`delete from push_outbox where expires_at < now()`);
}
