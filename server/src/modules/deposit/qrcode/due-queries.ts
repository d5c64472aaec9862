import type { Queryable } from '../../../platform/database/database.ts';
import type { WorkTable } from '../../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../../platform/jobs/leases.ts';
import { dueOfPartitionsSql, partitionParams } from '../../../platform/jobs/partitions.ts';
import type { InProgress } from '../../../platform/jobs/polling-worker.ts';
import type { QueueSource } from '../../../platform/jobs/queues.ts';
import type { Qrcode } from './qrcode.ts';
import { QRCODE_COLUMNS } from './queries.ts';

const DUE_SQL = dueOfPartitionsSql({
  table: 'qrcode',
  key: 'id',
  due: 'inquire_at',
  partition: 'w.gateway',
  waiting: 'w.inquire_at is not null',
});

/** Claims due codes under a lease. @param share concurrent inquiries at each gateway */
export async function claimDue(
  db: Queryable,
  share: number,
  leaseMs: number,
  inProgress: InProgress,
): Promise<Qrcode[]> {
  const { rows } = await db.query<Qrcode>(
    `${DUE_SQL}
     update qrcode set ${leaseSql('inquire_at', "now() + $3 * interval '1 millisecond'")} where id in (select id from due)
     returning ${QRCODE_COLUMNS}`,
    [...partitionParams(share, inProgress), leaseMs],
    { name: 'qrcode-claim-due' },
  );
  return rows;
}

export const qrcodeWork: WorkTable = {
  table: 'qrcode',
  key: 'id',
  keyType: 'uuid',
  due: 'inquire_at',
  open: 'w.inquire_at is not null',
  label: `w.gateway || ' ' || w.reference`,
  counted: { attempts: 'w.silences', error: `'the gateway does not reply'`, since: 'w.created_at' },
};

/** Overdue inquiries, and payments that wait for an operator. */
export const qrcodeQueue = {
  queue: 'qrcode',
  work: [qrcodeWork],
  resolver: `select inquire_at from qrcode where inquire_at < now()`,
  operator: `select first_at from deposit_parked where settled_at is null`,
  operatedBy: 'krapao deposits (docs/runbooks/parked-deposits.md)',
} satisfies QueueSource;
