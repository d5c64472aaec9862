-- Refunds that were given, each for one closed period of its member, with the figures it was computed from. Minor units.
create table refund (
  member_id uuid not null constraint refund_member_exists references member (id),
  -- From … until before …
  period_from timestamptz not null,
  period_to timestamptz not null,
  currency currency not null,
  -- Deposits less withdrawals and what the house gave; and what play took.
  paid_in bigint not null,
  lost bigint not null,
  percent numeric(8, 2) not null,
  amount bigint not null,
  -- Of the grant that pays it.
  source text not null,
  created_at timestamptz not null,
  primary key (member_id, period_from),
  constraint refund_period check (period_from < period_to),
  constraint refund_amount check (amount > 0 and amount <= paid_in and amount <= lost)
);
