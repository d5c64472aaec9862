import { type Minor, minor, ZERO } from '@krapao/contract/money';
import type { OperationType } from './types.ts';
import type { Queryable } from '../platform/database/database.ts';
import { hideFromPlanner } from '../platform/database/statements.ts';

/** State of a movement from the member's view. */
export type Progress = 'PROCESSING' | 'SUCCESS' | 'FAILED';

/** A money event of a member, as the socket sends it. */
export type LedgerEvent = {
  /** Grows with every event of a member. */
  operationId: bigint;
  memberId: string;
  type: OperationType;
  kind: string;
  state: Progress;
  reference: string;
  /** Signed change of the free money in the wallet; 0 when it happened elsewhere, or when a hold is posted. */
  amount: Minor;
  at: Date;
};

/** An applied operation with the names of its two accounts: the kind of a member account, '' for one of the house. */
export type MovedMoney = {
  type: OperationType;
  /** More than 0; 0 only for a `mark`, and for an `adjust` without a difference. */
  amount: bigint;
  debit: string;
  credit: string;
};

const PROGRESS: Record<OperationType, Progress> = {
  transfer: 'SUCCESS',
  adjust: 'SUCCESS',
  mark: 'SUCCESS',
  hold: 'PROCESSING',
  post: 'SUCCESS',
  void: 'FAILED',
};

export const operationProgress = (type: OperationType): Progress => PROGRESS[type];

/**
 * By how much an operation changed the free money in the wallet. A hold already reduces it, so posting the hold does
 * not.
 */
export function walletChange({ type, amount, debit, credit }: MovedMoney): Minor {
  if (debit === 'WALLET') return type === 'void' ? minor(amount) : type === 'post' ? ZERO : minor(-amount);
  if (credit === 'WALLET') return type === 'hold' || type === 'void' ? ZERO : minor(amount);
  return ZERO;
}

/** An unresolved hold. */
export type OpenHold = {
  operationId: bigint;
  memberId: string;
  kind: string;
  reference: string;
  amount: bigint;
  debit: string;
  credit: string;
  at: Date;
};
export type BatchEvents = { lane: number; batchId: bigint; events: LedgerEvent[] };

type EventRow = {
  id: bigint;
  type: OperationType;
  kind: string;
  reference: string;
  amount: bigint;
  debit: string;
  credit: string;
  memberId: string;
  at: Date;
};

// House accounts are left blank: only a member's own accounts count in an event.
const EVENT_COLUMNS = `o.id, o.type, o.kind, o.reference, o.amount, b.at,
  case when d.member_id = '' then '' else d.kind end as debit,
  case when c.member_id = '' then '' else c.kind end as credit,
  case when d.member_id = '' then c.member_id else d.member_id end as "memberId"`;

/** A socket that is up to date finds what is new among the last entries; only one that missed more searches for its place. */
const LAST_ENTRIES = 4;

/** Whose events are read, and after which operation. */
export type EventsRequest = { memberId: string; since: bigint; limit: number };

/**
 * Events of several members, each after an operation, oldest first: what their sockets missed. One statement for all;
 * answers in the order of the requests. Every row is looked up by key: `limit 1` keeps the planner from joining whole
 * tables, which it would choose for a number of members that it cannot know. An operation names accounts of one member and
 * of the house only, so those that its member doesn't have are the house's; its entries have the time of its batch.
 */
export async function eventsSince(on: Queryable, requests: readonly EventsRequest[]): Promise<LedgerEvent[][]> {
  const { rows } = await on.query<EventRow & { place: bigint }>(
    `select w.place, o.id, o.type, o.kind, o.reference, o.amount, m.at, w.member_id as "memberId",
            coalesce(a.kinds[array_position(a.ids, o.debit)], '') as debit,
            coalesce(a.kinds[array_position(a.ids, o.credit)], '') as credit
       from unnest(${hideFromPlanner('$1::text[]')}, ${hideFromPlanner('$2::bigint[]')}, ${hideFromPlanner('$3::int[]')}) with ordinality w(member_id, since, most, place)
      cross join lateral (
        select array_agg(id) as ids, array_agg(kind) as kinds, array_agg(seq) as seqs
          from ledger.account where member_id = w.member_id) a
      cross join lateral (
        select distinct e.operation_id, e.at
          from unnest(a.ids, a.seqs) s(id, seq)
         cross join lateral (
           select e.operation_id, e.at from ledger.entry e
            where e.account_id = s.id and e.operation_id > w.since
              and e.seq > case when (select l.operation_id from ledger.entry l
                                      where l.account_id = s.id and l.seq = s.seq - ${LAST_ENTRIES}) > w.since
                               then ledger.seq_until(s.id, w.since) else s.seq - ${LAST_ENTRIES} end
            order by e.seq limit w.most) e
         order by e.operation_id limit w.most) m
      cross join lateral (select * from ledger.operation where id = m.operation_id limit 1) o
      order by w.place, o.id`,
    [requests.map(({ memberId }) => memberId), requests.map(({ since }) => since), requests.map(({ limit }) => limit)],
    { name: 'ledger-events-since' },
  );
  const answers = requests.map((): LedgerEvent[] => []);
  for (const row of rows) answers[Number(row.place) - 1]?.push(eventOf(row));
  return answers;
}

/** The last operation that touched any account of a member; 0 when there is none. */
export async function lastEvent(on: Queryable, memberId: string): Promise<bigint> {
  const { rows } = await on.query<{ last: bigint | null }>(
    `select max(e.operation_id) as last
       from ledger.account a
      cross join lateral (
        select operation_id from ledger.entry where account_id = a.id order by seq desc limit 1) e
      where a.member_id = $1`,
    [memberId],
    { name: 'ledger-last-event' },
  );
  return rows[0]?.last ?? 0n;
}

/** The last batch of each lane. */
export async function laneHeads(on: Queryable): Promise<Map<number, bigint>> {
  const { rows } = await on.query<{ id: number; last: bigint }>('select id, last_batch as last from ledger.lane');
  return new Map(rows.map(({ id, last }) => [id, last]));
}

/**
 * Batches of one lane after another batch of it, oldest first, with what they did to members. Every row is looked up by key: a
 * batch has 1,024 places at most, which the planner can't know; without the limits it joins all operations with all accounts.
 * Ordered by lane as well, which the primary key can't provide: it holds the batches of all lanes in between.
 */
export async function batchesAfter(
  on: Queryable,
  lane: number,
  batchId: bigint,
  limit: number,
): Promise<BatchEvents[]> {
  const { rows } = await on.query<EventRow & { batch: bigint; moved: boolean }>(
    `select b.id as batch, o.id is not null as moved, ${EVENT_COLUMNS}
       from (select * from ledger.batch where (lane, id) > ($1, $2) and lane <= $1 order by lane, id limit $3) b
       left join lateral (
         select * from ledger.operation where id between b.first_operation and b.last_operation order by id limit 1024) o
         on o.state <> 'rejected' and (o.amount <> 0 or o.type = 'mark')
       left join lateral (select member_id, kind from ledger.account where id = o.debit limit 1) d on true
       left join lateral (select member_id, kind from ledger.account where id = o.credit limit 1) c on true
      order by b.id, o.id`,
    [lane, batchId, limit],
    { name: 'ledger-batches-after' },
  );
  const batches = new Map<bigint, LedgerEvent[]>();
  for (const row of rows) {
    const events = batches.get(row.batch) ?? [];
    if (row.moved && row.memberId !== '') events.push(eventOf(row));
    batches.set(row.batch, events);
  }
  return [...batches].map(([id, events]) => ({ lane, batchId: id, events }));
}

/** Unresolved holds created before a moment, oldest first. */
export async function openHolds(on: Queryable, madeBefore: Date, limit: number): Promise<OpenHold[]> {
  const { rows } = await on.query<OpenHold>(
    `select o.id as "operationId", d.member_id as "memberId", o.kind, o.reference, o.amount, d.kind as debit,
            c.kind as credit, b.at
       from ledger.operation o
       join ledger.account d on d.id = o.debit
       join ledger.account c on c.id = o.credit
       join ledger.batch b on b.id = o.id / 1024
      where o.state = 'pending' and b.at < $1
      order by o.id limit $2`,
    [madeBefore, limit],
  );
  return rows;
}

function eventOf(row: EventRow): LedgerEvent {
  return {
    operationId: row.id,
    memberId: row.memberId,
    type: row.type,
    kind: row.kind,
    state: operationProgress(row.type),
    reference: row.reference,
    amount: walletChange(row),
    at: row.at,
  };
}
