-- migration: 0361

-- withdraw_hold: the hold after the games were swept. Outcomes: applied · lease_lost: another process prepares the
-- withdrawal, or its money is held already · row_locked · insufficient_funds: stored as FAILED
create or replace function commands.withdraw_hold_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select input.position,
           withdrawal.state = 'HELD' and not withdrawal.is_held and withdrawal.fence = input.fence as is_own
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, fence int) order by input.id) input,
           lateral (select withdrawal.state, withdrawal.is_held, withdrawal.fence from withdraw withdrawal
                     where withdrawal.id = input.id for no key update skip locked) withdrawal
  loop
    v_outcomes[v_row.position] := case when v_row.is_own then 'applied' else 'lease_lost' end;
  end loop;
  update withdraw withdrawal
     set is_held = true, not_brought = input.not_brought, inquiries = 0, next_inquiry_at = clock_timestamp(),
         leased_until = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, not_brought jsonb)
   where v_outcomes[item.position] = 'applied' and withdrawal.id = input.id;
  return v_outcomes;
end
$$;

create or replace function commands.withdraw_hold_refused(p_rows jsonb, p_verdicts text[])
returns text[] language sql as $$
  select commands.withdraw_open_refused(p_rows, p_verdicts)
$$;
