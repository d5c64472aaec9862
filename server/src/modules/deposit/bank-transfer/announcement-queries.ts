import type { Currency, Minor } from '@krapao/contract/money';
import { announcementTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../../platform/database/database.ts';
import { assertTransition, statesBefore } from '../../../platform/state-machine.ts';
import type { Announcement } from './announcement.ts';
import type { IncomingTransfer } from './bank-transfer.ts';

type AnnouncedMoney = { houseAccount: string; currency: Currency; amount: Minor };

/** SQL condition: this exact amount is reserved, announced for this account or for any account. */
const MATCHES_RESERVED_AMOUNT = `pay_amount = $1 and currency = $2 and (house_account is null or house_account = $3) and release_at > now()`;

/**
 * Finds members who announced exactly this amount for this account. `wasAsked`: the system assigned this distinct
 * amount instead of the entered one.
 */
export async function findAnnouncements(
  db: Queryable,
  { amount, currency, houseAccount }: AnnouncedMoney,
): Promise<{ memberId: string; wasAsked: boolean }[]> {
  const { rows } = await db.query<{ memberId: string; wasAsked: boolean }>(
    `select member_id as "memberId", bool_or(pay_amount <> amount) as "wasAsked" from deposit_announcement
     where ${MATCHES_RESERVED_AMOUNT} and state <> 'MATCHED' group by member_id`,
    [amount, currency, houseAccount],
  );
  return rows;
}

/** Marks the member's announcement: the announced amount came from another person's account. */
export async function markThirdPartySender(db: Queryable, transfer: IncomingTransfer, memberId: string): Promise<void> {
  await db.query(
    `update deposit_announcement set state = 'THIRD_PARTY', arrival_id = $5, ended_at = coalesce(ended_at, now())
     where ${MATCHES_RESERVED_AMOUNT} and member_id = $4 and state = any($6)`,
    [
      transfer.amount,
      transfer.currency,
      transfer.houseAccount,
      memberId,
      transfer.id,
      statesBefore(announcementTransitions, 'THIRD_PARTY'),
    ],
  );
}

/** Ends expired announcements. Releases amounts that were received or whose grace period is over. */
export async function expireAnnouncements(db: Queryable): Promise<void> {
  assertTransition(announcementTransitions, 'OPEN', 'EXPIRED');
  await db.query(
    `update deposit_announcement set state = 'EXPIRED', ended_at = expires_at where state = 'OPEN' and expires_at <= now()`,
    [],
    { name: 'announcement-expire' },
  );
  // `release_at` is null only in rows of an older version.
  await db.query(
    `with read as (
       update deposit_reserved_amount r set release_at = case n.state when 'MATCHED' then now() else n.release_at end
         from deposit_announcement n where r.release_at is null and n.id = r.announcement_id)
     delete from deposit_reserved_amount where release_at <= now()`,
    [],
    { name: 'announcement-release' },
  );
}

const ANNOUNCEMENT_COLUMNS = `id, member_id as "memberId", reference, house_account as "houseAccount", currency, amount, pay_amount as "payAmount", state,
  is_late as "isLate", expires_at as "expiresAt", bonus_code as "bonusCode"`;

export async function findAnnouncement(db: Queryable, id: string): Promise<Announcement | undefined> {
  const { rows } = await db.query<Announcement>(
    `select ${ANNOUNCEMENT_COLUMNS} from deposit_announcement where id = $1`,
    [id],
  );
  return rows[0];
}

export async function findAnnouncementByReference(db: Queryable, reference: string): Promise<Announcement | undefined> {
  const { rows } = await db.query<Announcement>(
    `select ${ANNOUNCEMENT_COLUMNS} from deposit_announcement where reference = $1`,
    [reference],
  );
  return rows[0];
}

/** The member's open announcement of the same amount and account. */
export async function findOpenAnnouncement(
  tx: Tx,
  { memberId, houseAccount, amount }: Pick<Announcement, 'memberId' | 'houseAccount' | 'amount'>,
): Promise<Announcement | undefined> {
  const { rows } = await tx.query<Announcement>(
    `select ${ANNOUNCEMENT_COLUMNS} from deposit_announcement
     where member_id = $1 and house_account is not distinct from $2 and amount = $3 and state = 'OPEN' and expires_at > now()`,
    [memberId, houseAccount, amount],
  );
  return rows[0];
}

export async function countOpenAnnouncements(tx: Tx, memberId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from deposit_announcement
     where member_id = $1 and state = 'OPEN' and expires_at > now()`,
    [memberId],
  );
  return rows[0]?.count ?? 0;
}

/** Time that an announcement is open, and additional time that its amount stays reserved. */
type Duration = { lifeMs: number; graceMs: number };
type NewAnnouncement = Pick<
  Announcement,
  'id' | 'memberId' | 'reference' | 'houseAccount' | 'currency' | 'amount' | 'payAmount' | 'bonusCode'
>;

export async function insertAnnouncement(
  tx: Tx,
  announcement: NewAnnouncement,
  { lifeMs, graceMs }: Duration,
): Promise<void> {
  await tx.query(
    `insert into deposit_announcement (id, member_id, reference, house_account, currency, amount, pay_amount, expires_at, release_at, bonus_code)
     values ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 millisecond',
       now() + ($8::float8 + $9) * interval '1 millisecond', $10)`,
    [
      announcement.id,
      announcement.memberId,
      announcement.reference,
      announcement.houseAccount,
      announcement.currency,
      announcement.amount,
      announcement.payAmount,
      lifeMs,
      graceMs,
      announcement.bonusCode,
    ],
  );
}

/** Replaces the chosen bonus of an open announcement. After the match, the choice that it was matched with stays. */
export async function saveBonusChoice(
  tx: Tx,
  { id }: Pick<Announcement, 'id'>,
  bonusCode: string | null,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update deposit_announcement set bonus_code = $2 where id = $1 and state = 'OPEN'`,
    [id, bonusCode],
  );
  return rowCount === 1;
}

/** Amounts from `minAmount` to below `belowAmount` that are reserved for any of these visible patterns. */
export async function selectReservedAmounts(
  tx: Tx,
  patterns: readonly string[],
  minAmount: bigint,
  belowAmount: bigint,
): Promise<bigint[]> {
  const { rows } = await tx.query<{ payAmount: bigint }>(
    `select pay_amount as "payAmount" from deposit_reserved_amount
     where look = any($1) and pay_amount >= $2 and pay_amount < $3`,
    [patterns, minAmount, belowAmount],
  );
  return rows.map(({ payAmount }) => payAmount);
}

/** Reserves an amount. The constraint `deposit_reserved_amount_once` decides between concurrent requests. */
export async function reserveAmount(
  tx: Tx,
  patterns: readonly string[],
  { id, payAmount }: Pick<Announcement, 'id' | 'payAmount'>,
  { lifeMs, graceMs }: Duration,
): Promise<void> {
  await tx.query(
    `insert into deposit_reserved_amount (look, pay_amount, announcement_id, release_at)
     select unnest($1::text[]), $2, $3, now() + ($4::float8 + $5) * interval '1 millisecond'`,
    [patterns, payAmount, id, lifeMs, graceMs],
  );
}

/** Releases the amounts of this member's closed announcements. */
export async function releaseOwnAmounts(tx: Tx, memberId: string, amount: Minor): Promise<void> {
  await tx.query(
    `delete from deposit_reserved_amount r using deposit_announcement n
     where n.id = r.announcement_id and n.member_id = $1 and n.amount = $2 and (n.state <> 'OPEN' or n.expires_at <= now())`,
    [memberId, amount],
  );
}

export async function findAnnouncementRequest(
  db: Queryable,
  memberId: string,
  key: string,
): Promise<{ requestHash: Buffer; announcementId: string } | undefined> {
  const { rows } = await db.query<{ requestHash: Buffer; announcementId: string }>(
    `select request_hash as "requestHash", announcement_id as "announcementId" from deposit_announcement_request
     where member_id = $1 and key = $2`,
    [memberId, key],
  );
  return rows[0];
}

/** The constraint `deposit_announcement_request_key` decides between concurrent requests. */
export async function insertAnnouncementRequest(
  tx: Tx,
  request: { memberId: string; key: string; requestHash: Buffer; announcementId: string },
): Promise<void> {
  await tx.query(
    'insert into deposit_announcement_request (member_id, key, request_hash, announcement_id) values ($1, $2, $3, $4)',
    [request.memberId, request.key, request.requestHash, request.announcementId],
  );
}

/** Serializes the requests of one member until the transaction ends. */
export async function lockMember(tx: Tx, memberId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('announcement:' || $1, 0))`, [memberId]);
}
