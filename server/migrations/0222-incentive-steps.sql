-- A grant is credited, a condition's end told, and a bonus taken back in the commit that posts it to the ledger. Play counts since
-- the ledger operation of the grant's key: its number need not be stored.
alter table incentive_grant drop constraint incentive_grant_paid;
alter table incentive_grant drop column operation_id;
alter table incentive_grant add constraint incentive_grant_paid check ((state = 'PAID') = (paid_at is not null));
alter table incentive_condition drop constraint incentive_condition_started;
alter table incentive_condition drop column started_operation;
alter table incentive_condition add constraint incentive_condition_started
  check (started_at is not null or state in ('OPENING', 'FAILED'));

-- Letters of all three: o done · D done before · l another attempt, or nothing to do · w the row is being changed: again later ·
--   f the ledger refused: nothing has changed · r (clear) the money is not there: the condition goes on
create function settlement.incentive_pay_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('w'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, g.state,
           exists (select from incentive_condition c where c.id = t.id)
             and not exists (select from incentive_condition c where c.id = t.id for no key update skip locked) as is_away
      from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.state from incentive_grant l where l.id = t.id for no key update skip locked) g
  loop
    v_letters[v_row.i] := case when v_row.state <> 'OPEN' then 'D' when v_row.is_away then 'w' else 'o' end;
  end loop;
  update incentive_grant g set state = 'PAID', paid_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_letters[t.i] = 'o' and g.id = n.id;
  update incentive_condition c
     set state = 'ACTIVE', started_at = clock_timestamp(), look_at = clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, lease_ms int)
   where v_letters[t.i] = 'o' and c.id = n.id and c.state = 'OPENING';
  return v_letters;
end
$$;

create function settlement.incentive_pay_refused(p_rows jsonb, p_outcomes text[]) returns text[] language plpgsql as $$
begin
  update incentive_grant g set state = 'OPEN', paid_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where g.id = n.id;
  update incentive_condition c set state = 'OPENING', started_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('f'::text, array[cardinality(p_outcomes)]);
end
$$;

create function settlement.incentive_end_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('w'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.is_told, c.ended_at from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                                                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.is_told, l.ended_at from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    v_letters[v_row.i] := case when v_row.is_told then 'D' when v_row.ended_at is null then 'l' else 'o' end;
  end loop;
  update incentive_condition c set is_told = true
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_letters[t.i] = 'o' and c.id = n.id;
  return v_letters;
end
$$;

create function settlement.incentive_end_refused(p_rows jsonb, p_outcomes text[]) returns text[] language plpgsql as $$
begin
  update incentive_condition c set is_told = false
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('f'::text, array[cardinality(p_outcomes)]);
end
$$;

create function settlement.incentive_clear_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('w'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.state, c.clear_attempt = t.attempt as is_mine
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, attempt int) order by n.id) t,
           lateral (select l.state, l.clear_attempt from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    v_letters[v_row.i] := case when not v_row.is_mine then 'l' when v_row.state = 'CLEARING' then 'o'
      when v_row.state = 'ACTIVE' then 'r' else 'D' end;
  end loop;
  update incentive_condition c set state = n."to", is_told = true, ended_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, "to" text)
   where v_letters[t.i] = 'o' and c.id = n.id;
  return v_letters;
end
$$;

create function settlement.incentive_clear_refused(p_rows jsonb, p_outcomes text[]) returns text[] language plpgsql as $$
begin
  update incentive_condition c set state = 'ACTIVE', is_told = false, ended_at = null, takes_back = null, ended_current = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('r'::text, array[cardinality(p_outcomes)]);
end
$$;
