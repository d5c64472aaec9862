-- oldest program: 0324
-- What a member is notified of, in the bell and by push. Rows are deleted after 90 days.
create table notification_item (
  id bigint generated always as identity primary key,
  member_id uuid not null constraint notification_item_member_exists references member (id),
  kind text collate "C" not null,
  -- Of a money item, a slip, an answer or a change: a repeated event has the same one.
  reference text collate "C" not null,
  at timestamptz not null,
  -- Amount in minor units as text, currency, what was refused or changed, and why.
  facts jsonb not null,
  read_at timestamptz,
  constraint notification_item_once unique (member_id, kind, reference),
  constraint notification_item_kind check (kind in ('money-in', 'paid-out', 'refused', 'support', 'security'))
);
create index notification_item_member on notification_item (member_id, id);
create index notification_item_unread on notification_item (member_id, id) where read_at is null;
create index notification_item_at on notification_item (at);

-- Last batch of each lane whose deposits and withdrawals are in notification_item.
create table notification_cursor (
  lane smallint primary key,
  batch bigint not null
);
-- Movements before this migration are not notified.
insert into notification_cursor (lane, batch) select id, last_batch from ledger.lane;

-- Browsers that show notices. One per session: it ends with the session. An endpoint belongs to the last session that sent it.
create table push_subscription (
  id uuid primary key,
  member_id uuid not null constraint push_subscription_member_exists references member (id),
  session_hash bytea not null
    constraint push_subscription_session_exists references member_session (token_hash) on delete cascade,
  endpoint text collate "C" not null,
  -- Public key and secret of the browser, for encryption.
  p256dh bytea not null,
  auth bytea not null,
  language text collate "C" not null,
  kinds text[] not null,
  with_amounts boolean not null,
  created_at timestamptz not null,
  -- Last time the push service refused a message for another reason than an ended subscription.
  failed_at timestamptz,
  constraint push_subscription_endpoint unique (endpoint),
  constraint push_subscription_session unique (session_hash),
  constraint push_subscription_keys check (length(p256dh) = 65 and length(auth) = 16),
  constraint push_subscription_language check (language in ('th', 'la', 'en'))
);
create index push_subscription_member on push_subscription (member_id);

-- Messages to send. A row is deleted once it is sent, refused or expired.
create table push_outbox (
  id uuid primary key default gen_random_uuid(),
  notice_id bigint not null constraint push_outbox_notice_exists references notification_item (id) on delete cascade,
  subscription_id uuid not null
    constraint push_outbox_subscription_exists references push_subscription (id) on delete cascade,
  -- When the row is due. A claim moves it ahead by a lease.
  work_at timestamptz not null,
  tries integer not null default 0,
  expires_at timestamptz not null,
  constraint push_outbox_once unique (notice_id, subscription_id)
);
create index push_outbox_work on push_outbox (work_at);
create index push_outbox_subscription on push_outbox (subscription_id);
