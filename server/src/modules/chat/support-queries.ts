import type { CustomerMessage } from '@krapao/contract/endpoints/chat';
import type { Queryable } from '../../platform/database/database.ts';
import { hideFromPlanner } from '../../platform/database/statements.ts';
import type { WorkTable } from '../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../platform/jobs/leases.ts';
import type { QueueSource } from '../../platform/jobs/queues.ts';
import type { CustomerRef, StoredMessage } from './chat.ts';

/** A claimed conversation with messages to forward, as it was at the claim. */
export type ForwardingClaim = {
  conversationId: string;
  customer: CustomerRef;
  forwardedSequence: number;
  lastSequence: number;
  /** Includes the current try. */
  tries: number;
};

/** Conversations with messages to forward. */
export const forwardingWork: WorkTable = {
  table: 'chat_conversation',
  key: 'id',
  keyType: 'uuid',
  due: 'forward_at',
  open: 'w.forward_at is not null',
  label: 'w.id',
  counted: {
    attempts: 'w.forward_tries',
    error: `'the chat backend does not take its next message'`,
    since: 'w.forward_at',
  },
};

/** Claims due conversations. Other nodes can't claim them until the lease expires. */
export async function claimUnforwarded(db: Queryable, limit: number, leaseMs: number): Promise<ForwardingClaim[]> {
  const { rows } = await db.query<ForwardingClaim>(
    `update chat_conversation set ${leaseSql('forward_at', "now() + $2 * interval '1 millisecond'")}, forward_tries = forward_tries + 1
     where id in (select id from chat_conversation where forward_at <= now() order by forward_at limit $1 for update skip locked)
     returning id as "conversationId", json_build_object('kind', kind, 'id', customer_id) as customer,
       forwarded_sequence as "forwardedSequence", last_sequence as "lastSequence", forward_tries as tries`,
    [limit, leaseMs],
    { name: 'chat-claim-unforwarded' },
  );
  return rows;
}

export type UnforwardedMessage = {
  id: string;
  sequence: number;
  message: CustomerMessage;
  name: string;
  username: string;
  deviceToken: string;
  reference: string | null;
  createdAt: Date;
};

/** The customer's first message after a sequence. */
export async function nextUnforwarded(
  db: Queryable,
  conversationId: string,
  afterSequence: number,
): Promise<UnforwardedMessage | undefined> {
  const { rows } = await db.query<UnforwardedMessage>(
    `select id, sequence, jsonb_build_object('message_type', type, 'payload', payload) as message, name, username,
       device_token as "deviceToken", reference,
       created_at as "createdAt"
     from chat_message where conversation_id = $1 and sequence > ${hideFromPlanner('$2::bigint')} and sender = 'customer' order by sequence limit 1`,
    [conversationId, afterSequence],
    { name: 'chat-next-unforwarded' },
  );
  return rows[0];
}

/** Marks the customer's messages up to this sequence as forwarded. Later messages are due immediately. */
export async function markForwarded(db: Queryable, conversationId: string, sequence: number): Promise<void> {
  await db.query(
    `update chat_conversation set forwarded_sequence = greatest(forwarded_sequence, $2::int), forward_tries = 0,
       forward_at = case when last_sequence > greatest(forwarded_sequence, $2::int) then now() end
     where id = $1`,
    [conversationId, sequence],
  );
}

/** Schedules a retry, unless another node has forwarded the message. */
export async function postponeForwarding(
  db: Queryable,
  conversationId: string,
  { forwardedSequence, inMs }: { forwardedSequence: number; inMs: number },
): Promise<void> {
  await db.query(
    `update chat_conversation set forward_at = now() + $3 * interval '1 millisecond' where id = $1 and forwarded_sequence = $2`,
    [conversationId, forwardedSequence, inMs],
  );
}

/** Number of messages of customers that have not been forwarded to the backend. */
export async function countUnforwarded(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from chat_conversation c join chat_message m on m.conversation_id = c.id
       and m.sequence > c.forwarded_sequence and m.sender = 'customer'
     where c.forward_at is not null`,
  );
  return rows[0]?.count ?? 0;
}

/** Queries of the operator commands. */

type MessageContent = Pick<StoredMessage, 'sequence' | 'sender' | 'message' | 'createdAt'>;

export type WaitingConversation = { id: string; customer: CustomerRef; ageMs: number; lastMessage: MessageContent };

const MESSAGE_COLUMNS = `m.sequence, m.sender, m.created_at as "createdAt",
  jsonb_build_object('message_type', m.type, 'payload', m.payload) as message`;

/** Conversations whose last message is unanswered, longest waiting first. */
export async function selectWaitingConversations(db: Queryable, limit: number): Promise<WaitingConversation[]> {
  type Row = Omit<WaitingConversation, 'lastMessage'> & MessageContent;
  const { rows } = await db.query<Row>(
    `select c.id, json_build_object('kind', c.kind, 'id', c.customer_id) as customer,
            (extract(epoch from now() - c.waiting_since) * 1000)::float8 as "ageMs", ${MESSAGE_COLUMNS}
       from chat_conversation c join chat_message m on m.conversation_id = c.id and m.sequence = c.last_sequence
      where c.waiting_since is not null order by c.waiting_since, c.id limit $1`,
    [limit],
  );
  return rows.map(({ id, customer, ageMs, ...lastMessage }) => ({ id, customer, ageMs, lastMessage }));
}

/** The customer of a conversation; undefined when there is no such conversation. */
export async function findCustomer(db: Queryable, conversationId: string): Promise<CustomerRef | undefined> {
  const { rows } = await db.query<CustomerRef>('select kind, customer_id as id from chat_conversation where id = $1', [
    conversationId,
  ]);
  return rows[0];
}

export async function findConversation(db: Queryable, customer: CustomerRef): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    'select id from chat_conversation where kind = $1 and customer_id = $2',
    [customer.kind, customer.id],
  );
  return rows[0]?.id;
}

/** Conversations whose last message is unanswered. */
export const chatQueue = {
  queue: 'chat',
  work: [forwardingWork],
  operator: `select waiting_since from chat_conversation where waiting_since is not null`,
  operatedBy: 'krapao chat (docs/runbooks/chat.md)',
} satisfies QueueSource;
