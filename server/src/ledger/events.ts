import { type Currency, type Minor, minor, ZERO } from '@krapao/contract/money';
import type { Queryable } from '../platform/database/database.ts';
import { hideFromPlanner } from '../platform/database/statements.ts';
import type { OperationType } from './types.ts';

/** Progress of an operation as shown to the member. */
export type OperationProgress = 'PROCESSING' | 'SUCCESS' | 'FAILED';

/** A ledger event of a member, as sent over the WebSocket. */
export type LedgerEvent = {
  /** Increases with every event of the member. */
  operationId: bigint;
  memberId: string;
  type: OperationType;
  kind: string;
  state: OperationProgress;
  reference: string;
  /** Signed change of the available wallet balance. 0 if the wallet did not change, or if a hold is posted. */
  amount: Minor;
  at: Date;
};

/** An applied operation with the kinds of its two accounts. The kind of a house account is ''. */
export type AppliedOperation = {
  type: OperationType;
  /** Positive. 0 only for a `mark`, or for an `adjust` without a difference. */
  amount: bigint;
  debit: string;
  credit: string;
};

const PROGRESS_BY_TYPE: Record<OperationType, OperationProgress> = {
  transfer: 'SUCCESS',
  adjust: 'SUCCESS',
  mark: 'SUCCESS',
  hold: 'PROCESSING',
  post: 'SUCCESS',
  void: 'FAILED',
};

export const operationProgress = (type: OperationType): OperationProgress => PROGRESS_BY_TYPE[type];

/**
 * Change of the available wallet balance by an operation. A hold already reduces the balance, so posting the hold
 * changes nothing.
 */
export function walletChange({ type, amount, debit, credit }: AppliedOperation): Minor {
  if (debit === 'WALLET') return type === 'void' ? minor(amount) : type === 'post' ? ZERO : minor(-amount);
  if (credit === 'WALLET') return type === 'hold' || type === 'void' ? ZERO : minor(amount);
  return ZERO;
}

/** A hold that is neither posted nor voided. */
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

// House accounts are blank: only the member's own accounts count in an event.
const EVENT_COLUMNS = `o.id, o.type, o.kind, o.reference, o.amount, b.at,
  case when d.member_id = '' then '' else d.kind end as debit,
  case when c.member_id = '' then '' else c.kind end as credit,
  case when d.member_id = '' then c.member_id else d.member_id end as "memberId"`;

/**
 * Number of newest entries read first. They contain all new events of an up-to-date WebSocket; only others search
 * further back.
 */
const LAST_ENTRIES_READ = 4;

/** Member whose events are read, and the operation id after which they start. */
export type EventsRequest = { memberId: string; since: bigint; limit: number };

/**
 * Events of several members, each after an operation id, oldest first. One statement reads them in the order of the
 * requests. `limit 1` forces lookups by key: the planner can't know the number of members and would join whole tables.
 * An operation names accounts of one member and of the operator only, so every other account is a house account. Events
 * have the time of their batch.
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
                                      where l.account_id = s.id and l.seq = s.seq - ${LAST_ENTRIES_READ}) > w.since
                               then ledger.seq_until(s.id, w.since) else s.seq - ${LAST_ENTRIES_READ} end
            order by e.seq limit w.most) e
         order by e.operation_id limit w.most) m
      cross join lateral (select * from ledger.operation where id = m.operation_id limit 1) o
      order by w.place, o.id`,
    [requests.map(({ memberId }) => memberId), requests.map(({ since }) => since), requests.map(({ limit }) => limit)],
    { name: 'ledger-events-since' },
  );
  const eventsByRequest = requests.map((): LedgerEvent[] => []);
  for (const row of rows) eventsByRequest[Number(row.place) - 1]?.push(toLedgerEvent(row));
  return eventsByRequest;
}

/** Id of the newest operation on any account of a member; 0 without operations. */
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

/** Newest batch id by lane. */
export async function selectLastBatches(on: Queryable): Promise<Map<number, bigint>> {
  const { rows } = await on.query<{ id: number; last: bigint }>('select id, last_batch as last from ledger.lane');
  return new Map(rows.map(({ id, last }) => [id, last]));
}

/**
 * Batches of one lane after a batch id, oldest first, with their member events. A batch has at most 1,024 positions,
 * but the planner would join all operations with all accounts: the limits force lookups by key. Sorting by lane too is
 * needed, because the primary key interleaves the batches of all lanes.
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
    if (row.moved && row.memberId !== '') events.push(toLedgerEvent(row));
    batches.set(row.batch, events);
  }
  return [...batches].map(([id, events]) => ({ lane, batchId: id, events }));
}

/** A credited deposit, or a withdrawal that was paid out or returned to the wallet. */
export type CashOutcome = {
  operationId: bigint;
  memberId: string;
  kind: 'deposit' | 'withdraw';
  state: OperationProgress;
  reference: string;
  /** Positive. */
  amount: bigint;
  currency: Currency;
  at: Date;
};

/** `lastBatch`: the newest batch read; undefined when there is none. */
export type CashOutcomes = { outcomes: CashOutcome[]; batches: number; lastBatch: bigint | undefined };

/** Outcomes in at most `limit` batches of one lane after a batch id, oldest first. Limits as in {@link batchesAfter}. */
export async function cashOutcomesAfter(
  on: Queryable,
  lane: number,
  batchId: bigint,
  limit: number,
): Promise<CashOutcomes> {
  type Row = Omit<CashOutcome, 'state' | 'memberId'> & { batch: bigint; type: OperationType; memberId: string | null };
  const { rows } = await on.query<Row>(
    `select b.id as batch, b.at, o.id as "operationId", o.kind, o.type, o.reference, o.amount, a.currency,
            a.member_id as "memberId"
       from (select * from ledger.batch where (lane, id) > ($1, $2) and lane <= $1 order by lane, id limit $3) b
       left join lateral (
         select * from ledger.operation where id between b.first_operation and b.last_operation order by id limit 1024) o
         on o.state <> 'rejected' and ((o.kind = 'deposit' and o.type in ('transfer', 'post'))
                                    or (o.kind = 'withdraw' and o.type in ('post', 'void')))
       left join lateral (
         select member_id, kind, currency from ledger.account
          where id = case o.kind when 'deposit' then o.credit else o.debit end limit 1) a
         on a.kind = 'WALLET' and a.member_id <> ''
      order by b.id, o.id`,
    [lane, batchId, limit],
    { name: 'ledger-cash-outcomes-after' },
  );
  const outcomes = rows.flatMap(({ type, operationId, memberId, kind, reference, amount, currency, at }) =>
    memberId === null
      ? []
      : [{ operationId, memberId, kind, state: operationProgress(type), reference, amount, currency, at }],
  );
  return { outcomes, batches: new Set(rows.map(({ batch }) => batch)).size, lastBatch: rows.at(-1)?.batch };
}

/** Holds created before a time that are neither posted nor voided, oldest first. */
export async function openHolds(on: Queryable, createdBefore: Date, limit: number): Promise<OpenHold[]> {
  const { rows } = await on.query<OpenHold>(
    `select o.id as "operationId", d.member_id as "memberId", o.kind, o.reference, o.amount, d.kind as debit,
            c.kind as credit, b.at
       from ledger.operation o
       join ledger.account d on d.id = o.debit
       join ledger.account c on c.id = o.credit
       join ledger.batch b on b.id = o.id / 1024
      where o.state = 'pending' and b.at < $1
      order by o.id limit $2`,
    [createdBefore, limit],
  );
  return rows;
}

function toLedgerEvent(row: EventRow): LedgerEvent {
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
