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
    select t.i, g.state,
           exists (select from incentive_condition c where c.id = t.id)
             and not exists (select from incentive_condition c where c.id = t.id for no key update skip locked) as is_locked
      from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.state from incentive_grant l where l.id = t.id for no key update skip locked) g
  loop
    v_outcomes[v_row.i] := case when v_row.state <> 'OPEN' then 'replayed' when v_row.is_locked then 'row_locked' else 'applied' end;
  end loop;
  update incentive_grant g set state = 'PAID', paid_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_outcomes[t.i] = 'applied' and g.id = n.id;
  update incentive_condition c
     set state = 'ACTIVE', started_at = clock_timestamp(), look_at = clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, lease_ms int)
   where v_outcomes[t.i] = 'applied' and c.id = n.id and c.state = 'OPENING';
  return v_outcomes;
end
$$;

create or replace function commands.incentive_pay_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update incentive_grant g set state = 'OPEN', paid_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where g.id = n.id;
  update incentive_condition c set state = 'OPENING', started_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
