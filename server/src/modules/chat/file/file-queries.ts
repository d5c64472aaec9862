import type { Queryable } from '../../../platform/database/database.ts';
import type { ChatFile } from './chat-file.ts';

/** SQL of files of conversations. */

/** Says that an object is about to be put; before it is. */
export async function insertFile(on: Queryable, conversationId: string, file: ChatFile): Promise<void> {
  await on.query(
    'insert into chat_file (key, conversation_id, kind, content_type, bytes) values ($1, $2, $3, $4, $5)',
    [file.key, conversationId, file.kind, file.contentType, file.bytes],
  );
}

export async function findFile(on: Queryable, key: string): Promise<ChatFile | undefined> {
  const { rows } = await on.query<ChatFile>(
    'select key, kind, content_type as "contentType", bytes::float8 as bytes from chat_file where key = $1',
    [key],
    { name: 'chat-file' },
  );
  return rows[0];
}

/** Keys of files that no message names, `hours` old. A message can't name them any more: see {@link useFile}. */
export async function selectUnused(
  on: Queryable,
  hours: number,
  { limit, passedOver }: { limit: number; passedOver: number },
): Promise<string[]> {
  const { rows } = await on.query<{ key: string }>(
    `select key from chat_file where used_at is null and created_at < now() - make_interval(hours => $1)
     order by created_at, key limit $2 offset $3`,
    [hours, limit, passedOver],
  );
  return rows.map(({ key }) => key);
}

export async function deleteFile(on: Queryable, key: string): Promise<void> {
  await on.query('delete from chat_file where key = $1 and used_at is null', [key]);
}

/**
 * Says that a message names a file. False when the conversation has no such file of this kind, or when it has waited so
 * long for a message that it may be gone at any moment.
 */
export async function useFile(
  on: Queryable,
  conversationId: string,
  { key, kind, hours }: { key: string; kind: string; hours: number },
): Promise<boolean> {
  const { rowCount } = await on.query(
    `update chat_file set used_at = coalesce(used_at, now())
     where key = $1 and conversation_id = $2 and kind = $3
       and (used_at is not null or created_at > now() - make_interval(hours => $4))`,
    [key, conversationId, kind, hours],
  );
  return rowCount === 1;
}
