-- migration: 0358

-- game_refresh: the balance and bets that a provider reported, unless the account has changed since the request. Outcomes:
--   applied · stale_read · row_locked · books_refused: the ledger account cannot take the balance
create or replace function commands.game_refresh_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select r.i, a.version = r.version and a.busy_with is null as is_current
      from (select n.*, t.i from jsonb_array_elements(p_rows) with ordinality t(row, i),
                   jsonb_to_record(t.row) n(member uuid, game text, version bigint)
             order by n.member, n.game) r,
           lateral (select a.version, a.busy_with from game_account a where a.member_id = r.member and a.game_code = r.game
                       for no key update skip locked) a
  loop
    v_outcomes[v_row.i] := case when v_row.is_current then 'applied' else 'stale_read' end;
  end loop;
  update game_account a set is_stale = false, are_bets_known = true, version = a.version + 1, refreshed_at = now(),
         outstanding = n.outstanding, turnover = n.turnover
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(member uuid, game text, outstanding bigint, turnover bigint)
   where v_outcomes[t.i] = 'applied' and a.member_id = n.member and a.game_code = n.game;
  return v_outcomes;
end
$$;

-- Money of the account is held by a transfer: its balance is unknown.
create or replace function commands.game_refresh_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update game_account a set is_stale = true
    from jsonb_to_recordset(p_rows) n(member uuid, game text) where a.member_id = n.member and a.game_code = n.game;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
