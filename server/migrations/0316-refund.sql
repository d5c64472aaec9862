-- Refunds, each for one closed period of a member, with the figures of its computation. Minor units.
create table refund (
  member_id uuid not null constraint refund_member_exists references member (id),
  -- Start inclusive, end exclusive.
  period_from timestamptz not null,
  period_to timestamptz not null,
  currency currency not null,
  -- Deposits less withdrawals and grants; and the loss in play.
  paid_in bigint not null,
  lost bigint not null,
  percent numeric(8, 2) not null,
  amount bigint not null,
  -- Source of the grant that pays it.
  source text not null,
  created_at timestamptz not null,
  primary key (member_id, period_from),
  constraint refund_period check (period_from < period_to),
  constraint refund_amount check (amount > 0 and amount <= paid_in and amount <= lost)
);
