-- oldest program: 0333
-- A withdrawal without held money waits for the providers that its sweep queries, not for those of other members.

alter table withdraw add column providers text collate "C" not null default 'none';
update withdraw set providers = providers_of(member_id) where not is_held and state not in ('PAID', 'FAILED');
create trigger withdraw_providers before insert on withdraw for each row when (not new.is_held) execute function set_providers();

drop index withdraw_due;
create index withdraw_due on withdraw ((case when proof is not null then 'proven' when is_held then 'bank' else providers end), next_ask_at)
  where state not in ('PAID', 'FAILED') and (state <> 'MANUAL' or proof is not null or is_woken);
