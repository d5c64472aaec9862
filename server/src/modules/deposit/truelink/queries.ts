import { giftTransitions } from '@krapao/contract/states';
import type { SealedColumn } from '../../../platform/crypto/reencrypt.ts';
import { type Queryable, violatedConstraint } from '../../../platform/database/database.ts';
import type { WorkTable } from '../../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../../platform/jobs/leases.ts';
import type { QueueSource } from '../../../platform/jobs/queues.ts';
import type { PartyNeedSource } from '../../../platform/party-needs.ts';
import { statesBefore } from '../../../platform/state-machine.ts';
import type { GiftFailure, Gift } from './gift.ts';

const GIFT_COLUMNS = `id, hash_sha256 as "hashSha256", sealed_hash as "sealedHash", member_id as "memberId", reference,
  receiver, state, code, detail, amount, inquiries, absences,
  (extract(epoch from now() - redeemed_at) * 1000)::float8 as "redeemedAgoMs",
  (extract(epoch from now() - created_at) * 1000)::float8 as "ageMs"`;

/** Links of unsettled gifts, for re-encryption with a new key. */
export const sealedGifts: SealedColumn = {
  table: 'truelink_gift',
  column: 'sealed_hash',
  key: [['id', 'uuid']],
  context: ([id = '']) => id,
  idle: 'true',
};

export type NewGift = Pick<Gift, 'id' | 'hashSha256' | 'memberId' | 'reference' | 'receiver'> & {
  sealedHash: Buffer;
  bonusCode: string | null;
};

/** @returns false when the same link was sent before */
export async function insertGift(db: Queryable, gift: NewGift, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into truelink_gift (id, hash_sha256, sealed_hash, member_id, reference, receiver, work_at, bonus_code)
     values ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond', $8)
     on conflict (hash_sha256) do nothing`,
    [gift.id, gift.hashSha256, gift.sealedHash, gift.memberId, gift.reference, gift.receiver, leaseMs, gift.bonusCode],
  );
  return rowCount === 1;
}

export async function findGiftByHash(db: Queryable, hashSha256: Buffer): Promise<Gift | undefined> {
  const { rows } = await db.query<Gift>(`select ${GIFT_COLUMNS} from truelink_gift where hash_sha256 = $1`, [
    hashSha256,
  ]);
  return rows[0];
}

export async function findGift(db: Queryable, id: string): Promise<Gift | undefined> {
  const { rows } = await db.query<Gift>(`select ${GIFT_COLUMNS} from truelink_gift where id = $1`, [id]);
  return rows[0];
}

/** NEW → REDEEMING. @returns false when the receiver is redeeming another link, or the state has changed */
export async function markRedeeming(db: Queryable, id: string, leaseMs: number): Promise<boolean> {
  try {
    const { rowCount } = await db.query(
      `update truelink_gift set state = 'REDEEMING', redeemed_at = now(), absences = 0,
         work_at = now() + $2 * interval '1 millisecond'
       where id = $1 and state = any($3)`,
      [id, leaseMs, statesBefore(giftTransitions, 'REDEEMING')],
    );
    return rowCount === 1;
  } catch (error) {
    if (violatedConstraint(error) === 'truelink_gift_redeeming') return false;
    throw error;
  }
}

export async function markFailed(db: Queryable, id: string, failure: GiftFailure): Promise<boolean> {
  const { rowCount } = await db.query(
    `update truelink_gift set state = 'FAILED', code = $2, detail = $3, ended_at = now(), sealed_hash = null, work_at = null
     where id = $1 and state = any($4)`,
    [id, failure.code, failure.detail, statesBefore(giftTransitions, 'FAILED')],
  );
  return rowCount === 1;
}

/** REDEEMING → UNKNOWN: the redeeming call got no reply. */
export async function markUnknown(db: Queryable, id: string, inquireInMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update truelink_gift set state = 'UNKNOWN', work_at = now() + $2 * interval '1 millisecond'
     where id = $1 and state = any($3)`,
    [id, inquireInMs, statesBefore(giftTransitions, 'UNKNOWN', 'REDEEMING')],
  );
  return rowCount === 1;
}

/** UNKNOWN → NEW: proven not redeemed, so it may be redeemed. */
export async function markNotRedeemed(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update truelink_gift set state = 'NEW', work_at = now() where id = $1 and state = any($2)`,
    [id, statesBefore(giftTransitions, 'NEW')],
  );
  return rowCount === 1;
}

export async function markManual(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update truelink_gift set state = 'MANUAL', work_at = null where id = $1 and state = any($2)`,
    [id, statesBefore(giftTransitions, 'MANUAL')],
  );
  return rowCount === 1;
}

/** Schedules the next inquiry. */
export async function scheduleGift(
  db: Queryable,
  id: string,
  schedule: { inMs: number; inquiries: number; absences: number },
): Promise<void> {
  await db.query(
    `update truelink_gift set inquiries = $2, absences = $3, work_at = now() + $4 * interval '1 millisecond'
     where id = $1 and state in ('NEW', 'UNKNOWN')`,
    [id, schedule.inquiries, schedule.absences, schedule.inMs],
  );
}

/** Claims due links under a lease. */
export async function claimDue(db: Queryable, limit: number, leaseMs: number): Promise<Gift[]> {
  const { rows } = await db.query<Gift>(
    `update truelink_gift set ${leaseSql('work_at', "now() + $2 * interval '1 millisecond'")}
     where id in (select id from truelink_gift where work_at <= now() order by work_at limit $1 for update skip locked)
     returning ${GIFT_COLUMNS}`,
    [limit, leaseMs],
    { name: 'gift-claim-due' },
  );
  return rows;
}

export const giftWork: WorkTable = {
  table: 'truelink_gift',
  key: 'id',
  keyType: 'uuid',
  due: 'work_at',
  open: 'w.work_at is not null',
  label: 'w.reference',
  counted: { attempts: 'w.inquiries', error: `'the wallet app does not tell its outcome'`, since: 'w.created_at' },
};

/** Overdue gift links, and gift links that wait for an operator. */
export const giftQueue = {
  queue: 'gift',
  work: [giftWork],
  resolver: `select work_at from truelink_gift where work_at < now()`,
  operator: `select created_at from truelink_gift where state = 'MANUAL'`,
  operatedBy: 'krapao arrivals (docs/runbooks/arrivals.md)',
} satisfies QueueSource;

export async function selectManual(db: Queryable): Promise<{ reference: string; memberId: string }[]> {
  const { rows } = await db.query<{ reference: string; memberId: string }>(
    `select reference, member_id as "memberId" from truelink_gift where state = 'MANUAL' order by created_at limit 1000`,
  );
  return rows;
}

/** MANUAL → UNKNOWN: makes an inquiry due regardless of the gift's age. */
export async function requestInquiry(db: Queryable, reference: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update truelink_gift set state = 'UNKNOWN', inquiries = 0, absences = 0, work_at = now()
     where reference = $1 and state = any($2)`,
    [reference, statesBefore(giftTransitions, 'UNKNOWN', 'MANUAL')],
  );
  return rowCount === 1;
}

/** Credited vouchers, and the number of unsettled links. */
export async function selectVouchers(db: Queryable): Promise<{ credited: ReadonlySet<string>; open: number }> {
  const { rows } = await db.query<{ credited: string[] | null; open: number }>(
    `select array_agg(voucher_id) filter (where state = 'CREDITED') as credited,
            count(*) filter (where state not in ('CREDITED', 'FAILED'))::int as open from truelink_gift`,
  );
  return { credited: new Set(rows[0]?.credited), open: rows[0]?.open ?? 0 };
}

/** The wallet app, while the outcome of a redeemed link is unknown. */
export const walletAppNeeds: PartyNeedSource = async (on) => {
  const { rows } = await on.query<{ count: number }>(
    'select count(*)::int as count from truelink_gift where work_at is not null',
  );
  const count = rows[0]?.count ?? 0;
  if (count === 0) return [];
  const remedy = 'Put it back until `krapao arrivals` lists none of them.';
  return [{ entry: 'walletApp', reason: `${count} gift links are not settled`, remedy }];
};
