-- oldest program: 0324
-- Choices that follow a member to every device. No row: the defaults.
create table member_setting (
  member_id uuid primary key constraint member_setting_member_exists references member (id),
  -- Whether the app moves a game's money to the wallet when the member comes back from it.
  brings_money_home boolean not null default false
);

-- Look-ups of an inviter by code. A new database gets its limits from the seed.
insert into lookup_limit (name, hits, window_seconds)
select 'inviter.address', 60, 3600 where exists (select from lookup_limit) on conflict do nothing;
