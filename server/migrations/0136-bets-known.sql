-- False from a transfer until the next refresh: a transfer tells how much cash is there, not what is staked in open bets.
alter table game_account add column are_bets_known boolean not null default true;
update game_account set are_bets_known = false;
