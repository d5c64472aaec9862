-- oldest program: 0333
-- Workers claim due rows per partition, so that a silent counterparty delays only its own rows. The first column of each index is
-- the partition. Older programs claim by the time only.

-- Providers that a refresh of a member's games waits for.
create function providers_of(p_member uuid) returns text language sql stable as $$
  select coalesce(string_agg(distinct a.provider, ' ' order by a.provider), 'none')
    from game_account a where a.member_id = p_member and a.state = 'ACTIVE'
$$;
create function set_providers() returns trigger language plpgsql as $$
begin
  new.providers := providers_of(new.member_id);
  return new;
end
$$;

alter table deposit_bonus add column providers text collate "C" not null default 'none';
alter table incentive_condition add column providers text collate "C" not null default 'none';
update deposit_bonus set providers = providers_of(member_id) where work_at is not null;
update incentive_condition set providers = providers_of(member_id) where not is_told;
create trigger deposit_bonus_providers before insert on deposit_bonus for each row execute function set_providers();
create trigger incentive_condition_providers before insert on incentive_condition for each row execute function set_providers();

drop index deposit_bonus_due;
create index deposit_bonus_due on deposit_bonus (providers, work_at) where work_at is not null;
-- An ended condition waits for the ledger only.
drop index incentive_condition_due;
create index incentive_condition_due on incentive_condition ((case when state = 'ACTIVE' then providers else 'ending' end), look_at)
  where not is_told and state <> 'OPENING';
drop index qrcode_due;
create index qrcode_due on qrcode (gateway, inquire_at) where inquire_at is not null;
-- Only the look-up of a read slip calls the bank.
drop index slip_due;
create index slip_due on slip (state, work_at) where work_at is not null;
-- A proven leg or payout needs no reply. A withdrawal without held money sweeps games.
create index transfer_leg_due on transfer_leg ((case when proof is null then provider else 'proven' end), next_ask_at)
  where state in ('SENT', 'UNKNOWN') or state = 'MANUAL' and (proof is not null or is_asked_again);
drop index withdraw_due;
create index withdraw_due on withdraw ((case when proof is not null then 'proven' when is_held then 'bank' else 'games' end), next_ask_at)
  where state not in ('PAID', 'FAILED') and (state <> 'MANUAL' or proof is not null or is_woken);

-- The push service of a message, and whether its subscription was silent.
alter table push_subscription add column is_silent boolean not null default false;
alter table push_outbox add column lane text collate "C" not null default 'none';
create function push_lane(p_endpoint text, p_is_silent boolean) returns text language sql immutable as $$
  select regexp_replace(split_part(p_endpoint, '/', 3), '^.*\.(push\.apple\.com|notify\.windows\.com)$', '\1')
         || case when p_is_silent then '!silent' else '' end
$$;
create function set_push_lane() returns trigger language plpgsql as $$
begin
  select push_lane(p.endpoint, p.is_silent) into new.lane from push_subscription p where p.id = new.subscription_id;
  new.lane := coalesce(new.lane, 'none');
  return new;
end
$$;
update push_outbox m set lane = push_lane(p.endpoint, false) from push_subscription p where p.id = m.subscription_id;
create trigger push_outbox_lane before insert on push_outbox for each row execute function set_push_lane();
drop index push_outbox_work;
create index push_outbox_work on push_outbox (lane, work_at);
