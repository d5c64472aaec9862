/**
 * Tables of the chat backend: messages of the operator's customers, and the replies. Times are milliseconds since 1970.
 */
export const CHAT_BACKEND_TABLES = `
create table if not exists chat_conversation (
  id text primary key, room text not null, kind text not null check (kind in ('member', 'visitor')), name text not null,
  -- A person has taken over: the robot is off.
  taken integer not null default 0, updated_at integer not null,
  -- Messages up to this rowid have been read by support.
  seen integer not null default 0
) strict;
create index if not exists chat_conversation_updated on chat_conversation (updated_at);
create table if not exists chat_message (
  id text primary key, conversation text not null references chat_conversation,
  sender text not null check (sender in ('customer', 'other')), sequence integer, message text not null, at integer not null,
  -- Reply: a person wrote it. Customer message: a person must answer it.
  by_person integer not null default 0, asks_person integer not null default 0,
  -- Movement of money that a customer message is about.
  reference text
) strict;
create index if not exists chat_message_conversation on chat_message (conversation, at);
`;
