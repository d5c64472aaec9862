-- Staked in open bets when a condition was decided that was given on nothing: when these bets pay, as much of it is the member's
-- own money and not taken back. Minor units.
alter table incentive_condition add column outstanding_before bigint not null default 0;
alter table incentive_condition add constraint incentive_condition_outstanding check (outstanding_before >= 0);
