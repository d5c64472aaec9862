-- Visitors of the chat. Whoever shows a guest-id first gets its secret, of which only the hash is kept.
create table chat_visitor (
  guest_id text collate "C" primary key,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  -- Within a day of the last time that they asked for what the chat needs.
  seen_at timestamptz not null default now(),
  constraint chat_visitor_guest_id check (guest_id ~ '^[0-9a-f]{32}$'),
  constraint chat_visitor_secret_hash check (length(secret_hash) = 32)
);

create index chat_visitor_seen on chat_visitor (seen_at);

-- All that one customer and the other side have written. Its row is locked while a message gets its sequence.
create table conversation (
  id uuid primary key,
  kind text collate "C" not null,
  -- The member's id, or the visitor's guest-id.
  customer_id text collate "C" not null,
  created_at timestamptz not null default now(),
  last_sequence integer not null default 0,
  -- How far the customer has read.
  read_sequence integer not null default 0,
  -- When the first message came that nobody has answered yet.
  waiting_since timestamptz,
  -- The outbox of the chat backend: the customer's messages up to told_sequence are there. tell_at: when the next one is
  -- told, null when there is none. A claim moves it ahead by a lease.
  told_sequence integer not null default 0,
  tell_at timestamptz,
  tell_tries integer not null default 0,
  constraint conversation_customer unique (kind, customer_id),
  constraint conversation_kind check (kind in ('member', 'visitor')),
  constraint conversation_read check (read_sequence between 0 and last_sequence),
  constraint conversation_told check (told_sequence between 0 and last_sequence)
) with (fillfactor = 80);

create index conversation_waiting on conversation (waiting_since) where waiting_since is not null;
create index conversation_tell on conversation (tell_at) where tell_at is not null;
create index conversation_empty on conversation (created_at) where last_sequence = 0;

-- Messages, counted in their conversation from 1 without gaps.
create table chat_message (
  conversation_id uuid not null,
  sequence integer not null,
  id uuid not null,
  sender text collate "C" not null,
  type text collate "C" not null,
  payload jsonb not null,
  -- Of a customer's: the key under which it is sent once, '' without one, and what was sent with it.
  client_id text collate "C" not null default '',
  input_hash bytea,
  -- Of an answer: its id at whoever gave it, `backend:…` or `operator:…`.
  answer_id text collate "C",
  -- What the member was called then; '' for a visitor and the other side.
  name text not null default '',
  session_id text not null default '',
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

-- Objects that the storage was asked to keep for a conversation. The row is there before the object, so that an object
-- that no message names is found here and removed, whatever process died when.
create table chat_file (
  key text collate "C" primary key,
  conversation_id uuid not null,
  kind text collate "C" not null,
  content_type text not null,
  bytes bigint not null,
  created_at timestamptz not null default now(),
  -- When a message named it first.
  used_at timestamptz,
  constraint chat_file_kind check (kind in ('image', 'video')),
  constraint chat_file_bytes check (bytes >= 0)
);

create index chat_file_unused on chat_file (created_at) where used_at is null;
create index chat_file_conversation on chat_file (conversation_id, created_at);
