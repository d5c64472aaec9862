import type { ReplyAuthor } from '../../adapters/chat-backend.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { ReplyId, CustomerRef, StoredMessage } from './chat.ts';
import type { ChatFile } from './files.ts';

/** Channel that notifies all nodes when a message is committed: `kind id sequence`. */
export const CHAT_CHANNEL = 'chat';

const SELECT_COLUMNS = `m.id, m.conversation_id as "conversationId", m.sequence, m.sender,
  jsonb_build_object('message_type', m.type, 'payload', m.payload) as message, m.username, m.name,
  m.device_token as "deviceToken", m.client_id as "clientId",
  m.session_id as "sessionId", m.reference, m.created_at as "createdAt"`;

/** Finds or creates the conversation of a customer. Uploads and first messages need one. */
export async function ensureConversation(db: Queryable, id: string, customer: CustomerRef): Promise<string> {
  const existingId = await findConversation(db, customer);
  if (existingId !== undefined) return existingId;
  await db.query(
    `insert into chat_conversation (id, kind, customer_id) values ($1, $2, $3)
     on conflict on constraint chat_conversation_customer do nothing`,
    [id, customer.kind, customer.id],
  );
  const insertedId = await findConversation(db, customer);
  if (insertedId === undefined) throw new Error('a conversation was not opened');
  return insertedId;
}

async function findConversation(db: Queryable, customer: CustomerRef): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    'select id from chat_conversation where kind = $1 and customer_id = $2',
    [customer.kind, customer.id],
  );
  return rows[0]?.id;
}

/**
 * Reserves the sequence number of a reply and locks the conversation until the transaction ends. A person's reply
 * removes the customer from the queue; a robot's reply only when the customer needs no person.
 * @returns undefined when there is no such conversation
 */
export async function nextReplySequence(
  tx: Tx,
  conversationId: string,
  { author, needsPerson }: ReplyAuthor,
): Promise<{ sequence: number; customer: CustomerRef } | undefined> {
  const { rows } = await tx.query<{ sequence: number; customer: CustomerRef }>(
    `update chat_conversation set last_sequence = last_sequence + 1,
       needs_person = $2::boolean and (needs_person or $3::boolean),
       waiting_since = case when $2::boolean and (needs_person or $3::boolean) then coalesce(waiting_since, now()) end
     where id = $1 returning last_sequence as sequence, json_build_object('kind', kind, 'id', customer_id) as customer`,
    [conversationId, author === 'robot', needsPerson],
  );
  return rows[0];
}

export type NewMessage = Omit<StoredMessage, 'createdAt'> & { inputHash: Buffer | null; answerId: ReplyId | null };

const MESSAGE_COLUMNS = `conversation_id, sequence, id, sender, type, payload, client_id, input_hash, answer_id,
         name, session_id, username, device_token, reference`;

const messageValues = (message: Omit<NewMessage, 'conversationId' | 'sequence'>): unknown[] => [
  message.id,
  message.sender,
  message.message.message_type,
  JSON.stringify(message.message.payload),
  message.clientId,
  message.inputHash,
  message.answerId,
  message.name,
  message.sessionId,
  message.username,
  message.deviceToken,
  message.reference,
];

/** Inserts a reply and notifies the nodes on commit. */
export async function insertReply(tx: Tx, customer: CustomerRef, message: NewMessage): Promise<void> {
  await tx.query(
    `with entered as (
       insert into chat_message (${MESSAGE_COLUMNS})
       values ($13, $14, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning sequence)
     select pg_notify($15, $16 || ' ' || sequence) from entered`,
    [
      ...messageValues(message),
      message.conversationId,
      message.sequence,
      CHAT_CHANNEL,
      `${customer.kind} ${customer.id}`,
    ],
    { name: 'chat-insert-answer' },
  );
}

/**
 * Inserts a customer's message as the next of the conversation, makes it due for forwarding, and notifies the nodes. It
 * is one statement, so it commits alone without a transaction.
 * @returns undefined when the customer has no conversation yet
 */
export async function insertCustomerMessage(
  db: Queryable,
  customer: CustomerRef,
  message: Omit<NewMessage, 'conversationId' | 'sequence'>,
): Promise<{ sequence: number; createdAt: Date } | undefined> {
  const { rows } = await db.query<{ sequence: number; createdAt: Date }>(
    `with counted as (
       update chat_conversation set last_sequence = last_sequence + 1, waiting_since = coalesce(waiting_since, now()),
         forward_at = coalesce(forward_at, now())
       where kind = $13 and customer_id = $14 returning id, last_sequence),
     entered as (
       insert into chat_message (${MESSAGE_COLUMNS})
       select id, last_sequence, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 from counted
       returning sequence, created_at)
     select sequence, created_at as "createdAt", pg_notify($15, $16 || ' ' || sequence) from entered`,
    [...messageValues(message), customer.kind, customer.id, CHAT_CHANNEL, `${customer.kind} ${customer.id}`],
    { name: 'chat-enter-message' },
  );
  return rows[0];
}

/** Finds the message that a customer sent with an idempotency key, with the hash of its request. */
export async function findMessageByKey(
  db: Queryable,
  customer: CustomerRef,
  clientId: string,
): Promise<(StoredMessage & { inputHash: Buffer }) | undefined> {
  const { rows } = await db.query<StoredMessage & { inputHash: Buffer }>(
    `select ${SELECT_COLUMNS}, m.input_hash as "inputHash" from chat_conversation c join chat_message m on m.conversation_id = c.id
     where c.kind = $1 and c.customer_id = $2 and m.client_id = $3 and m.client_id <> ''`,
    [customer.kind, customer.id, clientId],
  );
  return rows[0];
}

/** Messages of a customer's conversation, newest first. Sequences have no gaps, so skipped rows are not read. */
export async function selectHistory(
  db: Queryable,
  customer: CustomerRef,
  { skip, limit }: { skip: number; limit: number },
): Promise<StoredMessage[]> {
  const { rows } = await db.query<StoredMessage>(
    `select ${SELECT_COLUMNS} from chat_conversation c join chat_message m on m.conversation_id = c.id
       and m.sequence <= c.last_sequence - $3::int and m.sequence > c.last_sequence - $3::int - $4::int
     where c.kind = $1 and c.customer_id = $2 order by m.sequence desc`,
    [customer.kind, customer.id, skip, limit],
    { name: 'chat-history' },
  );
  return rows;
}

/** Messages after a sequence, oldest first. */
export async function selectMessagesAfter(
  db: Queryable,
  customer: CustomerRef,
  afterSequence: number,
  limit: number,
): Promise<StoredMessage[]> {
  const { rows } = await db.query<StoredMessage>(
    `select ${SELECT_COLUMNS} from chat_conversation c join chat_message m on m.conversation_id = c.id and m.sequence > $3::int
     where c.kind = $1 and c.customer_id = $2 order by m.sequence limit $4`,
    [customer.kind, customer.id, afterSequence, limit],
    { name: 'chat-after' },
  );
  return rows;
}

/** Counts unread replies, up to `maxCount`. */
export async function countUnread(db: Queryable, customer: CustomerRef, maxCount: number): Promise<number> {
  const { rows } = await db.query<{ unread: number }>(
    `select count(*)::int as unread from (
       select from chat_conversation c join chat_message m on m.conversation_id = c.id and m.sender = 'other'
         and m.sequence > c.read_sequence
       where c.kind = $1 and c.customer_id = $2 limit $3) newest`,
    [customer.kind, customer.id, maxCount],
  );
  return rows[0]?.unread ?? 0;
}

export async function markConversationRead(db: Queryable, customer: CustomerRef): Promise<void> {
  await db.query(
    `update chat_conversation set read_sequence = last_sequence
     where kind = $1 and customer_id = $2 and read_sequence < last_sequence`,
    [customer.kind, customer.id],
  );
}

/**
 * Inserts a visitor; without a secret the guest-id alone authenticates them. @returns false when the guest-id exists
 */
export async function insertVisitor(db: Queryable, guestId: string, secretHash: Buffer | null): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into chat_visitor (guest_id, secret_hash) values ($1, $2) on conflict do nothing',
    [guestId, secretHash],
  );
  return rowCount === 1;
}

export async function isVisitor(db: Queryable, guestId: string): Promise<boolean> {
  const { rowCount } = await db.query('select from chat_visitor where guest_id = $1', [guestId]);
  return rowCount === 1;
}

/** @returns null for a visitor without a secret, undefined for an unknown guest-id */
export async function findSecretHash(db: Queryable, guestId: string): Promise<Buffer | null | undefined> {
  const { rows } = await db.query<{ secretHash: Buffer | null }>(
    'select secret_hash as "secretHash" from chat_visitor where guest_id = $1',
    [guestId],
    { name: 'chat-visitor' },
  );
  return rows[0]?.secretHash;
}

/** Updates the visitor's last-seen time, at most once a day. */
export async function touchVisitor(db: Queryable, guestId: string): Promise<void> {
  await db.query(`update chat_visitor set seen_at = now() where guest_id = $1 and seen_at < now() - interval '1 day'`, [
    guestId,
  ]);
}

/**
 * Deletes visitors without messages who were last seen this many days ago. A visitor with messages is marked and not
 * checked again.
 */
export async function deleteInactiveVisitors(db: Queryable, days: number): Promise<void> {
  await db.query(
    `delete from chat_conversation c where last_sequence = 0 and created_at < now() - make_interval(days => $1)
       and not exists (select from chat_file f where f.conversation_id = c.id)`,
    [days],
  );
  await db.query(
    `update chat_visitor v set has_written = true
     where not has_written and seen_at < now() - make_interval(days => $1)
       and exists (select from chat_conversation c where c.kind = 'visitor' and c.customer_id = v.guest_id and c.last_sequence > 0)`,
    [days],
  );
  await db.query(
    `delete from chat_visitor v where not has_written and seen_at < now() - make_interval(days => $1)
       and not exists (select from chat_conversation c where c.kind = 'visitor' and c.customer_id = v.guest_id)`,
    [days],
  );
}

/** Registers an object before it is stored. */
export async function insertFile(db: Queryable, conversationId: string, file: ChatFile): Promise<void> {
  await db.query(
    'insert into chat_file (key, conversation_id, kind, content_type, bytes) values ($1, $2, $3, $4, $5)',
    [file.key, conversationId, file.kind, file.contentType, file.bytes],
  );
}

export async function findFile(db: Queryable, key: string): Promise<ChatFile | undefined> {
  const { rows } = await db.query<ChatFile>(
    'select key, kind, content_type as "contentType", bytes::float8 as bytes from chat_file where key = $1',
    [key],
    { name: 'chat-file' },
  );
  return rows[0];
}

/**
 * Keys of files older than `hours` that no message uses. Messages can't use them any more: see {@link markFileUsed}.
 */
export async function selectUnusedFileKeys(
  db: Queryable,
  hours: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>(
    `select key from chat_file where used_at is null and created_at < now() - make_interval(hours => $1)
     order by created_at, key limit $2 offset $3`,
    [hours, limit, offset],
  );
  return rows.map(({ key }) => key);
}

export async function deleteFile(db: Queryable, key: string): Promise<void> {
  await db.query('delete from chat_file where key = $1 and used_at is null', [key]);
}

/**
 * Marks a file as used by a message. False when the conversation has no such file of this kind, or when the file is so
 * old that the sweep may delete it.
 */
export async function markFileUsed(
  db: Queryable,
  conversationId: string,
  { key, kind, hours }: { key: string; kind: string; hours: number },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update chat_file set used_at = coalesce(used_at, now())
     where key = $1 and conversation_id = $2 and kind = $3
       and (used_at is not null or created_at > now() - make_interval(hours => $4))`,
    [key, conversationId, kind, hours],
  );
  return rowCount === 1;
}
