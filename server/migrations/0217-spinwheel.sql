-- Odds never change in secret: a version of the wheel stays as it was published, and each spin names its version.
create table spinwheel_version (
  version integer primary key,
  -- {"th": …, "la": …, "en": …}
  name jsonb not null,
  -- Codes, weights, words, colours and prizes, in the order of the wheel.
  slices jsonb not null,
  -- SHA-256 of codes and weights, hex.
  weights_hash text not null,
  -- The newest active version is spun. Deactivating one is the only change that is possible.
  is_active boolean not null default true,
  published_at timestamptz not null default now(),
  constraint spinwheel_version_number check (version > 0)
);

create function refuse_change_of_wheel() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (old.version, old.name, old.slices, old.weights_hash, old.published_at)
    is not distinct from (new.version, new.name, new.slices, new.weights_hash, new.published_at) then
    return new;
  end if;
  raise exception 'a version of the wheel never changes' using errcode = 'restrict_violation';
end
$$;

create trigger spinwheel_version_stays
  before update or delete on spinwheel_version
  for each row execute function refuse_change_of_wheel();

-- What members spin the wheel with. A spin, and every change of it, locks this row.
create table spinwheel_purse (
  member_id uuid primary key constraint spinwheel_purse_member_exists references member (id),
  coins integer not null default 0,
  -- Deposits up to this entry of the wallet have brought theirs.
  deposits_seen bigint not null default 0,
  -- Money that goes in a circle brings coins once: what was paid in and withdrawn again is owed, and a deposit pays that off
  -- before it brings any. Winnings that are withdrawn owe nothing. Minor units.
  paid_in bigint not null default 0,
  owed bigint not null default 0,
  constraint spinwheel_purse_not_below_zero check (coins >= 0),
  constraint spinwheel_purse_money check (paid_in >= 0 and owed >= 0)
);

-- Every change of a purse, once for each source: `deposit:OPERATION`, `operator:ENTRY`, `spin:ID`, `coupon:ID`.
create table spinwheel_coin_movement (
  id bigint generated always as identity primary key,
  member_id uuid not null constraint spinwheel_coin_movement_member_exists references member (id),
  source text not null,
  coins integer not null,
  coins_after integer not null,
  created_at timestamptz not null default now(),
  constraint spinwheel_coin_movement_once unique (member_id, source),
  constraint spinwheel_coin_movement_amounts check (coins <> 0 and coins_after >= 0)
);

create trigger spinwheel_coin_movement_only_added_to
  before update or delete or truncate on spinwheel_coin_movement
  for each statement execute function refuse_change();

-- What spins are drawn by: one seed at a time, and the next one, to which the house is bound before the member chooses the
-- client seed that goes with it.
create table spinwheel_seed (
  id uuid primary key,
  member_id uuid not null constraint spinwheel_seed_member_exists references member (id),
  state text not null,
  -- SHA-256 of its bytes, hex.
  commitment text not null,
  -- 32 bytes as hex text, encrypted; null once it is revealed.
  sealed_seed bytea,
  revealed_seed text,
  client_seed text not null,
  -- Number of the next spin.
  nonce integer not null default 0,
  created_at timestamptz not null default now(),
  constraint spinwheel_seed_state check (state in ('NEXT', 'CURRENT', 'REVEALED')),
  constraint spinwheel_seed_secret check ((state = 'REVEALED') = (sealed_seed is null) and (state = 'REVEALED') = (revealed_seed is not null)),
  constraint spinwheel_seed_nonce check (nonce >= 0 and (nonce = 0 or state <> 'NEXT'))
);

create unique index spinwheel_seed_one_of_each on spinwheel_seed (member_id, state) where state <> 'REVEALED';

create table spinwheel_spin (
  id uuid primary key,
  member_id uuid not null constraint spinwheel_spin_member_exists references member (id),
  -- Null: requested without one.
  idempotency_key text,
  seed_id uuid not null constraint spinwheel_spin_seed_exists references spinwheel_seed (id),
  nonce integer not null,
  version integer not null constraint spinwheel_spin_version_exists references spinwheel_version (version),
  -- The drawn slice, by place and by code.
  slice integer not null,
  slice_code text not null,
  coins_after integer not null,
  created_at timestamptz not null,
  constraint spinwheel_spin_key unique (member_id, idempotency_key),
  constraint spinwheel_spin_number unique (seed_id, nonce)
);

create index spinwheel_spin_of_member on spinwheel_spin (member_id, id);

create trigger spinwheel_spin_only_added_to
  before update or delete or truncate on spinwheel_spin
  for each statement execute function refuse_change();

-- The prize of a spin, under its id.
create table spinwheel_coupon (
  id uuid primary key constraint spinwheel_coupon_spin_exists references spinwheel_spin (id),
  member_id uuid not null constraint spinwheel_coupon_member_exists references member (id),
  version integer not null constraint spinwheel_coupon_version_exists references spinwheel_version (version),
  slice_code text not null,
  kind text not null,
  -- Minor units of the member's currency, coins, or 1.
  amount bigint not null,
  state text not null default 'OPEN',
  expires_at timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint spinwheel_coupon_kind check (kind in ('MONEY', 'COINS', 'BONUS', 'GOODS')),
  constraint spinwheel_coupon_amount check (amount > 0),
  constraint spinwheel_coupon_state check (state in ('OPEN', 'CLAIMED', 'EXPIRED') and (state = 'OPEN') = (ended_at is null))
);

create index spinwheel_coupon_open on spinwheel_coupon (member_id, id) where state = 'OPEN';
