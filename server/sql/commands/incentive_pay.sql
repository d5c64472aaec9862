-- migration: 0358

-- incentive_pay: credits a grant; its condition becomes active. Outcomes: applied · replayed · row_locked ·
-- books_refused: the ledger refused, nothing has changed
create or replace function commands.incentive_pay_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select input.position, incentive.state,
           exists (select from incentive_condition condition where condition.id = input.id)
             and not exists (select from incentive_condition condition
                              where condition.id = input.id for no key update skip locked) as is_locked
      from (select input.id, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid) order by input.id) input,
           lateral (select incentive.state from incentive_grant incentive
                     where incentive.id = input.id for no key update skip locked) incentive
  loop
    v_outcomes[v_row.position] := case when v_row.state <> 'OPEN' then 'replayed'
      when v_row.is_locked then 'row_locked' else 'applied' end;
  end loop;
  update incentive_grant incentive set state = 'PAID', paid_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality item(row, position), jsonb_to_record(item.row) input(id uuid)
   where v_outcomes[item.position] = 'applied' and incentive.id = input.id;
  update incentive_condition condition
     set state = 'ACTIVE', started_at = clock_timestamp(),
         look_at = clock_timestamp() + input.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, lease_ms int)
   where v_outcomes[item.position] = 'applied' and condition.id = input.id and condition.state = 'OPENING';
  return v_outcomes;
end
$$;

create or replace function commands.incentive_pay_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
begin
  update incentive_grant incentive set state = 'OPEN', paid_at = null
    from jsonb_to_recordset(p_rows) input(id uuid) where incentive.id = input.id;
  update incentive_condition condition set state = 'OPENING', started_at = null
    from jsonb_to_recordset(p_rows) input(id uuid) where condition.id = input.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
