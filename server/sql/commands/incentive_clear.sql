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
    select input.position, condition.state, condition.clear_attempt = input.attempt as is_own
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, attempt int) order by input.id) input,
           lateral (select condition.state, condition.clear_attempt from incentive_condition condition
                     where condition.id = input.id for no key update skip locked) condition
  loop
    -- ACTIVE: an earlier call of this attempt was refused.
    v_outcomes[v_row.position] := case when not v_row.is_own then 'lease_lost'
      when v_row.state = 'CLEARING' then 'applied'
      when v_row.state = 'ACTIVE' then 'insufficient_funds' else 'replayed' end;
  end loop;
  update incentive_condition condition set state = input."to", is_told = true, ended_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, "to" text)
   where v_outcomes[item.position] = 'applied' and condition.id = input.id;
  return v_outcomes;
end
$$;

create or replace function commands.incentive_clear_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
begin
  update incentive_condition condition
     set state = 'ACTIVE', is_told = false, ended_at = null, takes_back = null, ended_current = null
    from jsonb_to_recordset(p_rows) input(id uuid) where condition.id = input.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$$;
