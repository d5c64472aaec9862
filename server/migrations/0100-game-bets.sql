-- How a game opens is the provider's: its adapter knows.
alter table game drop column launch, drop column launch_needs_password;

-- What the last refresh found besides the cash, in minor units of the member's currency. The provider's word, no ledger.
alter table game_account
  add column outstanding bigint not null default 0,
  -- Stakes of settled bets since the account was opened; null where the provider doesn't tell.
  add column turnover bigint,
  add constraint game_account_outstanding check (outstanding >= 0),
  add constraint game_account_turnover check (turnover >= 0);
