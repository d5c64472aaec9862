import type { Currency } from '@krapao/contract/money';
import { arrivalTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../../platform/database/database.ts';
import type { WorkTable } from '../../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../../platform/jobs/leases.ts';
import type { QueueSource } from '../../../platform/jobs/queues.ts';
import { statesBefore } from '../../../platform/state-machine.ts';
import type { IncomingTransfer, TransferIdentity, ReportedTransfer, MatchSource } from './bank-transfer.ts';

const TRANSFER_COLUMNS = `id, sending_bank as "sendingBank", trans_ref as "transRef", house_account as "houseAccount", currency, amount,
  sender_account as "senderAccount", sender_name as "senderName", reference1, sent_at as "sentAt", seen_at as "seenAt",
  fed_at as "fedAt", state, reason, candidates, member_id as "memberId", via`;

/** Inserts a reported transfer, or finds its row. The first report by a feed makes it due. */
export async function upsertTransfer(
  db: Queryable,
  id: string,
  reportedTransfer: ReportedTransfer,
  isFed: boolean,
): Promise<IncomingTransfer> {
  const { identity, sender } = reportedTransfer;
  const { rows } = await db.query<IncomingTransfer>(
    `insert into deposit_arrival as known (id, sending_bank, trans_ref, house_account, currency, amount, sender_account, sender_name,
       reference1, sent_at, fed_at, work_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $11 then now() end, case when $11 then now() end)
     on conflict (sending_bank, trans_ref) do update set
       fed_at = coalesce(known.fed_at, excluded.fed_at),
       work_at = case when known.fed_at is null and known.state = 'NEW' then excluded.work_at else known.work_at end
     returning ${TRANSFER_COLUMNS}`,
    [
      id,
      identity.sendingBank,
      identity.transRef,
      reportedTransfer.houseAccount,
      reportedTransfer.currency,
      reportedTransfer.amount,
      sender.account,
      sender.name,
      reportedTransfer.reference1,
      reportedTransfer.sentAt,
      isFed,
    ],
  );
  return rows[0] as IncomingTransfer;
}

export async function findTransfer(db: Queryable, identity: TransferIdentity): Promise<IncomingTransfer | undefined> {
  const { rows } = await db.query<IncomingTransfer>(
    `select ${TRANSFER_COLUMNS} from deposit_arrival where sending_bank = $1 and trans_ref = $2`,
    [identity.sendingBank, identity.transRef],
  );
  return rows[0];
}

/**
 * Assigns an uncredited transfer to a member and makes it due.
 * @returns undefined when it was assigned before
 */
export async function saveDecision(
  db: Queryable,
  id: string,
  decision: { memberId: string; via: MatchSource; note: string },
): Promise<IncomingTransfer | undefined> {
  const { rows } = await db.query<IncomingTransfer>(
    `update deposit_arrival set member_id = $2, via = $3, note = $4, claimed_at = now(), work_at = now()
     where id = $1 and member_id is null and state = any($5)
     returning ${TRANSFER_COLUMNS}`,
    [id, decision.memberId, decision.via, decision.note, statesBefore(arrivalTransitions, 'CREDITED')],
  );
  return rows[0];
}

/** Marks a transfer that belongs to a gateway's QR code: the gateway's payment is credited instead. */
export async function markGateway(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update deposit_arrival set state = 'GATEWAY', work_at = null where id = $1 and member_id is null and state = any($2)`,
    [id, statesBefore(arrivalTransitions, 'GATEWAY')],
  );
  return rowCount === 1;
}

export async function claimDueTransfers(db: Queryable, limit: number, leaseMs: number): Promise<IncomingTransfer[]> {
  const { rows } = await db.query<IncomingTransfer>(
    `update deposit_arrival set ${leaseSql('work_at', "now() + $2 * interval '1 millisecond'")}
     where id in (select id from deposit_arrival where work_at <= now() order by work_at limit $1 for update skip locked)
     returning ${TRANSFER_COLUMNS}`,
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

/** Overdue transfers, and transfers that wait for an operator. */
export const arrivalQueue = {
  queue: 'arrival',
  work: [arrivalWork],
  resolver: `select work_at from deposit_arrival where work_at < now()`,
  operator: `select suspended_at from deposit_arrival where state = 'SUSPENSE' and member_id is null`,
  operatedBy: 'krapao arrivals (docs/runbooks/arrivals.md)',
} satisfies QueueSource;

export type SuspendedTransfer = IncomingTransfer & { ageMs: number };

export async function selectSuspended(db: Queryable): Promise<SuspendedTransfer[]> {
  const { rows } = await db.query<SuspendedTransfer>(
    `select ${TRANSFER_COLUMNS}, (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs"
     from deposit_arrival where state = 'SUSPENSE' and member_id is null order by suspended_at limit 1000`,
  );
  return rows;
}

/** Processing state of a transfer. `ledger`: posted, to a member or to suspense. */
export type StoredTransfer = { sendingBank: string; transRef: string; known: 'ledger' | 'gateway' | 'working' };

/** Every stored transfer to an own account, for comparison with its statement. */
export async function selectTransfers(db: Queryable, houseAccount: string): Promise<StoredTransfer[]> {
  const { rows } = await db.query<StoredTransfer>(
    `select sending_bank as "sendingBank", trans_ref as "transRef",
            case when state = 'GATEWAY' then 'gateway'
                 when state in ('SUSPENSE', 'CREDITED') then 'ledger' else 'working' end as known
       from deposit_arrival where house_account = $1`,
    [houseAccount],
  );
  return rows;
}

/** Total of the rows in suspense, in minor units. */
export async function sumInSuspense(db: Queryable): Promise<{ currency: string; amount: bigint }[]> {
  const { rows } = await db.query<{ currency: string; amount: bigint }>(
    `select currency, sum(amount)::bigint as amount from deposit_arrival
      where state = 'SUSPENSE' group by currency`,
  );
  return rows;
}

/** Read position of a feed. `wakes`: number of read requests. `silences`: consecutive reads without a reply. */
export type FeedRow = { name: string; cursor: string; wakes: number; silences: number };

/** Marks the polled feeds; only these are reported when they are not read. */
export async function setWatchedFeeds(db: Queryable, names: readonly string[]): Promise<void> {
  await db.query(
    `with watched as (
       insert into deposit_feed (name, polled_at) select unnest($1::text[]), now()
       on conflict (name) do update set is_watched = true,
         polled_at = case when deposit_feed.is_watched then deposit_feed.polled_at else now() end
       returning name)
     update deposit_feed set is_watched = false where is_watched and name <> all($1) and name not in (select name from watched)`,
    [names],
  );
}

/** Claims the due feeds of these under a lease. */
export async function claimFeeds(db: Queryable, names: readonly string[], leaseMs: number): Promise<FeedRow[]> {
  const { rows } = await db.query<FeedRow>(
    `update deposit_feed set ${leaseSql('poll_at', "now() + $2 * interval '1 millisecond'")}
      where name in (select name from deposit_feed where name = any($1) and poll_at <= now() for update skip locked)
     returning name, cursor, wakes, silences`,
    [names, leaseMs],
    { name: 'feed-claim' },
  );
  return rows;
}

export const feedWork: WorkTable = {
  table: 'deposit_feed',
  key: 'name',
  keyType: 'text',
  due: 'poll_at',
  open: 'w.is_watched',
  label: 'w.name',
};

/** Advances the cursor and extends the lease. @returns false when another node has moved the cursor */
export async function moveCursor(
  db: Queryable,
  name: string,
  currentCursor: string,
  newCursor: string,
  leaseMs: number,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update deposit_feed set cursor = $3, polled_at = now(), read_at = now(), ${leaseSql('poll_at', "now() + $4 * interval '1 millisecond'")} where name = $1 and cursor = $2`,
    [name, currentCursor, newCursor, leaseMs],
  );
  return rowCount === 1;
}

/** Ends a read. A feed is due immediately if a read was requested since it was claimed. */
export async function scheduleFeed(
  db: Queryable,
  feed: Pick<FeedRow, 'name' | 'wakes'>,
  schedule: { inMs: number; silences: number },
): Promise<void> {
  await db.query(
    `update deposit_feed set silences = $3, polled_at = case when $3 = 0 then now() else polled_at end,
       read_at = case when $3 = 0 then now() else read_at end,
       poll_at = case when wakes > $2 then now() else now() + $4 * interval '1 millisecond' end
     where name = $1`,
    [feed.name, feed.wakes, schedule.silences, schedule.inMs],
  );
}

/** Makes a feed due immediately. */
export async function requestRead(db: Queryable, name: string): Promise<void> {
  await db.query('update deposit_feed set poll_at = now(), wakes = wakes + 1 where name = $1', [name], {
    name: 'feed-wake',
  });
}

/** A feed entry that could not be stored. `line` is its text. */
export type FailedEntry = { line: string; error: string };

/** Stores entries that could not be parsed or stored as transfers. @returns number of new entries */
export async function insertFailedLines(
  db: Queryable,
  feed: { name: string; currency: Currency },
  failedEntries: readonly FailedEntry[],
): Promise<number> {
  const { rowCount } = await db.query(
    `insert into deposit_unreadable_line (feed, currency, hash, line, error)
     select $1, $2, sha256(convert_to(line, 'UTF8')), left(line, 2000), error
       from unnest($3::text[], $4::text[]) as failed (line, error)
     on conflict do nothing`,
    [feed.name, feed.currency, failedEntries.map(({ line }) => line), failedEntries.map(({ error }) => error)],
  );
  return rowCount;
}

/** A failed feed entry that waits for an operator. */
export type OpenEntry = FailedEntry & { id: bigint; feed: string; ageMs: number };

export async function selectOpenLines(db: Queryable): Promise<OpenEntry[]> {
  const { rows } = await db.query<OpenEntry>(
    `select id, feed, line, error, (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs"
       from deposit_unreadable_line where settled_at is null order by seen_at, id limit 1000`,
  );
  return rows;
}

export type LockedFeedEntry = { feed: string; currency: Currency | null; seenAt: Date; isSettled: boolean };

/** Locks a failed entry until the transaction ends. @param id its number, as the operator typed it */
export async function lockEntry(tx: Tx, id: string): Promise<LockedFeedEntry | undefined> {
  const { rows } = await tx.query<LockedFeedEntry>(
    `select feed, currency, seen_at as "seenAt", settled_at is not null as "isSettled"
       from deposit_unreadable_line where id::text = $1 for no key update`,
    [id],
  );
  return rows[0];
}

export async function markEntrySettled(tx: Tx, id: string, operator: string): Promise<void> {
  await tx.query('update deposit_unreadable_line set settled_at = now(), settled_by = $2 where id::text = $1', [
    id,
    operator,
  ]);
}

/** A watched feed without a successful read for a minute. `silences`: consecutive reads without a reply. */
export type UnreadFeed = { name: string; unreadMs: number; silences: number };

export async function selectUnreadFeeds(db: Queryable): Promise<UnreadFeed[]> {
  const { rows } = await db.query<UnreadFeed>(
    `select name, silences, (extract(epoch from now() - polled_at) * 1000)::float8 as "unreadMs" from deposit_feed
      where is_watched and polled_at < now() - interval '1 minute' order by polled_at`,
  );
  return rows;
}

/** Whether each watched feed has ever been read. */
export async function selectFeedReads(db: Queryable): Promise<{ name: string; isRead: boolean }[]> {
  const { rows } = await db.query<{ name: string; isRead: boolean }>(
    'select name, read_at is not null as "isRead" from deposit_feed where is_watched order by name',
  );
  return rows;
}

/** Numbers of failed entries that wait for an operator and of watched feeds not read for a minute. */
export async function countFeedFaults(db: Queryable): Promise<{ lines: number; unread: number }> {
  const { rows } = await db.query<{ lines: number; unread: number }>(
    `select (select count(*) from deposit_unreadable_line where settled_at is null)::int as lines,
            (select count(*) from deposit_feed
              where is_watched and polled_at < now() - interval '1 minute')::int as unread`,
  );
  return rows[0] ?? { lines: 0, unread: 0 };
}
