import { timeOf, type TableFill, perMember } from './table-fill.ts';

const MEMBERS_PER_CONVERSATION = 5;
const MESSAGES_PER_CONVERSATION = 10;

/** Rows of the chat and of rate limits. */
export const REST: readonly TableFill[] = [
  {
    name: 'chat_conversation',
    rows: perMember(1 / MEMBERS_PER_CONVERSATION),
    sql: `insert into chat_conversation (id, kind, customer_id, created_at, last_sequence, read_sequence, forwarded_sequence)
      select bench.id('chat', n), 'member', bench.id('member', n)::text, ${timeOf(`:members / ${MEMBERS_PER_CONVERSATION}`)}, ${MESSAGES_PER_CONVERSATION}, ${MESSAGES_PER_CONVERSATION},
             ${MESSAGES_PER_CONVERSATION}
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'chat_message',
    rows: perMember(MESSAGES_PER_CONVERSATION / MEMBERS_PER_CONVERSATION),
    sql: `insert into chat_message (conversation_id, sequence, id, sender, type, payload, client_id, input_hash, answer_id, created_at)
      select bench.id('chat', (n - 1) / ${MESSAGES_PER_CONVERSATION} + 1), (n - 1) % ${MESSAGES_PER_CONVERSATION} + 1, bench.id('message', n),
             case n % 2 when 0 then 'customer' else 'other' end, 'text', '{"text": "When is my deposit there?"}',
             case n % 2 when 0 then 'bench ' || n else '' end, case n % 2 when 0 then '\\x00'::bytea end,
             case n % 2 when 1 then 'answer ' || n end, ${timeOf(`:members * ${MESSAGES_PER_CONVERSATION / MEMBERS_PER_CONVERSATION}`)}
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'chat_visitor',
    rows: perMember(1 / 5),
    sql: `insert into chat_visitor (guest_id, secret_hash, seen_at, has_written)
      select md5('visitor' || n), sha256(convert_to(n::text, 'UTF8')), now() - (n % 20) * interval '1 day', n % 10 = 0
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'chat_file',
    rows: perMember(1 / 10),
    sql: `insert into chat_file (key, conversation_id, kind, content_type, bytes, used_at)
      select 'bench/' || n, bench.id('chat', n), 'image', 'image/jpeg', 100000, now() from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'rate_limit',
    rows: perMember(1 / 10),
    sql: `insert into rate_limit (key, window_start, hits) select 'bench:' || n, now(), 1 from generate_series($1::bigint, $2) n`,
  },
];
