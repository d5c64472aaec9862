import { otpTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import type { PhoneProof, PhoneState, SendHistory, StoredOtp } from './otp.ts';

const PROOF_COLUMNS = 'verified_until as "verifiedUntil", proved_from as "provedFrom", proved_with as "provedWith"';

/** Locks the phone's row, so that requests of one phone run one after the other. */
export async function lockPhone(tx: Tx, phone: string): Promise<PhoneState> {
  await tx.query('insert into otp_phone (phone) values ($1) on conflict do nothing', [phone]);
  const { rows } = await tx.query<PhoneState>(
    `select ${PROOF_COLUMNS}, blocked_until as "blockedUntil"
     from otp_phone where phone = $1 for update`,
    [phone],
  );
  return rows[0] as PhoneState;
}

export async function selectProof(db: Queryable, phone: string): Promise<PhoneProof | undefined> {
  const { rows } = await db.query<PhoneProof>(`select ${PROOF_COLUMNS} from otp_phone where phone = $1`, [phone]);
  return rows[0];
}

/**
 * Counts the codes sent to a phone since each of two times, until a third. Codes with a later time come from a clock
 * that was ahead and don't count.
 */
export async function selectHistory(
  tx: Tx,
  phone: string,
  { since, daySince, until }: { since: Date; daySince: Date; until: Date },
): Promise<SendHistory> {
  const { rows } = await tx.query<SendHistory>(
    `select max(created_at) filter (where created_at > $2) as "lastAt",
       count(*) filter (where created_at > $2)::int as "inWindow",
       min(created_at) filter (where created_at > $2) as "oldestInWindow",
       count(*) filter (where created_at > $3)::int as "inDay",
       min(created_at) filter (where created_at > $3) as "oldestInDay"
     from otp where phone = $1 and created_at > least($2, $3) and created_at <= $4`,
    [phone, since, daySince, until],
  );
  return rows[0] as SendHistory;
}

export type NewOtp = {
  tokenHash: Buffer;
  phone: string;
  ref: string;
  codeHash: Buffer;
  createdAt: Date;
  expiresAt: Date;
};

/** Inserts a code that is about to be sent. It is not valid yet. */
export async function insertOtp(tx: Tx, otp: NewOtp): Promise<void> {
  await tx.query(
    `insert into otp (token_hash, phone, ref, code_hash, state, created_at, expires_at)
     values ($1, $2, $3, $4, 'sending', $5, $6)`,
    [otp.tokenHash, otp.phone, otp.ref, otp.codeHash, otp.createdAt, otp.expiresAt],
  );
}

export async function deleteOtp(db: Queryable, tokenHash: Buffer): Promise<void> {
  await db.query('delete from otp where token_hash = $1', [tokenHash]);
}

/** Makes a sent code the valid code of its phone. */
export async function activateOtp(tx: Tx, tokenHash: Buffer, phone: string, expiresAt: Date): Promise<void> {
  await tx.query(`update otp set state = 'replaced' where phone = $1 and state = any($2)`, [
    phone,
    statesBefore(otpTransitions, 'replaced'),
  ]);
  await tx.query(`update otp set state = 'live', expires_at = $2 where token_hash = $1 and state = any($3)`, [
    tokenHash,
    expiresAt,
    statesBefore(otpTransitions, 'live'),
  ]);
}

export async function selectPhoneOfToken(db: Queryable, tokenHash: Buffer): Promise<string | undefined> {
  const { rows } = await db.query<{ phone: string }>('select phone from otp where token_hash = $1', [tokenHash]);
  return rows[0]?.phone;
}

export async function selectOtp(tx: Tx, tokenHash: Buffer): Promise<StoredOtp | undefined> {
  const { rows } = await tx.query<StoredOtp>(
    `select state, code_hash as "codeHash", wrong_tries as "wrongTries", expires_at as "expiresAt"
     from otp where token_hash = $1`,
    [tokenHash],
  );
  return rows[0];
}

/** Counts a wrong try. With `blockUntil`, the code ends and its phone is blocked until then. */
export async function countWrongTry(tx: Tx, tokenHash: Buffer, phone: string, blockUntil?: Date): Promise<void> {
  await tx.query('update otp set wrong_tries = wrong_tries + 1 where token_hash = $1', [tokenHash]);
  if (!blockUntil) return;
  await tx.query(`update otp set state = 'blocked' where token_hash = $1 and state = any($2)`, [
    tokenHash,
    statesBefore(otpTransitions, 'blocked'),
  ]);
  await tx.query('update otp_phone set blocked_until = $2 where phone = $1', [phone, blockUntil]);
}

/**
 * Consumes a code and marks its phone as verified, for callers with its token or from `network` (null: token only).
 */
export async function consumeOtp(
  tx: Tx,
  tokenHash: Buffer,
  phone: string,
  { verifiedUntil, network }: { verifiedUntil: Date; network: string | null },
): Promise<void> {
  await tx.query(`update otp set state = 'consumed' where token_hash = $1 and state = any($2)`, [
    tokenHash,
    statesBefore(otpTransitions, 'consumed'),
  ]);
  await tx.query('update otp_phone set verified_until = $2, proved_from = $3, proved_with = $4 where phone = $1', [
    phone,
    verifiedUntil,
    network,
    tokenHash,
  ]);
}

/** Phone, network or device of a caller that may have verified a phone before. */
export type KnownIdentifier = { kind: 'phone' | 'address' | 'device'; name: string };

/** Returns the kinds of the identifiers that have verified a phone since a time. */
export async function findKnownIdentifiers(
  db: Queryable,
  identifiers: readonly KnownIdentifier[],
  since: Date,
): Promise<ReadonlySet<KnownIdentifier['kind']>> {
  const { rows } = await db.query<{ kind: KnownIdentifier['kind'] }>(
    `select k.kind from otp_known k join unnest($1::text[], $2::text[]) as a (kind, name)
       on k.kind = a.kind and k.name = a.name where k.verified_at > $3`,
    [identifiers.map(({ kind }) => kind), identifiers.map(({ name }) => name), since],
  );
  return new Set(rows.map(({ kind }) => kind));
}

/**
 * Stores identifiers that have verified a phone. Sorted, so that concurrent transactions lock the rows in one order.
 */
export async function rememberIdentifiers(
  tx: Tx,
  identifiers: readonly KnownIdentifier[],
  verifiedAt: Date,
): Promise<void> {
  await tx.query(
    `insert into otp_known (kind, name, verified_at)
     select kind, name, $3 from unnest($1::text[], $2::text[]) as k (kind, name) order by kind, name
     on conflict (kind, name) do update set verified_at = excluded.verified_at`,
    [identifiers.map(({ kind }) => kind), identifiers.map(({ name }) => name), verifiedAt],
  );
}

/** Deletes identifiers that have not verified a phone since `cutoff`. */
export async function deleteIdentifiersBefore(db: Queryable, cutoff: Date): Promise<void> {
  await db.query('delete from otp_known where verified_at < $1', [cutoff]);
}

/** Deletes codes created before `cutoff`, and phones without codes, verification or block. */
export async function deleteOtpsBefore(db: Queryable, cutoff: Date): Promise<void> {
  await db.query('delete from otp where created_at < $1', [cutoff]);
  await db.query(
    `delete from otp_phone p where coalesce(verified_until, $1) <= $1 and coalesce(blocked_until, $1) <= $1
       and not exists (select from otp o where o.phone = p.phone)`,
    [cutoff],
  );
}

/** Until when a phone gets no codes, after wrong ones; undefined when it is not blocked. */
export async function selectBlockedUntil(db: Queryable, phone: string): Promise<Date | undefined> {
  const { rows } = await db.query<{ blockedUntil: Date }>(
    'select blocked_until as "blockedUntil" from otp_phone where phone = $1 and blocked_until > now()',
    [phone],
  );
  return rows[0]?.blockedUntil;
}

/** Lets a phone get codes again. @returns false if it is not blocked */
export async function unblockPhone(tx: Tx, phone: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update otp_phone set blocked_until = null where phone = $1 and blocked_until > now()',
    [phone],
  );
  return rowCount === 1;
}
