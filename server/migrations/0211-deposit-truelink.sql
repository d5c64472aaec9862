-- Deposits by a gift link of the wallet app. The row is inserted before any call, and the link's hash is unique among all
-- members: the second sender of a link is refused. The hash of a link is worth money to its reader: stored are only its
-- SHA-256, and the sealed text for as long as it is needed.
create table truelink_gift (
  id uuid primary key,
  hash_sha256 bytea not null,
  sealed_hash bytea,
  member_id uuid not null constraint truelink_gift_member_exists references member (id),
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
  constraint truelink_gift_hash unique (hash_sha256),
  constraint truelink_gift_hash_length check (length(hash_sha256) = 32),
  constraint truelink_gift_reference unique (reference),
  constraint truelink_gift_state check (state in ('NEW', 'REDEEMING', 'UNKNOWN', 'CREDITING', 'CREDITED', 'FAILED', 'MANUAL')),
  constraint truelink_gift_amount check ((state in ('CREDITING', 'CREDITED')) = (amount is not null) and amount > 0),
  constraint truelink_gift_failed check ((state = 'FAILED') = (code is not null)),
  constraint truelink_gift_ended check ((state in ('CREDITED', 'FAILED')) = (ended_at is not null)),
  constraint truelink_gift_sealed check (sealed_hash is not null or state in ('CREDITING', 'CREDITED', 'FAILED'))
) with (fillfactor = 80);

create unique index truelink_gift_redeeming on truelink_gift (receiver) where state = 'REDEEMING';
create index truelink_gift_work on truelink_gift (work_at) where work_at is not null;
create index truelink_gift_member on truelink_gift (member_id, created_at);
