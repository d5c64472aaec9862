import { arrivalTransitions } from '@krapao/contract/states';
import type { Queryable } from '../../../platform/database/database.ts';
import { sourcesOf } from '../../../settlement/transition.ts';
import type { Arrival, ArrivalIdentity, SeenArrival, Via } from './bank-transfer.ts';
import type { WorkTable } from '../../../platform/jobs/failed-work.ts';
import type { QueueSource } from '../../../settlement/queues.ts';

/** All SQL of transfers that came. Notices and feeds have files of their own. */

const COLUMNS = `id, sending_bank as "sendingBank", trans_ref as "transRef", house, currency, amount,
  sender_account as "senderAccount", sender_name as "senderName", reference1, sent_at as "sentAt", seen_at as "seenAt",
  fed_at as "fedAt", state, reason, candidates, member_id as "memberId", via`;

/** Enters what was seen, unless it is known. A feed that tells of one that only a slip had told of wants it looked at. */
export async function upsertArrival(on: Queryable, id: string, seen: SeenArrival, isFed: boolean): Promise<Arrival> {
  const { identity, sender } = seen;
  const { rows } = await on.query<Arrival>(
    `insert into deposit_arrival as known (id, sending_bank, trans_ref, house, currency, amount, sender_account, sender_name,
       reference1, sent_at, fed_at, work_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $11 then now() end, case when $11 then now() end)
     on conflict (sending_bank, trans_ref) do update set
       fed_at = coalesce(known.fed_at, excluded.fed_at),
       work_at = case when known.fed_at is null and known.state = 'NEW' then excluded.work_at else known.work_at end
     returning ${COLUMNS}`,
    [
      id,
      identity.sendingBank,
      identity.transRef,
      seen.house,
      seen.currency,
      seen.amount,
      sender.account,
      sender.name,
      seen.reference1,
      seen.sentAt,
      isFed,
    ],
  );
  return rows[0] as Arrival;
}

export async function findArrival(on: Queryable, identity: ArrivalIdentity): Promise<Arrival | undefined> {
  const { rows } = await on.query<Arrival>(
    `select ${COLUMNS} from deposit_arrival where sending_bank = $1 and trans_ref = $2`,
    [identity.sendingBank, identity.transRef],
  );
  return rows[0];
}

/**
 * Records the member whom an operator gives a transfer that is not credited; it falls due.
 * @returns undefined when it was decided before
 */
export async function saveDecision(
  on: Queryable,
  id: string,
  decision: { memberId: string; via: Via; note: string },
): Promise<Arrival | undefined> {
  const { rows } = await on.query<Arrival>(
    `update deposit_arrival set member_id = $2, via = $3, note = $4, claimed_at = now(), work_at = now()
     where id = $1 and member_id is null and state = any($5)
     returning ${COLUMNS}`,
    [id, decision.memberId, decision.via, decision.note, sourcesOf(arrivalTransitions, 'CREDITED')],
  );
  return rows[0];
}

/** A code of a gateway stands for it: the gateway's payment is credited, this is not. */
export async function markGateway(on: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await on.query(
    `update deposit_arrival set state = 'GATEWAY', work_at = null where id = $1 and member_id is null and state = any($2)`,
    [id, sourcesOf(arrivalTransitions, 'GATEWAY')],
  );
  return rowCount === 1;
}

/** Claims due transfers under a lease. */
export async function claimWork(on: Queryable, limit: number, leaseMs: number): Promise<Arrival[]> {
  const { rows } = await on.query<Arrival>(
    `update deposit_arrival set work_at = now() + $2 * interval '1 millisecond'
     where id in (select id from deposit_arrival where work_at <= now() order by work_at limit $1 for update skip locked)
     returning ${COLUMNS}`,
    [limit, leaseMs],
    { name: 'arrival-claim-work' },
  );
  return rows;
}

export const arrivalWork: WorkTable = {
  table: 'deposit_arrival',
  key: 'id',
  keyType: 'uuid',
  due: 'work_at',
  open: 'w.work_at is not null',
  label: `w.sending_bank || ' ' || w.trans_ref`,
};

/** Overdue arrivals, and those that wait for an operator. */
export const arrivalQueue = {
  queue: 'arrival',
  work: [arrivalWork],
  resolver: `select work_at from deposit_arrival where work_at < now()`,
  operator: `select suspended_at from deposit_arrival where state = 'SUSPENSE' and member_id is null`,
  operatedBy: 'npm run arrivals (docs/runbooks/arrivals.md)',
} satisfies QueueSource;

/** A transfer that waits for an operator, with its age. */
export type SuspendedArrival = Arrival & { ageMs: number };

export async function selectSuspended(on: Queryable): Promise<SuspendedArrival[]> {
  const { rows } = await on.query<SuspendedArrival>(
    `select ${COLUMNS}, (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs"
     from deposit_arrival where state = 'SUSPENSE' and member_id is null order by suspended_at limit 1000`,
  );
  return rows;
}

/** What our books know of a transfer that a statement tells of. `ledger`: it is written there, for a member or in suspense. */
export type KnownArrival = { sendingBank: string; transRef: string; known: 'ledger' | 'gateway' | 'working' };

/** Every transfer that we know to have come to an account of ours, for comparing with the account's statement. */
export async function selectKnown(on: Queryable, house: string): Promise<KnownArrival[]> {
  const { rows } = await on.query<KnownArrival>(
    `select sending_bank as "sendingBank", trans_ref as "transRef",
            case when state = 'GATEWAY' then 'gateway'
                 when state in ('SUSPENSE', 'CREDITED') then 'ledger' else 'working' end as known
       from deposit_arrival where house = $1`,
    [house],
  );
  return rows;
}

/** What waits in suspense by the rows, in minor units. */
export async function sumInSuspense(on: Queryable): Promise<{ currency: string; amount: bigint }[]> {
  const { rows } = await on.query<{ currency: string; amount: bigint }>(
    `select currency, sum(amount)::bigint as amount from deposit_arrival
      where state = 'SUSPENSE' group by currency`,
  );
  return rows;
}
