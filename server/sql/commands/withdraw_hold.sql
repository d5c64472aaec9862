-- migration: 0358

-- withdraw_hold: the hold after the games were swept. Outcomes: applied · lease_lost: another process prepares the withdrawal, or
-- its money is held already · row_locked · insufficient_funds: stored as FAILED
create or replace function commands.withdraw_hold_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, l.state = 'HELD' and not l.is_held and l.fence = t.fence as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int) order by n.id) t,
           lateral (select w.state, w.is_held, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case when v_row.is_own then 'applied' else 'lease_lost' end;
  end loop;
  update withdraw w set is_held = true, not_brought = n.not_brought, asks = 0, next_ask_at = clock_timestamp(),
         leased_until = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, not_brought jsonb)
   where v_outcomes[t.i] = 'applied' and w.id = n.id;
  return v_outcomes;
end
$$;

create or replace function commands.withdraw_hold_refused(p_rows jsonb, p_verdicts text[]) returns text[] language sql as $$
  select commands.withdraw_open_refused(p_rows, p_verdicts)
$$;
