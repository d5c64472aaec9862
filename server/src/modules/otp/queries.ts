import { otpTransitions } from '@krapao/contract/states';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import type { PhoneProof, PhoneState, SendHistory, StoredOtp } from './otp.ts';

const PROOF = 'verified_until as "verifiedUntil", proved_from as "provedFrom", proved_with as "provedWith"';

/** Locks what all codes of a phone share, so that its requests happen one after the other. */
export async function lockPhone(tx: Tx, phone: string): Promise<PhoneState> {
  await tx.query('insert into otp_phone (phone) values ($1) on conflict do nothing', [phone]);
  const { rows } = await tx.query<PhoneState>(
    `select ${PROOF}, blocked_until as "blockedUntil"
     from otp_phone where phone = $1 for update`,
    [phone],
  );
  return rows[0] as PhoneState;
}

export async function selectProof(db: Queryable, phone: string): Promise<PhoneProof | undefined> {
  const { rows } = await db.query<PhoneProof>(`select ${PROOF} from otp_phone where phone = $1`, [phone]);
  return rows[0];
}

/**
 * Codes of a phone that were sent, or are being sent, since two moments until a third: those of a clock that was ahead
 * don't count.
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

/** Keeps a code that is about to be sent. It can't be used yet. */
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

/** Counts a wrong try; the last one ends the code and blocks its phone for a while. */
export async function countWrongTry(tx: Tx, tokenHash: Buffer, phone: string, blockUntil?: Date): Promise<void> {
  await tx.query('update otp set wrong_tries = wrong_tries + 1 where token_hash = $1', [tokenHash]);
  if (!blockUntil) return;
  await tx.query(`update otp set state = 'blocked' where token_hash = $1 and state = any($2)`, [
    tokenHash,
    statesBefore(otpTransitions, 'blocked'),
  ]);
  await tx.query('update otp_phone set blocked_until = $2 where phone = $1', [phone, blockUntil]);
}

/** Consumes a code: its phone is proved for callers with its token or from network `from` (null: token only). */
export async function consumeOtp(
  tx: Tx,
  tokenHash: Buffer,
  phone: string,
  { until, from }: { until: Date; from: string | null },
): Promise<void> {
  await tx.query(`update otp set state = 'consumed' where token_hash = $1 and state = any($2)`, [
    tokenHash,
    statesBefore(otpTransitions, 'consumed'),
  ]);
  await tx.query('update otp_phone set verified_until = $2, proved_from = $3, proved_with = $4 where phone = $1', [
    phone,
    until,
    from,
    tokenHash,
  ]);
}

/** What a caller comes with that may have proved a phone before. */
export type KnownIdentifier = { kind: 'phone' | 'address' | 'device'; name: string };

/** Which of these have proved a phone since a moment. */
export async function findKnownIdentifiers(
  db: Queryable,
  asked: readonly KnownIdentifier[],
  since: Date,
): Promise<ReadonlySet<KnownIdentifier['kind']>> {
  const { rows } = await db.query<{ kind: KnownIdentifier['kind'] }>(
    `select k.kind from otp_known k join unnest($1::text[], $2::text[]) as a (kind, name)
       on k.kind = a.kind and k.name = a.name where k.verified_at > $3`,
    [asked.map(({ kind }) => kind), asked.map(({ name }) => name), since],
  );
  return new Set(rows.map(({ kind }) => kind));
}

/** Remembers who has proved a phone. Sorted, so that two proofs at one moment lock the rows in one order. */
export async function rememberIdentifiers(tx: Tx, known: readonly KnownIdentifier[], at: Date): Promise<void> {
  await tx.query(
    `insert into otp_known (kind, name, verified_at)
     select kind, name, $3 from unnest($1::text[], $2::text[]) as k (kind, name) order by kind, name
     on conflict (kind, name) do update set verified_at = excluded.verified_at`,
    [known.map(({ kind }) => kind), known.map(({ name }) => name), at],
  );
}

/** Forgets who has not proved a phone since a moment. */
export async function deleteIdentifiersBefore(db: Queryable, moment: Date): Promise<void> {
  await db.query('delete from otp_known where verified_at < $1', [moment]);
}

/** Removes codes from before a moment and what is kept of phones that have none any more. */
export async function deleteOtpsBefore(db: Queryable, moment: Date): Promise<void> {
  await db.query('delete from otp where created_at < $1', [moment]);
  await db.query(
    `delete from otp_phone p where coalesce(verified_until, $1) <= $1 and coalesce(blocked_until, $1) <= $1
       and not exists (select from otp o where o.phone = p.phone)`,
    [moment],
  );
}
