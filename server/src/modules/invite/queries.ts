import { type Currency, type Minor, minor } from '@krapao/contract/money';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { afterCursorSql, cursorSql, nextCursor, type PageRequest } from '../../platform/database/paging.ts';
import type { Invite, Inviter } from './invite.ts';

export async function isBlocked(on: Queryable, memberId: string): Promise<boolean> {
  const { rowCount } = await on.query('select from invite_blocked where member_id = $1', [memberId]);
  return rowCount > 0;
}

export async function selectBlock(on: Queryable, memberId: string): Promise<string | undefined> {
  const { rows } = await on.query<{ note: string }>('select note from invite_blocked where member_id = $1', [memberId]);
  return rows[0]?.note;
}

/** @returns false if the member is blocked already */
export async function insertBlock(tx: Tx, memberId: string, note: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into invite_blocked (member_id, note) values ($1, $2) on conflict do nothing',
    [memberId, note],
  );
  return rowCount === 1;
}

/** @returns false if the member is not blocked */
export async function deleteBlock(tx: Tx, memberId: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from invite_blocked where member_id = $1', [memberId]);
  return rowCount === 1;
}

type MemberRef = { id: string; currency: Currency };

/** Links an invitee to the inviter, and creates the inviter's row. */
export async function insertInvite(
  tx: Tx,
  inviter: MemberRef,
  invitee: MemberRef & { createdAt: Date },
): Promise<void> {
  await tx.query(
    `insert into invite (inviter_id, member_id, currency, created_at) values ($1, $2, $3, $4)
     on conflict do nothing`,
    [inviter.id, invitee.id, invitee.currency, invitee.createdAt],
  );
  await tx.query('insert into invite_inviter (member_id, currency) values ($1, $2) on conflict do nothing', [
    inviter.id,
    inviter.currency,
  ]);
}

const INVITER_COLUMNS = `member_id as "memberId", currency, unclaimed, remainder, claims, is_crediting as "isCrediting",
  looked_at as "lookedAt", exists (select from invite_blocked b where b.member_id = i.member_id) as "isBlocked"`;

type InviterJson = Omit<Inviter, 'unclaimed' | 'remainder' | 'lookedAt'> &
  Record<'unclaimed' | 'remainder' | 'lookedAt', string>;

/** Undefined for a member without invitees. */
export const inviterRow: SnapshotField<Inviter | undefined> = snapshotField(
  `select json_build_object('memberId', i.member_id, 'currency', i.currency, 'unclaimed', i.unclaimed::text,
     'remainder', i.remainder::text, 'claims', i.claims, 'isCrediting', i.is_crediting, 'lookedAt', i.looked_at,
     'isBlocked', exists (select from invite_blocked b where b.member_id = i.member_id))
   from invite_inviter i where i.member_id = asked.member_id`,
  (row: InviterJson | null) =>
    row
      ? {
          ...row,
          unclaimed: minor(BigInt(row.unclaimed)),
          remainder: BigInt(row.remainder),
          lookedAt: new Date(row.lookedAt),
        }
      : undefined,
);

/** The inviter's row, locked until the transaction ends. */
export async function lockInviter(tx: Tx, memberId: string): Promise<Inviter | undefined> {
  const { rows } = await tx.query<Inviter>(
    `select ${INVITER_COLUMNS} from invite_inviter i where member_id = $1 for no key update`,
    [memberId],
  );
  return rows[0];
}

/**
 * Claims the update of an inviter's invitees and locks the inviter's row. @returns false if no update is due, or
 * another process runs it
 */
export async function claimTurnoverUpdate(tx: Tx, memberId: string, at: Date, updatedBefore: Date): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update invite_inviter set looked_at = $2 where member_id = (
       select member_id from invite_inviter where member_id = $1 and looked_at <= $3 for no key update skip locked)`,
    [memberId, at, updatedBefore],
  );
  return rowCount > 0;
}

/** Invitees whose play counts, least recently updated first. */
export async function selectDueInvitees(
  tx: Tx,
  inviterId: string,
  limit: number,
): Promise<{ memberId: string; hasDeposit: boolean }[]> {
  const { rows } = await tx.query<{ memberId: string; hasDeposit: boolean }>(
    `select v.member_id as "memberId", v.has_deposit as "hasDeposit"
       from invite v join invite_inviter i on i.member_id = v.inviter_id and i.currency = v.currency
      where v.inviter_id = $1 order by v.looked_at limit $2`,
    [inviterId, limit],
  );
  return rows;
}

export async function selectPlayReadPositions(
  tx: Tx,
  inviterId: string,
  memberIds: readonly string[],
): Promise<{ memberId: string; kind: string; seq: bigint }[]> {
  const { rows } = await tx.query<{ memberId: string; kind: string; seq: bigint }>(
    'select member_id as "memberId", kind, seq from invite_play where inviter_id = $1 and member_id = any($2)',
    [inviterId, memberIds],
  );
  return rows;
}

/** New play of an invitee in one game. */
export type TurnoverDelta = { memberId: string; kind: string; turnover: Minor | null; losses: bigint; seq: bigint };

/** Adds new losses or winnings. Of a reported turnover the highest value is kept. */
export async function addTurnover(tx: Tx, inviterId: string, deltas: readonly TurnoverDelta[]): Promise<void> {
  await tx.query(
    `insert into invite_play as p (inviter_id, member_id, kind, turnover, losses, seq)
     select $1, n.member_id, n.kind, n.turnover, n.losses, n.seq
       from unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
         as n (member_id, kind, turnover, losses, seq)
     on conflict (inviter_id, member_id, kind) do update
       set turnover = greatest(p.turnover, excluded.turnover), losses = p.losses + excluded.losses,
         seq = greatest(p.seq, excluded.seq)`,
    [
      inviterId,
      deltas.map(({ memberId }) => memberId),
      deltas.map(({ kind }) => kind),
      deltas.map(({ turnover }) => turnover),
      deltas.map(({ losses }) => losses),
      deltas.map(({ seq }) => seq),
    ],
  );
}

/** Recalculates the play of invitees, which never decreases, and then the inviter's unpaid play. */
export async function sumTurnover(
  tx: Tx,
  inviterId: string,
  update: { at: Date; memberIds: readonly string[]; withDeposit: readonly string[] },
): Promise<void> {
  await tx.query(
    `update invite v set looked_at = $2, has_deposit = v.has_deposit or v.member_id = any($4),
       played = greatest(v.played, coalesce((
         select sum(coalesce(p.turnover, greatest(p.losses, 0))) from invite_play p
          where p.inviter_id = v.inviter_id and p.member_id = v.member_id), 0))
     where v.inviter_id = $1 and v.member_id = any($3)`,
    [inviterId, update.at, update.memberIds, update.withDeposit],
  );
  await tx.query(
    `update invite_inviter set unclaimed = (select coalesce(sum(played - claimed), 0) from invite where inviter_id = $1)
     where member_id = $1`,
    [inviterId],
  );
}

/** Whether any play of any invitee is known. */
export async function hasTurnover(on: Queryable, inviterId: string): Promise<boolean> {
  const { rowCount } = await on.query('select from invite where inviter_id = $1 and played > 0 limit 1', [inviterId]);
  return rowCount > 0;
}

/** Marks all known play as paid. @param percentBasisPoints percentage paid, in basis points */
export async function claimTurnover(
  tx: Tx,
  inviterId: string,
  percentBasisPoints: bigint,
  remainder: bigint,
): Promise<void> {
  await tx.query(
    `update invite set earned = earned + (played - claimed) * $2::bigint, claimed = played
     where inviter_id = $1 and played > claimed`,
    [inviterId, percentBasisPoints],
  );
  await tx.query(
    `update invite_inviter set unclaimed = 0, remainder = $2, claims = claims + 1, is_crediting = true where member_id = $1`,
    [inviterId, remainder],
  );
}

/** Records that all claims up to a number are credited to the wallet. */
export async function markCredited(on: Queryable, inviterId: string, claims: number): Promise<void> {
  await on.query('update invite_inviter set is_crediting = false where member_id = $1 and claims = $2', [
    inviterId,
    claims,
  ]);
}

const INVITE_ORDER = { time: 'created_at', key: 'member_id', keyType: 'uuid' } as const;

/** A page of invitees, newest first. */
export async function selectInvites(
  on: Queryable,
  inviterId: string,
  request: PageRequest,
): Promise<{ total: number; invites: Invite[]; next: string | undefined }> {
  const { page, limit, before = null } = request;
  const { rows: totalRows } = await on.query<{ total: number }>(
    `select count(*)::int as total from invite where inviter_id = $1 and ${afterCursorSql(INVITE_ORDER, '$2')}`,
    [inviterId, before],
  );
  const { rows: invites } = await on.query<Invite & { cursor: string }>(
    `select member_id as "memberId", created_at as "createdAt", played, claimed, earned,
            ${cursorSql(INVITE_ORDER)} as cursor
       from invite where inviter_id = $1 and ${afterCursorSql(INVITE_ORDER, '$4')}
      order by created_at desc, member_id desc limit $2 offset $3`,
    [inviterId, limit, (page - 1) * limit, before],
  );
  const total = totalRows[0]?.total ?? 0;
  return { total, invites, next: nextCursor(request, { total, last: invites.at(-1)?.cursor }) };
}
