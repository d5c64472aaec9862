-- A payout that a member asked for. The row is inserted before any money is held and before any call leaves, and records at
-- each moment what may have happened outside.
create table withdraw (
  id uuid primary key,
  member_id uuid not null constraint withdraw_member_exists references member (id),
  currency currency not null,
  idempotency_key text not null,
  -- SHA-256 of the input: the same key with another input is refused.
  input_hash bytea not null,
  -- Whether the money of the games is swept into the wallet first.
  is_all boolean not null,
  amount bigint not null,
  -- What a person finds it by, and what the bank pays once for.
  reference text not null,
  -- The registered account as it was; a later change of name does not reach this payout.
  bank_code text not null,
  account_no text not null,
  account_name text not null,
  -- CODE-NUMBER of our account that pays.
  paid_from text not null,
  state text not null default 'HELD',
  -- False until the ledger holds the money: then nothing has been promised yet.
  is_held boolean not null default false,
  -- Games whose money could not be swept into the wallet; null while that isn't known.
  not_brought jsonb,
  -- The refusal that the member got, when the money could not be held.
  refusal_code text,
  refusal_detail text,
  -- What is proven of the bank, or decided by an operator, written before the ledger follows.
  proof text,
  proof_by text,
  trans_ref text,
  -- Why it failed: the code for the member.
  reason text,
  -- The last answer of the bank, for operators.
  note text,
  -- How often the payout was sent, all under one reference.
  attempts integer not null default 0,
  absences integer not null default 0,
  asks integer not null default 0,
  -- A callback came: the next inquiry does not wait.
  is_woken boolean not null default false,
  next_ask_at timestamptz not null default now(),
  -- Lease and fence: until then only the holder of this fence acts; each new holder raises it, so that a late holder's
  -- writes match no row.
  leased_until timestamptz not null,
  fence integer not null default 1,
  created_at timestamptz not null default now(),
  first_sent_at timestamptz,
  sent_at timestamptz,
  finished_at timestamptz,
  constraint withdraw_once unique (member_id, idempotency_key),
  constraint withdraw_reference unique (reference),
  constraint withdraw_amount check (amount > 0),
  constraint withdraw_state check (state in ('HELD', 'SENT', 'ACCEPTED', 'UNKNOWN', 'MANUAL', 'PAID', 'FAILED')),
  constraint withdraw_held check (is_held or state in ('HELD', 'FAILED')),
  constraint withdraw_sent check (sent_at is not null or state in ('HELD', 'FAILED')),
  constraint withdraw_refusal check ((refusal_code is not null) = (state = 'FAILED' and not is_held)),
  constraint withdraw_proof check (proof in ('PAID', 'FAILED') and proof_by is not null or proof is null),
  constraint withdraw_outcome check (state not in ('PAID', 'FAILED') or not is_held or proof = state),
  constraint withdraw_finished check ((finished_at is not null) = (state in ('PAID', 'FAILED')))
);

-- At most one open withdrawal of a member.
create unique index withdraw_one_pending on withdraw (member_id) where state not in ('PAID', 'FAILED');

create index withdraw_due on withdraw (next_ask_at) where state not in ('PAID', 'FAILED');
create index withdraw_of_member on withdraw (member_id, created_at);
