-- The ledger: double entry, in its own schema so that no other module uses these tables by accident. Money is bigint minor units.
-- Rows of operation, entry and batch are never deleted. Only the state of a hold ever changes. docs/ledger.md explains the tables.
create schema ledger;

-- Currencies of wallets, the same list as in the contract. To add one, change this constraint alone.
create domain currency as text collate "C" constraint currency_known check (value in ('BAHT', 'LAK'));

-- mark: moves nothing. It records the end of something, such as a bonus condition, as a statement entry and a socket event.
create type ledger.operation_type as enum ('transfer', 'hold', 'post', 'void', 'adjust', 'mark');
create type ledger.operation_state as enum ('applied', 'rejected', 'pending', 'posted', 'voided');

-- member_id is text, unlike in other tables, because '' is the house: a batch names accounts of both. A house account has one row
-- ("stripe") per lane and its balance is their sum, so that two lanes never wait for each other. seq counts the entries, resolved
-- the entries that ended a hold; the difference is the number of movements in a statement. No index contains a changing column and
-- half of each page is free: every update is HOT and touches no index.
create table ledger.account (
  id bigint generated always as identity primary key,
  posted bigint not null default 0,
  held bigint not null default 0,
  floor bigint not null default 0,
  seq bigint not null default 0,
  resolved bigint not null default 0,
  at timestamptz not null default '-infinity',
  stripe smallint not null default 0,
  bounded boolean not null,
  member_id text collate "C" not null,
  kind text collate "C" not null,
  currency currency not null,
  constraint account_owner unique (member_id, kind, currency, stripe),
  constraint account_floor check (not bounded or posted - held >= floor),
  constraint account_held check (held >= 0 and (bounded or held = 0)),
  constraint account_bounded check (bounded = (member_id <> ''))
) with (fillfactor = 50);

-- id is batch id * 1024 + index in the batch. Keys are 128 bits of a SHA-256: of fixed width, and they never expire.
create table ledger.operation (
  id bigint primary key,
  idempotency_key uuid not null,
  request_hash uuid not null,
  debit bigint not null,
  credit bigint not null,
  amount bigint not null,
  pending bigint,
  type ledger.operation_type not null,
  state ledger.operation_state not null,
  kind text collate "C" not null,
  reference text collate "C" not null,
  actor text collate "C" not null,
  reason text collate "C",
  constraint operation_key unique (idempotency_key),
  constraint operation_amount check (case when type::text = 'mark' then amount = 0
    else amount > 0 or (amount = 0 and (state = 'rejected' or type = 'adjust')) end),
  constraint operation_state check ((type = 'hold') = (state in ('pending', 'posted', 'voided')) or state = 'rejected'),
  constraint operation_reason check ((state = 'rejected') = (reason is not null)),
  constraint operation_legs check (debit <> credit)
);

-- Open holds only: the index stays as small as their number.
create index operation_open on ledger.operation (debit, id) where state = 'pending';

create table ledger.entry (
  account_id bigint not null,
  seq bigint not null,
  operation_id bigint not null,
  amount bigint not null,
  balance bigint not null,
  held bigint not null,
  at timestamptz not null,
  constraint entry_once primary key (account_id, seq)
);

create trigger entry_append_only
  before update or delete or truncate on ledger.entry
  for each statement execute function refuse_change();

create sequence ledger.batch_id;

-- Head of a lane's hash chain. Each call locks it first, so that calls of two processes on one lane are serialised.
create table ledger.lane (
  id smallint primary key,
  last_batch bigint not null default 0,
  hash bytea not null default '\x'
) with (fillfactor = 50);

create table ledger.batch (
  id bigint primary key,
  lane smallint not null,
  first_operation bigint not null,
  last_operation bigint not null,
  at timestamptz not null,
  previous_hash bytea not null,
  hash bytea not null
);

-- For a process that has missed batches of a lane.
create index batch_of_lane on ledger.batch (lane, id);

-- The hashed text of a batch: written by post_batch, recomputed by the audit. A hold stays pending in it, because the operation that
-- resolves the hold is hashed as well.
create function ledger.operation_line(o ledger.operation) returns text language sql stable parallel safe as $$
  select concat_ws(E'\x1f', (o).id, (o).idempotency_key, (o).request_hash, (o).debit, (o).credit, (o).amount, (o).pending,
    (o).type, case when (o).type = 'hold' and (o).state <> 'rejected' then 'pending' else (o).state end, (o).kind,
    (o).reference, (o).actor, (o).reason)
$$;
create function ledger.entry_line(e ledger.entry) returns text language sql stable parallel safe as $$
  select concat_ws(E'\x1f', (e).account_id, (e).seq, (e).operation_id, (e).amount, (e).balance, (e).held)
$$;
create function ledger.batch_text(p_lane smallint, p_batch bigint, p_at timestamptz, p_operations text, p_entries text)
returns bytea language sql stable parallel safe as $$
  select convert_to(
    concat_ws(E'\x1f', p_lane, p_batch, to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'))
    || E'\n' || coalesce(p_operations, '') || E'\n' || coalesce(p_entries, ''), 'UTF8')
$$;

-- seq of the account's last entry that belongs to the operation or to an earlier one; 0 when there is none. Operation ids only grow
-- within an account, so that a search needs no index on operation_id. Most callers ask about one of the last entries: the search
-- steps back from the last entry in steps that double, then bisects.
create function ledger.seq_until(p_account bigint, p_operation bigint) returns bigint language plpgsql stable as $$
declare
  -- The entry v_low may belong to a later operation; all entries after v_high do.
  v_high bigint := coalesce((select a.seq from ledger.account a where a.id = p_account), 0);
  v_low bigint := v_high;
  v_step bigint := 1;
  v_middle bigint;
begin
  while v_low > 0 loop
    exit when (select e.operation_id from ledger.entry e where e.account_id = p_account and e.seq = v_low) <= p_operation;
    v_high := v_low - 1;
    v_low := greatest(v_low - v_step, 0);
    v_step := v_step * 2;
  end loop;
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    if (select e.operation_id from ledger.entry e where e.account_id = p_account and e.seq = v_middle) <= p_operation then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$$;

-- Number of entries that an account had before a time. Times never decrease within an account, so that bisection needs no index on
-- time.
create function ledger.seq_before(p_account bigint, p_at timestamptz) returns bigint language plpgsql stable as $$
declare
  v_low bigint := 0;
  v_high bigint := coalesce((select a.seq from ledger.account a where a.id = p_account), 0);
  v_middle bigint;
begin
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    if (select e.at from ledger.entry e where e.account_id = p_account and e.seq = v_middle) < p_at then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$$;
