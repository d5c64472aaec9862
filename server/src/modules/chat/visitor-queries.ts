import type { Queryable } from '../../platform/database/database.ts';

/** SQL of visitors. */

/** Enters a visitor; without a secret the guest-id alone is their proof. False when the guest-id is entered already. */
export async function insertVisitor(on: Queryable, guestId: string, secretHash: Buffer | null): Promise<boolean> {
  const { rowCount } = await on.query(
    'insert into chat_visitor (guest_id, secret_hash) values ($1, $2) on conflict do nothing',
    [guestId, secretHash],
  );
  return rowCount === 1;
}

export async function isVisitor(on: Queryable, guestId: string): Promise<boolean> {
  const { rowCount } = await on.query('select from chat_visitor where guest_id = $1', [guestId]);
  return rowCount === 1;
}

/** @returns null for a visitor without a secret, undefined for an unknown guest-id */
export async function findSecretHash(on: Queryable, guestId: string): Promise<Buffer | null | undefined> {
  const { rows } = await on.query<{ secretHash: Buffer | null }>(
    'select secret_hash as "secretHash" from chat_visitor where guest_id = $1',
    [guestId],
    { name: 'chat-visitor' },
  );
  return rows[0]?.secretHash;
}

/** Says that a visitor was there, once a day at most. */
export async function touchVisitor(on: Queryable, guestId: string): Promise<void> {
  await on.query(`update chat_visitor set seen_at = now() where guest_id = $1 and seen_at < now() - interval '1 day'`, [
    guestId,
  ]);
}

/**
 * Deletes visitors who have been away this long and have written nothing. A visitor who has written is checked once,
 * and never again.
 */
export async function deleteSilent(on: Queryable, days: number): Promise<void> {
  await on.query(
    `delete from chat_conversation c where last_sequence = 0 and created_at < now() - make_interval(days => $1)
       and not exists (select from chat_file f where f.conversation_id = c.id)`,
    [days],
  );
  await on.query(
    `update chat_visitor v set has_written = true
     where not has_written and seen_at < now() - make_interval(days => $1)
       and exists (select from chat_conversation c where c.kind = 'visitor' and c.customer_id = v.guest_id and c.last_sequence > 0)`,
    [days],
  );
  await on.query(
    `delete from chat_visitor v where not has_written and seen_at < now() - make_interval(days => $1)
       and not exists (select from chat_conversation c where c.kind = 'visitor' and c.customer_id = v.guest_id)`,
    [days],
  );
}
