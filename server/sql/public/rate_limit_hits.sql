-- migration: 0358

-- Counts the hits of all waiting callers in one commit. The limits of a call are counted in order, up to the first
-- exceeded one.
-- @param p_keys distinct keys; p_limit is the index of a hit's key. The limits of one call are adjacent.
-- @returns the refused calls: index of the exceeded limit, and seconds until its window ends
create or replace function rate_limit_hits(p_now timestamptz, p_keys text[], p_call int[], p_limit int[],
       p_seconds float8[], p_most int[])
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
    select new.key, 'epoch', 1 from unnest(p_keys) new(key)
     where not exists (select from rate_limit known where known.key = new.key) order by new.key
    on conflict do nothing;
  with locked as materialized (
    select counter.key, counter.window_start, counter.hits from rate_limit counter
     where counter.key = any(p_keys) order by counter.key for no key update)
  select array_agg(coalesce(locked.window_start, 'epoch') order by input.place),
         array_agg(coalesce(locked.hits, 1) order by input.place)
    into v_starts, v_hits
    from unnest(p_keys) with ordinality input(key, place) left join locked on locked.key = input.key;

  for v_place in 1 .. cardinality(p_call) loop
    continue when p_call[v_place] = v_refused;
    v_key := p_limit[v_place];
    -- A window that starts in the future comes from a wrong clock. It is over too, so that no caller is locked out for
    -- weeks.
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

  insert into rate_limit (key, window_start, hits)
    select counter.key, counter.window_start, counter.hits
      from unnest(p_keys, v_starts, v_hits, v_changed) counter(key, window_start, hits, is_changed)
     where counter.is_changed
    on conflict (key) do update set window_start = excluded.window_start, hits = excluded.hits;
end
$$;
