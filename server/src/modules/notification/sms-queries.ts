import type { Language } from '@krapao/contract/languages';
import type { Queryable } from '../../platform/database/database.ts';
import type { WorkTable } from '../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../platform/jobs/leases.ts';
import { dueOfPartitionsSql, partitionParams } from '../../platform/jobs/partitions.ts';
import type { InProgress } from '../../platform/jobs/polling-worker.ts';
import type { QueueSource } from '../../platform/jobs/queues.ts';

/** A claimed text message. */
export type QueuedSms = {
  id: string;
  /** Country of the phone. */
  lane: string;
  phone: string;
  subject: string;
  /** Null: no session of the member has named one. */
  language: Language | null;
  /** Time of the reported change. */
  createdAt: Date;
  /** Includes the current try. */
  tries: number;
  /** Until the message expires; may be negative. */
  leftMs: number;
};

const DUE_SQL = dueOfPartitionsSql({
  table: 'notification_sms',
  key: 'id',
  due: 'work_at',
  partition: 'w.lane',
  waiting: 'w.work_at is not null',
  claimable: `(select count(*) from notification_sms s where s.sent_at > now() - $5 * interval '1 second') < $4`,
});

/**
 * Claims due messages under a lease, unless the limit of all messages is used up.
 * @param share concurrent messages of each country
 */
export async function claimDueSms(
  on: Queryable,
  share: number,
  leaseMs: number,
  { inProgress, limit }: { inProgress: InProgress; limit: { hits: number; windowSeconds: number } },
): Promise<QueuedSms[]> {
  const { rows } = await on.query<QueuedSms>(
    `${DUE_SQL}
     update notification_sms set tries = tries + 1, ${leaseSql('work_at', "now() + $3 * interval '1 millisecond'")}
      where id in (select id from due)
     returning id, lane, phone, subject, language, created_at as "createdAt", tries,
       (extract(epoch from expires_at - now()) * 1000)::float8 as "leftMs"`,
    [...partitionParams(share, inProgress), leaseMs, limit.hits, limit.windowSeconds],
    { name: 'sms-claim' },
  );
  return rows;
}

export async function markSmsSent(on: Queryable, id: string): Promise<void> {
  await on.query('update notification_sms set sent_at = now(), work_at = null, error = null where id = $1', [id]);
}

/** Ends a message that is not sent. */
export async function giveUpSms(on: Queryable, id: string, error: string): Promise<void> {
  await on.query('update notification_sms set work_at = null, error = $2 where id = $1', [id, error]);
}

export async function postponeSms(on: Queryable, id: string, inMs: number, error: string): Promise<void> {
  await on.query(
    `update notification_sms set work_at = now() + $2 * interval '1 millisecond', error = $3 where id = $1`,
    [id, inMs, error],
  );
}

export const smsWork: WorkTable = {
  table: 'notification_sms',
  key: 'id',
  keyType: 'uuid',
  due: 'work_at',
  open: 'w.work_at is not null',
  label: `w.member_id || ' ' || w.subject`,
  counted: { attempts: 'w.tries', error: `coalesce(w.error, '')`, since: 'w.created_at' },
};

/** Text messages that wait for the SMS gateway. */
export const smsQueue = {
  queue: 'sms',
  work: [smsWork],
  resolver: `select work_at from notification_sms where work_at < now()`,
  operatedBy: 'krapao queues (docs/runbooks/alerts.md)',
} satisfies QueueSource;
