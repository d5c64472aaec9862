-- A transfer as the member requested it. From game to game it has two legs, through the wallet. No index on the member: the
-- list of movements is derived from the ledger, and an index that no query reads is one more write per transfer.
create table transfer (
  id uuid primary key,
  -- No foreign key of its own: the check would write to the member's page, which nothing else of a transfer does: 30 % more
  -- WAL per transfer after a checkpoint. Each leg references the game account, and that its member.
  member_id uuid not null,
  currency currency not null,
  idempotency_key text not null,
  -- SHA-256 of the input: the same key with another input is refused.
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

-- One movement between the wallet and one game account. It is inserted before any call leaves, and records at each moment
-- what may have happened outside.
create table transfer_leg (
  transfer_id uuid not null constraint transfer_leg_transfer_exists references transfer (id),
  leg smallint not null,
  member_id uuid not null,
  game_code text not null,
  ft_wallet_slot integer not null,
  direction text not null,
  amount bigint not null,
  -- What the provider counts, in hundredths.
  credits bigint not null,
  provider text not null,
  username text not null,
  provider_reference text not null,
  state text not null,
  -- What is proven of the provider, written before the ledger follows.
  proof text,
  -- Source of the proof: member (the call that waited for it), resolver, operator:NAME. Null where it is not recorded.
  proof_by text,
  proof_balance bigint,
  -- The player's cash and open stakes, and the stakes of settled rounds, right before the call: the witness for a provider
  -- that can't be asked about a movement. Turnover that has grown since means that the member has played, and the balance
  -- no longer proves anything of the transfer. turnover_before is null where the provider doesn't tell.
  balance_before bigint,
  turnover_before bigint,
  -- The same when they were read last: for the operator, where they prove nothing.
  balance_seen bigint,
  turnover_seen bigint,
  -- Why it was reversed: code and detail for the member.
  code text,
  detail text,
  absences integer not null default 0,
  asks integer not null default 0,
  -- The last inquiry got no answer, or one that says nothing. One leg per provider is asked about often; at its first answer
  -- the others fall due at once.
  is_silent boolean not null default false,
  -- An operator wants the provider asked once more about a leg that is MANUAL.
  is_asked_again boolean not null default false,
  next_ask_at timestamptz not null default now(),
  -- Lease and fence: until then only the holder of this fence acts; each new holder raises it, so that a late holder's
  -- writes match no row.
  leased_until timestamptz not null,
  fence integer not null default 1,
  sent_at timestamptz,
  finished_at timestamptz,
  note text,
  primary key (transfer_id, leg),
  constraint transfer_leg_account_exists foreign key (member_id, game_code) references game_account (member_id, game_code),
  constraint transfer_leg_provider_reference unique (provider_reference),
  constraint transfer_leg_number check (leg in (1, 2)),
  constraint transfer_leg_direction check (direction in ('in', 'out')),
  constraint transfer_leg_amount check (amount > 0 and credits = amount * ft_wallet_slot),
  constraint transfer_leg_state check (state in ('QUEUED', 'SENT', 'UNKNOWN', 'MANUAL', 'DONE', 'REVERSED')),
  constraint transfer_leg_proof check (proof in ('APPLIED', 'REFUSED')),
  constraint transfer_leg_proof_by check (proof_by is null or proof is not null),
  constraint transfer_leg_sent check (sent_at is not null or state in ('QUEUED', 'REVERSED')),
  constraint transfer_leg_code check ((state = 'REVERSED') = (code is not null) or proof = 'REFUSED'),
  constraint transfer_leg_finished check ((finished_at is not null) = (state in ('DONE', 'REVERSED')))
);

-- One transfer at a time to or from a game account. For a provider that can't be asked, the balance before and after is the
-- only witness, and a second transfer would falsify it.
create unique index transfer_leg_under_way on transfer_leg (member_id, game_code)
  where state not in ('DONE', 'REVERSED');

-- MANUAL falls due too: when an operator writes its outcome down, or wants it asked about again.
create index transfer_leg_open on transfer_leg (next_ask_at) where state not in ('DONE', 'REVERSED');
