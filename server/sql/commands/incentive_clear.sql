-- migration: 0358

-- incentive_clear: ends a condition early and takes back what is left of its grant. Outcomes: applied · replayed ·
-- lease_lost: another attempt · row_locked · insufficient_funds: the condition stays active
create or replace function commands.incentive_clear_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.state, c.clear_attempt = t.attempt as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, attempt int) order by n.id) t,
           lateral (select l.state, l.clear_attempt from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    -- ACTIVE: an earlier call of this attempt was refused.
    v_outcomes[v_row.i] := case when not v_row.is_own then 'lease_lost' when v_row.state = 'CLEARING' then 'applied'
      when v_row.state = 'ACTIVE' then 'insufficient_funds' else 'replayed' end;
  end loop;
  update incentive_condition c set state = n."to", is_told = true, ended_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, "to" text)
   where v_outcomes[t.i] = 'applied' and c.id = n.id;
  return v_outcomes;
end
$$;

create or replace function commands.incentive_clear_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update incentive_condition c set state = 'ACTIVE', is_told = false, ended_at = null, takes_back = null, ended_current = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$$;
