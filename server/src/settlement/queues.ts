import type { Queryable } from '../platform/database/database.ts';

/** Where money or a customer waits. */
export const QUEUES = ['transfer', 'withdraw', 'qrcode', 'arrival', 'slip', 'gift', 'incentive', 'chat'] as const;
/** Who has to act: the resolver by itself, or an operator. */
export const QUEUE_PARTS = ['resolver', 'operator'] as const;

export type Queue = {
  queue: (typeof QUEUES)[number];
  waitsFor: (typeof QUEUE_PARTS)[number];
  count: number;
  /** Age of the oldest item; how long it is overdue where items have a time at which they fall due. 0: none waits. */
  oldestSeconds: number;
};

// Each part reads a partial index of open rows; what is over is never read.
const PARTS = `
  select 'transfer' as queue, case state when 'MANUAL' then 'operator' else 'resolver' end as "waitsFor", sent_at as since
    from transfer_leg where state in ('UNKNOWN', 'MANUAL')
  union all
  select 'withdraw', case state when 'MANUAL' then 'operator' else 'resolver' end, created_at
    from withdraw where state not in ('PAID', 'FAILED')
  union all
  select 'qrcode', 'resolver', inquire_at from qrcode where inquire_at < now()
  union all
  select 'qrcode', 'operator', first_at from deposit_parked where settled_at is null
  union all
  select 'arrival', 'resolver', work_at from deposit_arrival where work_at < now()
  union all
  select 'arrival', 'operator', suspended_at from deposit_arrival where state = 'SUSPENSE' and member_id is null
  union all
  select 'slip', 'resolver', work_at from slip where work_at < now()
  union all
  select 'slip', 'operator', created_at from slip where state = 'MANUAL' and decided_by is null
  union all
  select 'gift', 'resolver', work_at from truelink_gift where work_at < now()
  union all
  select 'gift', 'operator', created_at from truelink_gift where state = 'MANUAL'
  union all
  select 'incentive', 'resolver', leased_until from incentive_grant where state = 'OPEN' and leased_until < now()
  union all
  select 'chat', 'operator', waiting_since from chat_conversation where waiting_since is not null`;

/** Every queue with its depth and oldest item, those that are empty included. One statement. */
export async function selectQueues(on: Queryable): Promise<Queue[]> {
  const { rows } = await on.query<Queue>(
    `select queue, "waitsFor", count(*)::int as count,
            greatest(coalesce(extract(epoch from now() - min(since)), 0), 0)::float8 as "oldestSeconds"
       from (${PARTS}) as waiting group by queue, "waitsFor"`,
  );
  return QUEUES.flatMap((queue) =>
    QUEUE_PARTS.map(
      (waitsFor) =>
        rows.find((row) => row.queue === queue && row.waitsFor === waitsFor) ?? {
          queue,
          waitsFor,
          count: 0,
          oldestSeconds: 0,
        },
    ),
  );
}
