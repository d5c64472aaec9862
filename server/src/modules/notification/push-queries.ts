import type { NoticeKind, PushKind } from '@krapao/contract/endpoints/notification';
import type { Language } from '@krapao/contract/languages';
import type { Minor } from '@krapao/contract/money';
import type { PushKeys } from '../../adapters/push.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { WorkTable } from '../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../platform/jobs/leases.ts';
import { dueOfPartitionsSql, partitionParams } from '../../platform/jobs/partitions.ts';
import type { InProgress } from '../../platform/jobs/polling-worker.ts';
import type { QueueSource } from '../../platform/jobs/queues.ts';
import type { Notice, StoredFacts } from './notification.ts';
import { addNotices, BONUS_OF_DEPOSIT_SQL, isLive } from './queries.ts';

export type PushSubscription = PushKeys & {
  id: string;
  memberId: string;
  /** Token hash of the session. */
  sessionHash: Buffer;
  endpoint: string;
  language: Language;
  kinds: readonly PushKind[];
  withAmounts: boolean;
};

/** SQL that deletes subscriptions in the order in which `addNotices` locks them. */
const deleteInOrderSql = (condition: string): string =>
  `delete from push_subscription where id in (
     select id from push_subscription p where ${condition} order by id for update)`;

/** Serializes the subscriptions of one member until the transaction ends. */
export async function lockSubscriptions(tx: Tx, memberId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('push:' || $1, 0))`, [memberId]);
}

/** Number of the member's subscriptions on other browsers whose sessions are live. */
export async function countOtherSubscriptions(
  tx: Tx,
  { memberId, sessionHash, endpoint }: Pick<PushSubscription, 'memberId' | 'sessionHash' | 'endpoint'>,
  now: Date,
): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from push_subscription p join member_session s on s.token_hash = p.session_hash
      where p.member_id = $1 and p.session_hash <> $2 and p.endpoint <> $3 and ${isLive('$4')}`,
    [memberId, sessionHash, endpoint, now],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Stores the subscription of a session in place of its earlier one. An endpoint of another member is taken over: their
 * unsent messages are deleted.
 * @returns its id; undefined when another call stored the endpoint first
 */
export async function saveSubscription(tx: Tx, subscription: PushSubscription, now: Date): Promise<string | undefined> {
  const { id, memberId, sessionHash, endpoint, p256dh, auth, language, kinds, withAmounts } = subscription;
  await tx.query(deleteInOrderSql('(session_hash = $1 and endpoint <> $2) or (endpoint = $2 and member_id <> $3)'), [
    sessionHash,
    endpoint,
    memberId,
  ]);
  const { rows } = await tx.query<{ id: string }>(
    `insert into push_subscription as p (id, member_id, session_hash, endpoint, p256dh, auth, language, kinds, with_amounts, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (endpoint) do update set session_hash = $3, p256dh = $5, auth = $6, language = $7, kinds = $8, with_amounts = $9
       where p.member_id = $2
     returning id`,
    [id, memberId, sessionHash, endpoint, p256dh, auth, language, kinds, withAmounts, now],
  );
  return rows[0]?.id;
}

export async function findSubscription(
  on: Queryable,
  sessionHash: Buffer,
): Promise<Omit<PushSubscription, 'memberId' | 'sessionHash' | keyof PushKeys> | undefined> {
  const { rows } = await on.query<PushSubscription>(
    `select id, endpoint, language, kinds, with_amounts as "withAmounts" from push_subscription where session_hash = $1`,
    [sessionHash],
  );
  return rows[0];
}

export async function deleteSubscription(on: Queryable, memberId: string, endpoint: string): Promise<void> {
  await on.query('delete from push_subscription where member_id = $1 and endpoint = $2', [memberId, endpoint]);
}

/** Deletes the subscription of a session that ends. */
export async function deleteSessionSubscription(tx: Tx, sessionHash: Buffer): Promise<void> {
  await tx.query('delete from push_subscription where session_hash = $1', [sessionHash]);
}

/** SQL condition of a subscription `p` without a message that reports the end of its session. */
const WITHOUT_LAST_MESSAGE_SQL = 'not exists (select from push_outbox o where o.subscription_id = p.id and o.is_last)';

/** SQL of the subscriptions of a member's sessions other than one. */
const OTHER_SUBSCRIPTIONS_SQL = '(select id from push_subscription where member_id = $1 and session_hash <> $2)';

/**
 * Notifies a member of why their other sessions end, as the last push message to each. Call it before they end.
 * Other waiting messages are deleted.
 */
export async function notifyEndingSessions(
  tx: Tx,
  notice: Notice,
  remainingSessionHash: Buffer,
  now: Date,
): Promise<void> {
  const { memberId, kind, reference } = notice;
  await lockSubscriptions(tx, memberId);
  // In the order of other transactions, and before the notice locks them more weakly.
  await tx.query('select from push_subscription where member_id = $1 order by id for update', [memberId]);
  await addNotices(tx, [notice], now);
  await tx.query(
    `update push_outbox set is_last = true where subscription_id in ${OTHER_SUBSCRIPTIONS_SQL}
       and notice_id = (select id from notification_item where member_id = $1 and kind = $3 and reference = $4)`,
    [memberId, remainingSessionHash, kind, reference],
  );
  await tx.query(`delete from push_outbox where not is_last and subscription_id in ${OTHER_SUBSCRIPTIONS_SQL}`, [
    memberId,
    remainingSessionHash,
  ]);
  await tx.query(
    `delete from push_subscription p where p.member_id = $1 and p.session_hash <> $2 and ${WITHOUT_LAST_MESSAGE_SQL}`,
    [memberId, remainingSessionHash],
  );
}

/** Deletes the subscriptions of sessions that have ended, except those whose last message waits. */
export async function deleteEndedSubscriptions(on: Queryable, now: Date): Promise<void> {
  const ended = `session_hash in (select s.token_hash from member_session s where not (${isLive('$1')}))`;
  await on.query(deleteInOrderSql(`${ended} and ${WITHOUT_LAST_MESSAGE_SQL}`), [now]);
}

/** A claimed message with its notice and browser. */
export type QueuedPush = PushKeys & {
  id: string;
  lane: string;
  memberId: string;
  subscriptionId: string;
  endpoint: string;
  language: Language;
  withAmounts: boolean;
  kind: NoticeKind;
  reference: string;
  facts: StoredFacts;
  /** Amount of the bonus that came with the deposit; null without one. */
  bonus: Minor | null;
  /** Includes the current try. */
  tries: number;
  /** Until the message expires; may be negative. */
  leftMs: number;
  isSessionLive: boolean;
  /** Reports the end of the session. */
  isLast: boolean;
  /** Whether the push service did not take the last message of this browser. */
  wasSilent: boolean;
};

/** Messages of one member that one process sends concurrently: their browsers may all be silent. */
export const MEMBER_CONCURRENCY = 2;

const DUE_SQL = dueOfPartitionsSql({
  table: 'push_outbox',
  key: 'id',
  due: 'work_at',
  partition: 'w.lane',
  waiting: 'true',
  memberLimit: {
    memberSql: '(select p.member_id from push_subscription p where p.id = w.subscription_id)',
    concurrency: MEMBER_CONCURRENCY,
  },
});

/** Claims due messages under a lease. @param share concurrent messages of each lane: a push service, or its silent browsers */
export async function claimDuePush(
  on: Queryable,
  share: number,
  leaseMs: number,
  { inProgress, now }: { inProgress: InProgress; now: Date },
): Promise<QueuedPush[]> {
  const { rows } = await on.query<QueuedPush>(
    `${DUE_SQL},
     claimed as (
       update push_outbox set tries = tries + 1, ${leaseSql('work_at', "now() + $3 * interval '1 millisecond'")}
        where id in (select id from due) returning *)
     select c.id, c.is_last as "isLast", c.lane, p.member_id as "memberId", c.subscription_id as "subscriptionId", p.endpoint, p.p256dh, p.auth, p.language,
            p.with_amounts as "withAmounts", n.kind, n.reference, n.facts,
            ${BONUS_OF_DEPOSIT_SQL} as bonus, c.tries,
            (extract(epoch from c.expires_at - now()) * 1000)::float8 as "leftMs", ${isLive('$4')} as "isSessionLive",
            p.is_silent as "wasSilent"
       from claimed c
       join notification_item n on n.id = c.notice_id
       join push_subscription p on p.id = c.subscription_id
       join member_session s on s.token_hash = p.session_hash`,
    [...partitionParams(share, inProgress), leaseMs, now],
    { name: 'push-claim' },
  );
  return rows;
}

/** Stores whether a browser is silent: its messages wait in the lane of silent ones, or are due immediately. */
export async function saveSilence(on: Queryable, subscriptionId: string, isSilent: boolean): Promise<void> {
  await on.query(
    `with marked as (
       update push_subscription set is_silent = $2 where id = $1 and is_silent <> $2 returning id, endpoint)
     update push_outbox m set lane = push_lane(p.endpoint, $2), work_at = case when $2 then m.work_at else least(m.work_at, now()) end
       from marked p where m.subscription_id = p.id`,
    [subscriptionId, isSilent],
    { name: 'push-silent' },
  );
}

export async function deleteMessage(on: Queryable, id: string): Promise<void> {
  await on.query('delete from push_outbox where id = $1', [id], { name: 'push-delete' });
}

export async function postponeMessage(on: Queryable, id: string, inMs: number): Promise<void> {
  await on.query(`update push_outbox set work_at = now() + $2 * interval '1 millisecond' where id = $1`, [id, inMs]);
}

/** Deletes the subscription of an ended session, unless its last message waits. */
export async function deleteIfSessionEnded(on: Queryable, id: string, now: Date): Promise<void> {
  await on.query(
    `delete from push_subscription p using member_session s
      where p.id = $1 and s.token_hash = p.session_hash and not (${isLive('$2')}) and ${WITHOUT_LAST_MESSAGE_SQL}`,
    [id, now],
  );
}

/** Subscriptions of one push service that may end within an hour: a number, and a part of all. */
const ENDINGS_MAX = { count: 5, share: 0.05 };

/**
 * Deletes a subscription that its push service has ended, with its messages. Keeps it if many of that service ended
 * within an hour: then the service, or the way to it, is probably at fault.
 * @returns whether it is deleted
 */
export async function endSubscription(tx: Tx, id: string, now: Date): Promise<boolean> {
  const { rows } = await tx.query<{ service: string }>(
    'select push_lane(endpoint, false) as service from push_subscription where id = $1',
    [id],
  );
  const service = rows[0]?.service;
  if (service === undefined) return true;
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('push-ending:' || $1, 0))`, [service]);
  await tx.query(
    `insert into push_ending (subscription_id, service, at) values ($1, $2, $3)
     on conflict (subscription_id) do update set at = excluded.at`,
    [id, service, now],
  );
  const endings = await tx.query<{ count: number }>(
    `select count(*)::int as count from push_ending where service = $1 and at > $2::timestamptz - interval '1 hour'`,
    [service, now],
  );
  if ((endings.rows[0]?.count ?? 0) > ENDINGS_MAX.count && (await isShareExceeded(tx, service, now))) return false;
  await tx.query('delete from push_subscription where id = $1', [id]);
  return true;
}

async function isShareExceeded(tx: Tx, service: string, now: Date): Promise<boolean> {
  const { rows } = await tx.query<{ isExceeded: boolean }>(
    `select (select count(*) from push_ending where service = $1 and at > $2::timestamptz - interval '1 hour')
          > $3::float8 * (select count(*) from push_subscription where push_lane(endpoint, false) = $1) as "isExceeded"`,
    [service, now, ENDINGS_MAX.share],
  );
  return rows[0]?.isExceeded ?? true;
}

export async function deleteOldEndings(on: Queryable, now: Date): Promise<void> {
  await on.query(`delete from push_ending where at < $1::timestamptz - interval '1 day'`, [now]);
}

export const pushWork: WorkTable = {
  table: 'push_outbox',
  key: 'id',
  keyType: 'uuid',
  due: 'work_at',
  open: 'true',
  label: 'w.id::text',
};

/** Push messages that wait for their push service. */
export const pushQueue = {
  queue: 'push',
  work: [pushWork],
  resolver: `select work_at from push_outbox where work_at < now()`,
  operatedBy: 'krapao queues (docs/runbooks/alerts.md)',
} satisfies QueueSource;
