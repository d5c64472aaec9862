-- Deposits by a gift link of the wallet app. The row is inserted before any call, and the link's hash is unique among all
-- members: the second sender of a link is refused. The hash of a link is worth money to its reader: stored are only its
-- SHA-256, and the sealed text for as long as it is needed.
create table gift_link (
  id uuid primary key,
  hash_sha256 bytea not null check (length(hash_sha256) = 32),
  sealed_hash bytea,
  member_id uuid not null,
  reference text collate "C" not null,
  -- Our phone in the wallet app. It redeems one link at a time.
  receiver text collate "C" not null,
  state text collate "C" not null default 'NEW',
  -- Why it failed.
  code text collate "C",
  detail text collate "C",
  -- What our own ticket is worth, in satang.
  amount bigint,
  voucher_id text collate "C",
  created_at timestamptz not null default now(),
  -- When the redeeming call left, the last time.
  redeemed_at timestamptz,
  ended_at timestamptz,
  -- Inquiries without an outcome, and answers that the link is still unredeemed.
  asks integer not null default 0,
  absences integer not null default 0,
  work_at timestamptz,
  constraint gift_link_hash unique (hash_sha256),
  constraint gift_link_reference unique (reference),
  constraint gift_link_state check (state in ('NEW', 'REDEEMING', 'UNKNOWN', 'CREDITING', 'CREDITED', 'FAILED', 'MANUAL')),
  constraint gift_link_amount check ((state in ('CREDITING', 'CREDITED')) = (amount is not null) and amount > 0),
  constraint gift_link_failed check ((state = 'FAILED') = (code is not null)),
  constraint gift_link_ended check ((state in ('CREDITED', 'FAILED')) = (ended_at is not null)),
  constraint gift_link_sealed check (sealed_hash is not null or state in ('CREDITING', 'CREDITED', 'FAILED'))
) with (fillfactor = 80);

create unique index gift_link_redeeming on gift_link (receiver) where state = 'REDEEMING';
create index gift_link_work on gift_link (work_at) where work_at is not null;
create index gift_link_member on gift_link (member_id, created_at);
