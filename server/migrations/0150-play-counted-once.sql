-- Play counts for one condition only: each keeps what was counted for it, and the member's gate keeps up to where everything
-- has been counted. Conditions that are open now begin anew with what was played since they began, the oldest first.
alter table incentive_condition
  -- Won less lost, and staked in settled bets. Minor units.
  add column play bigint not null default 0,
  add column turnover bigint not null default 0;

alter table incentive_gate
  -- The last entry that is counted, by ledger account: {"GAME:pg": "12"}.
  add column counted_entries jsonb not null default '{}',
  -- Turnover that is counted, by game: {"pg": "12300"}.
  add column counted_turnover jsonb not null default '{}';
