-- Money that the house gives: bonuses, promotions, refunds, invite money, coupons.

-- One row of a member, locked while their incentives are decided or a withdrawal is taken: what was found true stays true
-- until the decision is written.
create table incentive_gate (
  member_id uuid primary key constraint incentive_gate_member_exists references member (id),
  -- Play counts for one condition only: each condition keeps what was counted for it, the gate keeps up to where everything
  -- has been counted. The last entry, by ledger account: {"GAME:pg": "12"}; turnover, by game: {"pg": "12300"}.
  counted_entries jsonb not null default '{}',
  counted_turnover jsonb not null default '{}'
);

-- What was given, once for each source. Written in the commit that uses up the entitlement; the ledger follows under the
-- key `incentive:ID`, and a crash in between leaves an OPEN row that is finished later.
create table incentive_grant (
  id uuid primary key,
  member_id uuid not null constraint incentive_grant_member_exists references member (id),
  currency currency not null,
  kind text not null,
  -- The entitlement, unique for ever: `bonus:CODE:DEPOSIT`, `refund:2026-11-16`, `coupon:ID`.
  source text not null,
  -- Its name for the member, as it was when it was given, in every language: members may read it in another one later.
  name jsonb not null,
  -- Its name in the statement.
  reference text not null,
  amount bigint not null,
  state text not null default 'OPEN',
  created_at timestamptz not null default now(),
  -- Lease of the caller that opened it and posts it to the ledger.
  leased_until timestamptz not null,
  -- The ledger's operation.
  operation_id bigint,
  paid_at timestamptz,
  constraint incentive_grant_once unique (member_id, source),
  constraint incentive_grant_reference unique (member_id, reference),
  constraint incentive_grant_kind check (kind in ('BONUS', 'PROMOTION', 'REFUND', 'INVITE', 'COUPON')),
  constraint incentive_grant_amount check (amount > 0),
  constraint incentive_grant_state check (state in ('OPEN', 'PAID')),
  constraint incentive_grant_paid check ((state = 'PAID') = (operation_id is not null) and (state = 'PAID') = (paid_at is not null))
);

create index incentive_grant_open on incentive_grant (leased_until) where state = 'OPEN';
create index incentive_grant_of_member on incentive_grant (member_id, kind, created_at);

-- What must be met before money leaves. Play since `started_operation` is added to `base`; nothing else counts.
create table incentive_condition (
  id uuid primary key constraint incentive_condition_grant_exists references incentive_grant (id),
  member_id uuid not null constraint incentive_condition_member_exists references member (id),
  currency currency not null,
  kind text not null,
  state text not null default 'OPENING',
  -- The deposit and what was given on it. Minor units.
  base bigint not null,
  -- The member's own part of it: stays when the condition is given up.
  own bigint not null,
  target bigint not null,
  floor bigint not null,
  percent_success numeric(8, 2) not null,
  percent_fail numeric(8, 2) not null,
  -- Stakes of settled bets that meet it too; null: turnover does not count.
  turnover_target bigint,
  -- Turnover by game when it was decided: {"pg": "12300"}; null while the provider has not told.
  turnover_before jsonb not null default '{}',
  -- Counted for this condition: won less lost, and staked in settled bets. Minor units.
  play bigint not null default 0,
  turnover bigint not null default 0,
  -- The ledger operation that credited it; play after it counts.
  started_operation bigint,
  started_at timestamptz,
  expires_at timestamptz,
  -- How it ended, with the figures as they were then.
  ended_at timestamptz,
  ended_current bigint,
  -- CLEARING: what goes back. Each try has a key of its own, because a refusal of the ledger is final for its key.
  takes_back bigint,
  clear_attempt integer not null default 0,
  -- The line `finish_bonus` stands in the ledger.
  is_told boolean not null default false,
  -- When it is next due: its progress, what clearing it has left open, whether its end is told. Also a lease.
  look_at timestamptz not null default now(),
  constraint incentive_condition_kind check (kind in ('BONUS', 'PROMOTION', 'REFUND', 'INVITE', 'COUPON')),
  constraint incentive_condition_state check (state in ('OPENING', 'ACTIVE', 'CLEARING', 'SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED')),
  constraint incentive_condition_amounts check (base > 0 and own >= 0 and own <= base and target >= 0 and floor >= 0 and floor < target),
  constraint incentive_condition_counted check (turnover >= 0 and turnover_target > 0 and takes_back >= 0),
  constraint incentive_condition_started check ((started_operation is not null) or state in ('OPENING', 'FAILED')),
  constraint incentive_condition_ended check ((ended_at is not null) = (state in ('SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED')))
);

-- At most one bonus or promotion at a time, whatever happens concurrently.
create unique index incentive_condition_one_bonus on incentive_condition (member_id)
  where kind in ('BONUS', 'PROMOTION') and state in ('OPENING', 'ACTIVE', 'CLEARING');
create index incentive_condition_open on incentive_condition (member_id) where state in ('OPENING', 'ACTIVE', 'CLEARING');
-- Unfinished ones come before active ones, which are only watched.
create index incentive_condition_due on incentive_condition ((state = 'ACTIVE'), look_at) where not is_told;
