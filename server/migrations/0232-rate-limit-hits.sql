-- oldest program: 0231
-- Counts the hits of all callers who wait in one commit. The limits of a call are counted in their order, up to the first that is
-- exceeded; a caller's own come one after the other. @param p_keys each once; p_limit says where the key of a hit stands in it
-- @returns the calls that are refused: the place of the exceeded limit and the seconds until its window ends
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
  -- First the new keys, then locks of all that were there, both in the order of the keys: concurrent calls wait for each other
  -- in one direction. A window of 1970 is over.
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
    -- A window that starts in the future comes from a wrong clock and is over too: no caller is locked out for weeks.
    if abs(extract(epoch from p_now - v_starts[v_key])) >= p_seconds[v_place] then
      v_starts[v_key] := p_now;
      v_hits[v_key] := 1;
      v_changed[v_key] := true;
    elsif v_hits[v_key] <> p_most[v_place] + 1 then
      -- Counting stops at one past the limit, so that a flood does not keep writing the row.
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
