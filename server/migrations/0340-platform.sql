-- oldest program: 0333
-- Leases name the program that holds them. When its session ends, another program releases them. Leases of older programs name none
-- and end by the time.
create table program_instance (
  id integer constraint program_instance_pkey primary key,
  started_at timestamptz not null default now()
);

-- The program of this session; null in sessions of older programs.
create function lease_holder() returns integer language sql stable as $$
  select nullif(current_setting('krapao.instance', true), '')::integer
$$;

-- Tables whose due time is the lease. It is held while the due time is `leased_to`: each schedule ends it, also one of an older program.
alter table qrcode add column leased_by integer, add column leased_to timestamptz;
create index qrcode_leased on qrcode (leased_by) where leased_to = inquire_at;
alter table truelink_gift add column leased_by integer, add column leased_to timestamptz;
create index truelink_gift_leased on truelink_gift (leased_by) where leased_to = work_at;
alter table slip add column leased_by integer, add column leased_to timestamptz;
create index slip_leased on slip (leased_by) where leased_to = work_at;
alter table deposit_arrival add column leased_by integer, add column leased_to timestamptz;
create index deposit_arrival_leased on deposit_arrival (leased_by) where leased_to = work_at;
alter table deposit_feed add column leased_by integer, add column leased_to timestamptz;
create index deposit_feed_leased on deposit_feed (leased_by) where leased_to = poll_at;
alter table deposit_bonus add column leased_by integer, add column leased_to timestamptz;
create index deposit_bonus_leased on deposit_bonus (leased_by) where leased_to = work_at;
alter table incentive_condition add column leased_by integer, add column leased_to timestamptz;
create index incentive_condition_leased on incentive_condition (leased_by) where leased_to = look_at;
alter table push_outbox add column leased_by integer, add column leased_to timestamptz;
create index push_outbox_leased on push_outbox (leased_by) where leased_to = work_at;
alter table chat_conversation add column leased_by integer, add column leased_to timestamptz;
create index chat_conversation_leased on chat_conversation (leased_by) where leased_to = tell_at;
alter table statement_export add column leased_by integer, add column leased_to timestamptz;
create index statement_export_leased on statement_export (leased_by) where leased_to = work_at;

-- Tables with a lease of their own, which commands set too.
create function set_lease_holder() returns trigger language plpgsql as $$
begin
  new.leased_by := case when new.leased_until > now() then lease_holder() end;
  return new;
end
$$;
alter table transfer_leg add column leased_by integer;
create index transfer_leg_leased on transfer_leg (leased_by) where state not in ('DONE', 'REVERSED') and leased_by is not null;
create trigger transfer_leg_lease_holder before insert or update of leased_until on transfer_leg for each row execute function set_lease_holder();
alter table withdraw add column leased_by integer;
create index withdraw_leased on withdraw (leased_by) where state not in ('PAID', 'FAILED') and leased_by is not null;
create trigger withdraw_lease_holder before insert or update of leased_until on withdraw for each row execute function set_lease_holder();
alter table incentive_grant add column leased_by integer;
create index incentive_grant_leased on incentive_grant (leased_by) where state = 'OPEN' and leased_by is not null;
create trigger incentive_grant_lease_holder before insert or update of leased_until on incentive_grant for each row execute function set_lease_holder();
