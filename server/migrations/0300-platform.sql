-- Platform: what every node shares and no module owns.

-- Rate limits, shared by all nodes. Unlogged: a crash loses the counters of one window, which is cheaper than a WAL record
-- per request.
create unlogged table rate_limit (
  key text primary key,
  window_start timestamptz not null,
  hits integer not null,
  constraint rate_limit_hits check (hits > 0)
) with (fillfactor = 70);

create index rate_limit_window_start on rate_limit (window_start);

-- The row that /health/ready writes: a database that answers reads may still refuse writes.
create table health_probe (
  only_row boolean primary key default true,
  written_at timestamptz not null,
  constraint health_probe_only_row check (only_row)
);

-- A text sealed with the key of the first start. A server whose key cannot open it refuses to start.
create table encryption_check (
  only_row boolean primary key default true,
  sealed bytea not null,
  constraint encryption_check_only_row check (only_row)
);

-- File folders of servers without a bucket. Only servers with the folder see its files.
create table file_folder (
  id text collate "C" primary key,
  -- Host and path, for operators.
  place text not null,
  seen_at timestamptz not null default now()
);

-- Trigger of append-only tables.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the table % is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;

-- Actions of operators: who, when, what, to what, and why. Written in the transaction of the action; append-only.
create table operator_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  operator text not null,
  what text not null,
  subject text not null,
  reason text not null,
  constraint operator_log_operator check (operator ~ '^[A-Za-z0-9._-]{1,40}$'),
  constraint operator_log_words check (length(what) between 1 and 200 and length(subject) between 1 and 200),
  constraint operator_log_reason check (length(reason) between 5 and 500)
);

create index operator_log_subject on operator_log (subject, id);

create trigger operator_log_only_added_to
  before update or delete or truncate on operator_log
  for each statement execute function refuse_change();

-- Counts the hits of all waiting callers in one commit. The limits of a call are counted in order, up to the first exceeded one.
-- @param p_keys distinct keys; p_limit is the index of a hit's key. The limits of one call are adjacent.
-- @returns the refused calls: index of the exceeded limit, and seconds until its window ends
create function rate_limit_hits(p_now timestamptz, p_keys text[], p_call int[], p_limit int[], p_seconds float8[], p_most int[])
returns table (call int, place int, seconds_left int) language plpgsql as $$
#variable_conflict use_column
declare
  v_starts timestamptz[];
  v_hits int[];
  v_changed boolean[] := array_fill(false, array[cardinality(p_keys)]);
  v_key int;
  v_refused int;
begin
  -- Inserts new keys, then locks the existing ones, both in key order: concurrent calls wait in one direction.
  -- A window that starts at the epoch is over.
  insert into rate_limit (key, window_start, hits)
    select k, 'epoch', 1 from unnest(p_keys) k where not exists (select from rate_limit r where r.key = k) order by k
    on conflict do nothing;
  with locked as materialized (
    select r.key, r.window_start, r.hits from rate_limit r where r.key = any(p_keys) order by r.key for no key update)
  select array_agg(coalesce(l.window_start, 'epoch') order by k.place), array_agg(coalesce(l.hits, 1) order by k.place)
    into v_starts, v_hits
    from unnest(p_keys) with ordinality k(key, place) left join locked l on l.key = k.key;

  for v_place in 1 .. cardinality(p_call) loop
    continue when p_call[v_place] = v_refused;
    v_key := p_limit[v_place];
    -- A window that starts in the future comes from a wrong clock. It is over too, so that no caller is locked out for weeks.
    if abs(extract(epoch from p_now - v_starts[v_key])) >= p_seconds[v_place] then
      v_starts[v_key] := p_now;
      v_hits[v_key] := 1;
      v_changed[v_key] := true;
    elsif v_hits[v_key] <> p_most[v_place] + 1 then
      -- Counting stops one past the limit, so that a flood does not rewrite the row.
      v_hits[v_key] := least(v_hits[v_key], p_most[v_place]) + 1;
      v_changed[v_key] := true;
    end if;
    if v_hits[v_key] > p_most[v_place] then
      v_refused := p_call[v_place];
      call := v_refused;
      place := v_place;
      seconds_left := extract(epoch from v_starts[v_key] + make_interval(secs => p_seconds[v_place]) - p_now)::int;
      return next;
    end if;
  end loop;

  insert into rate_limit as r (key, window_start, hits)
    select k.key, k.window_start, k.hits from unnest(p_keys, v_starts, v_hits, v_changed) k(key, window_start, hits, is_changed)
     where k.is_changed
    on conflict (key) do update set window_start = excluded.window_start, hits = excluded.hits;
end
$$;

-- Items of job loops whose last attempt failed. A success deletes the row.
create table failed_work (
  table_name text not null,
  -- The item's key in that table.
  item text not null,
  attempts int not null default 1,
  error text not null,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  constraint failed_work_key primary key (table_name, item),
  constraint failed_work_attempts check (attempts > 0),
  constraint failed_work_error check (length(error) <= 300)
);
