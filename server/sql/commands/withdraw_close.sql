-- migration: 0358

-- withdraw_close: the proof of a payout and its money. Outcomes: applied · replayed: an earlier call closed it in the same way ·
-- closed_differently · lease_lost: another process owns it · row_locked · books_refused: the ledger refused, the proof is stored
create or replace function commands.withdraw_close_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, t."to", l.state, l.fence = t.fence and l.state = t."from" as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int, "from" text, "to" text) order by n.id) t,
           lateral (select w.state, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case when v_row.is_own then 'applied' when v_row.state = v_row."to" then 'replayed'
      when v_row.state in ('PAID', 'FAILED') then 'closed_differently' else 'lease_lost' end;
  end loop;
  update withdraw w
     set state = n."to", proof = n."to", proof_by = n.by, finished_at = clock_timestamp(),
         -- The bank's result overrides an operator's decision: a paid withdrawal has no reason for a failure.
         reason = case n."to" when 'FAILED' then coalesce(n.reason, w.reason) end, note = coalesce(n.note, w.note), trans_ref = coalesce(n.trans_ref, w.trans_ref)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, "to" text, by text, reason text, note text, trans_ref text)
   where v_outcomes[t.i] = 'applied' and w.id = n.id;
  return v_outcomes;
end
$$;

create or replace function commands.withdraw_close_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update withdraw w set state = n."from", finished_at = null
    from jsonb_to_recordset(p_rows) n(id uuid, "from" text) where w.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
