import type { Queryable } from '../../../platform/database/database.ts';
import type { CustomerRef, StoredMessage } from '../chat.ts';
import { forwardingWork } from '../backend/backend-queries.ts';
import type { QueueSource } from '../../../settlement/queues.ts';

/** SQL of what operators see of conversations. */

type Words = Pick<StoredMessage, 'sequence' | 'sender' | 'message' | 'createdAt'>;

export type WaitingConversation = { id: string; customer: CustomerRef; ageMs: number; last: Words };

const WORDS = `m.sequence, m.sender, m.created_at as "createdAt",
  jsonb_build_object('message_type', m.type, 'payload', m.payload) as message`;

/** Conversations whose last message is unanswered, longest waiting first. */
export async function selectWaiting(on: Queryable, limit: number): Promise<WaitingConversation[]> {
  type Row = Omit<WaitingConversation, 'last'> & Words;
  const { rows } = await on.query<Row>(
    `select c.id, json_build_object('kind', c.kind, 'id', c.customer_id) as customer,
            (extract(epoch from now() - c.waiting_since) * 1000)::float8 as "ageMs", ${WORDS}
       from chat_conversation c join chat_message m on m.conversation_id = c.id and m.sequence = c.last_sequence
      where c.waiting_since is not null order by c.waiting_since, c.id limit $1`,
    [limit],
  );
  return rows.map(({ id, customer, ageMs, ...last }) => ({ id, customer, ageMs, last }));
}

/** Whose a conversation is; undefined when there is none. */
export async function findCustomer(on: Queryable, conversationId: string): Promise<CustomerRef | undefined> {
  const { rows } = await on.query<CustomerRef>('select kind, customer_id as id from chat_conversation where id = $1', [
    conversationId,
  ]);
  return rows[0];
}

export async function findConversation(on: Queryable, customer: CustomerRef): Promise<string | undefined> {
  const { rows } = await on.query<{ id: string }>(
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
  operatedBy: 'npm run chat (docs/runbooks/chat.md)',
} satisfies QueueSource;
