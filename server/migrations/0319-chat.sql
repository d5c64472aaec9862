-- Visitors of the chat. The first caller with a guest-id gets its secret, of which only the hash is stored. A guest-id without a
-- secret proves its visitor alone; it may also be a random UUID.
create table chat_visitor (
  guest_id text collate "C" primary key,
  secret_hash bytea,
  created_at timestamptz not null default now(),
  -- Accurate to a day.
  seen_at timestamptz not null default now(),
  -- A visitor who has written is kept permanently. A column, so that silent ones are found without reading all conversations.
  has_written boolean not null default false,
  constraint chat_visitor_guest_id check (
    guest_id ~ '^([0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$'
  ),
  constraint chat_visitor_secret_hash check (length(secret_hash) = 32)
);

create index chat_visitor_silent on chat_visitor (seen_at) where not has_written;

-- A customer's conversation. Its row is locked while a message gets its sequence.
create table chat_conversation (
  id uuid primary key,
  kind text collate "C" not null,
  -- The member's id, or the visitor's guest-id.
  customer_id text collate "C" not null,
  created_at timestamptz not null default now(),
  last_sequence integer not null default 0,
  -- Last message that the customer has read.
  read_sequence integer not null default 0,
  -- Time of the first unanswered message.
  waiting_since timestamptz,
  -- The outbox of the chat backend: the customer's messages up to told_sequence are delivered. tell_at: when the next one is sent,
  -- null when there is none. A claim moves it ahead by a lease.
  told_sequence integer not null default 0,
  tell_at timestamptz,
  tell_tries integer not null default 0,
  -- A robot's message leaves the conversation in the queue until a person replies.
  needs_person boolean not null default false,
  constraint chat_conversation_customer unique (kind, customer_id),
  constraint chat_conversation_kind check (kind in ('member', 'visitor')),
  constraint chat_conversation_read check (read_sequence between 0 and last_sequence),
  constraint chat_conversation_told check (told_sequence between 0 and last_sequence)
) with (fillfactor = 80);

create index chat_conversation_waiting on chat_conversation (waiting_since) where waiting_since is not null;
create index chat_conversation_tell on chat_conversation (tell_at) where tell_at is not null;
create index chat_conversation_empty on chat_conversation (created_at) where last_sequence = 0;

-- Messages, numbered within their conversation from 1 without gaps.
create table chat_message (
  conversation_id uuid not null constraint chat_message_conversation_exists references chat_conversation (id),
  sequence integer not null,
  id uuid not null,
  sender text collate "C" not null,
  type text collate "C" not null,
  payload jsonb not null,
  -- Of a customer's message: its idempotency key, '' without one, and the hash of its input.
  client_id text collate "C" not null default '',
  input_hash bytea,
  -- Of a reply: its id in the system it came from, `backend:…` or `operator:…`.
  answer_id text collate "C",
  -- The sender at that time: a member from the database, a visitor as they introduced themselves; '' for the other side. name is ''
  -- for a visitor.
  name text not null default '',
  username text not null default '',
  session_id text not null default '',
  device_token text not null default '',
  created_at timestamptz not null default now(),
  primary key (conversation_id, sequence),
  constraint chat_message_sequence check (sequence > 0),
  constraint chat_message_sender check (sender in ('customer', 'other')),
  constraint chat_message_type check (
    type in ('text', 'buttons', 'media', 'quick_replies', 'generic', 'postback', 'unknown')
  ),
  constraint chat_message_answer check ((answer_id is not null) = (sender = 'other')),
  constraint chat_message_key check (client_id = '' or (sender = 'customer' and input_hash is not null))
);

create unique index chat_message_once on chat_message (conversation_id, client_id) where client_id <> '';
create unique index chat_message_answer_once on chat_message (answer_id) where answer_id is not null;
create index chat_message_answers on chat_message (conversation_id, sequence) where sender = 'other';

-- Storage objects of a conversation. The row is inserted before the object is written, so that an object without a message is found
-- and removed after a crash at any point.
create table chat_file (
  key text collate "C" primary key,
  conversation_id uuid not null constraint chat_file_conversation_exists references chat_conversation (id),
  kind text collate "C" not null,
  content_type text not null,
  bytes bigint not null,
  created_at timestamptz not null default now(),
  -- Time of the first message that names it.
  used_at timestamptz,
  constraint chat_file_kind check (kind in ('image', 'video')),
  constraint chat_file_bytes check (bytes >= 0)
);

create index chat_file_unused on chat_file (created_at) where used_at is null;
create index chat_file_conversation on chat_file (conversation_id, created_at);
