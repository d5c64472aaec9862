-- migration: 0358

-- withdraw_close: the proof of a payout and its money. Outcomes: applied · replayed: an earlier call closed it in the
-- same way · closed_differently · lease_lost: another process owns it · row_locked · books_refused: the ledger refused,
-- the proof is stored
create or replace function commands.withdraw_close_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select input.position, input."to", withdrawal.state,
           withdrawal.fence = input.fence and withdrawal.state = input."from" as is_own
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, fence int, "from" text, "to" text) order by input.id) input,
           lateral (select withdrawal.state, withdrawal.fence from withdraw withdrawal
                     where withdrawal.id = input.id for no key update skip locked) withdrawal
  loop
    v_outcomes[v_row.position] := case when v_row.is_own then 'applied' when v_row.state = v_row."to" then 'replayed'
      when v_row.state in ('PAID', 'FAILED') then 'closed_differently' else 'lease_lost' end;
  end loop;
  update withdraw withdrawal
     set state = input."to", proof = input."to", proof_by = input.by, finished_at = clock_timestamp(),
         -- The bank's result overrides an operator's decision: a paid withdrawal has no reason for a failure.
         reason = case input."to" when 'FAILED' then coalesce(input.reason, withdrawal.reason) end,
         note = coalesce(input.note, withdrawal.note), trans_ref = coalesce(input.trans_ref, withdrawal.trans_ref)
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, "to" text, by text, reason text, note text, trans_ref text)
   where v_outcomes[item.position] = 'applied' and withdrawal.id = input.id;
  return v_outcomes;
end
$$;

create or replace function commands.withdraw_close_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
begin
  update withdraw withdrawal set state = input."from", finished_at = null
    from jsonb_to_recordset(p_rows) input(id uuid, "from" text) where withdrawal.id = input.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
