-- migration: 0358

-- incentive_end: the statement entry of a condition that has ended. Outcomes: applied · replayed · not_ended ·
-- row_locked · books_refused: the ledger refused, nothing has changed
create or replace function commands.incentive_end_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select input.position, condition.is_told, condition.ended_at
      from (select input.id, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid) order by input.id) input,
           lateral (select condition.is_told, condition.ended_at from incentive_condition condition
                     where condition.id = input.id for no key update skip locked) condition
  loop
    v_outcomes[v_row.position] := case when v_row.is_told then 'replayed'
      when v_row.ended_at is null then 'not_ended' else 'applied' end;
  end loop;
  update incentive_condition condition set is_told = true
    from jsonb_array_elements(p_rows) with ordinality item(row, position), jsonb_to_record(item.row) input(id uuid)
   where v_outcomes[item.position] = 'applied' and condition.id = input.id;
  return v_outcomes;
end
$$;

create or replace function commands.incentive_end_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
begin
  update incentive_condition condition set is_told = false
    from jsonb_to_recordset(p_rows) input(id uuid) where condition.id = input.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
