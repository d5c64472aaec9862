-- Published odds never change: a version of the wheel is immutable, and each spin names its version.
create table spinwheel_version (
  version integer primary key,
  -- {"th": …, "la": …, "en": …}
  name jsonb not null,
  -- Codes, weights, texts, colours and prizes, in the order of the wheel.
  slices jsonb not null,
  -- SHA-256 of codes and weights, hex.
  weights_hash text not null,
  -- The newest active version is spun. Only this column may change.
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

-- Coins of a member. Every spin and every change locks this row.
create table spinwheel_purse (
  member_id uuid primary key constraint spinwheel_purse_member_exists references member (id),
  coins integer not null default 0,
  -- Wallet entries up to this one have earned their coins.
  deposits_seen bigint not null default 0,
  -- Circulating money earns coins once: what was paid in and withdrawn again is owed, and a deposit pays that off before it earns any.
  -- Withdrawn winnings owe nothing. Minor units.
  paid_in bigint not null default 0,
  owed bigint not null default 0,
  constraint spinwheel_purse_not_below_zero check (coins >= 0),
  constraint spinwheel_purse_money check (paid_in >= 0 and owed >= 0)
);

-- Changes of a purse, once per source: `deposit:OPERATION`, `operator:ENTRY`, `spin:ID`, `coupon:ID`.
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

-- Seeds of spins: the current one and the next one. The house commits to the next one before the member chooses the client seed
-- that is combined with it.
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
  -- The drawn slice, by index and by code.
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

-- The prize of a spin, with the spin's id.
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

-- One spin: takes the coin, advances the seed, and writes the spin with its coupon. The caller drew with the seed, nonce and wheel that
-- it names. The lock of the purse serialises a member's spins. Outcomes: applied · replayed: the key has a spin · no_coin ·
-- stale_read: another spin, seed or wheel committed first
create function spinwheel_draw(
  p_member uuid, p_key text, p_id uuid, p_seed uuid, p_nonce int, p_version int, p_slice int, p_slice_code text,
  p_coupon_kind text, p_coupon_amount bigint, p_expires_at timestamptz, p_at timestamptz,
  out outcome text, out coins_after int
) language plpgsql as $$
declare
  v_coins int;
begin
  select p.coins into v_coins from spinwheel_purse p where p.member_id = p_member for update;
  if exists (select from spinwheel_spin s where s.member_id = p_member and s.idempotency_key = p_key) then
    outcome := 'replayed';
    return;
  end if;
  if coalesce(v_coins, 0) < 1 then
    outcome := 'no_coin';
    return;
  end if;
  if p_version <> (select max(w.version) from spinwheel_version w where w.is_active) then
    outcome := 'stale_read';
    return;
  end if;
  update spinwheel_seed d set nonce = d.nonce + 1
   where d.id = p_seed and d.member_id = p_member and d.nonce = p_nonce and d.state = 'CURRENT';
  if not found then
    outcome := 'stale_read';
    return;
  end if;
  update spinwheel_purse p set coins = p.coins - 1 where p.member_id = p_member returning p.coins into coins_after;
  insert into spinwheel_coin_movement (member_id, source, coins, coins_after)
  values (p_member, 'spinwheel:' || p_id, -1, coins_after);
  insert into spinwheel_spin (id, member_id, idempotency_key, seed_id, nonce, version, slice, slice_code, coins_after, created_at)
  values (p_id, p_member, p_key, p_seed, p_nonce, p_version, p_slice, p_slice_code, coins_after, p_at);
  if p_coupon_kind is not null then
    insert into spinwheel_coupon (id, member_id, version, slice_code, kind, amount, expires_at, created_at)
    values (p_id, p_member, p_version, p_slice_code, p_coupon_kind, p_coupon_amount, p_expires_at, p_at);
  end if;
  outcome := 'applied';
end
$$;
