-- Money that goes in a circle brings coins once: what was paid in and withdrawn again is owed, and a deposit pays that off
-- before it brings any. Winnings that are withdrawn owe nothing. Minor units.
alter table coin_purse
  add column paid_in bigint not null default 0,
  add column owed bigint not null default 0,
  add constraint coin_purse_money check (paid_in >= 0 and owed >= 0);
