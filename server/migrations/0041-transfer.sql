-- What a member asked for. From game to game it has two legs, through the wallet.
create table transfer (
  id text primary key,
  member_id text not null,
  currency text not null,
  idempotency_key text not null,
  -- SHA-256 of what was asked: the same key with another is refused.
  input_hash bytea not null,
  source text not null,
  target text not null,
  amount bigint not null,
  reference text not null,
  created_at timestamptz not null default now(),
  constraint transfer_once unique (member_id, idempotency_key),
  constraint transfer_reference unique (reference),
  constraint transfer_amount check (amount > 0),
  constraint transfer_ends check (source <> target)
);

create index transfer_of_member on transfer (member_id, created_at);

-- One movement between the wallet and one game account. It is there before any call goes out, and tells at each moment
-- what may have happened outside.
create table transfer_leg (
  transfer_id text not null references transfer (id),
  leg smallint not null,
  member_id text not null,
  game_code text not null,
  ft_wallet_slot integer not null,
  direction text not null,
  amount bigint not null,
  -- What the provider counts, in hundredths.
  credits bigint not null,
  provider text not null,
  username text not null,
  provider_reference text not null,
  state text not null default 'HELD',
  -- What is proven of the provider, written down before the ledger follows.
  proof text,
  proof_balance bigint,
  -- The player's cash and open stakes right before the call; for a provider that can't be asked.
  balance_before bigint,
  -- Why it was reversed: code and detail for the member.
  code text,
  detail text,
  absences integer not null default 0,
  asks integer not null default 0,
  next_ask_at timestamptz not null default now(),
  -- Until then the one who holds this fence acts alone; each new holder raises it, and a slow one finds itself shut out.
  leased_until timestamptz not null,
  fence integer not null default 1,
  sent_at timestamptz,
  finished_at timestamptz,
  note text,
  primary key (transfer_id, leg),
  constraint transfer_leg_provider_reference unique (provider_reference),
  constraint transfer_leg_number check (leg in (1, 2)),
  constraint transfer_leg_direction check (direction in ('in', 'out')),
  constraint transfer_leg_amount check (amount > 0 and credits = amount * ft_wallet_slot),
  constraint transfer_leg_state check (state in ('HELD', 'SENT', 'UNKNOWN', 'MANUAL', 'DONE', 'REVERSED')),
  constraint transfer_leg_proof check (proof in ('APPLIED', 'REFUSED')),
  constraint transfer_leg_sent check (sent_at is not null or state in ('HELD', 'REVERSED')),
  constraint transfer_leg_code check ((state = 'REVERSED') = (code is not null) or proof = 'REFUSED'),
  constraint transfer_leg_finished check ((finished_at is not null) = (state in ('DONE', 'REVERSED')))
);

-- One transfer at a time to or from a game account. Where nobody can be asked, the balance before and after is the only
-- witness, and a second transfer would make it lie.
create unique index transfer_leg_under_way on transfer_leg (member_id, game_code)
  where state not in ('DONE', 'REVERSED');

create index transfer_leg_due on transfer_leg (next_ask_at) where state in ('HELD', 'SENT', 'UNKNOWN');
