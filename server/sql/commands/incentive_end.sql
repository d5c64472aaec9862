-- migration: 0358

-- incentive_end: the statement entry of a condition that has ended. Outcomes: applied · replayed · not_ended · row_locked ·
-- books_refused: the ledger refused, nothing has changed
create or replace function commands.incentive_end_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.is_told, c.ended_at from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                                                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.is_told, l.ended_at from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    v_outcomes[v_row.i] := case when v_row.is_told then 'replayed' when v_row.ended_at is null then 'not_ended' else 'applied' end;
  end loop;
  update incentive_condition c set is_told = true
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_outcomes[t.i] = 'applied' and c.id = n.id;
  return v_outcomes;
end
$$;

create or replace function commands.incentive_end_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update incentive_condition c set is_told = false
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
