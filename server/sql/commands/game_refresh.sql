-- migration: 0358

-- game_refresh: the balance and bets that a provider reported, unless the account has changed since the request.
-- Outcomes:
--   applied · stale_read · row_locked · books_refused: the ledger account cannot take the balance
create or replace function commands.game_refresh_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select input.position, account.version = input.version and account.busy_with is null as is_current
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(member uuid, game text, version bigint)
             order by input.member, input.game) input,
           lateral (select account.version, account.busy_with from game_account account
                     where account.member_id = input.member and account.game_code = input.game
                       for no key update skip locked) account
  loop
    v_outcomes[v_row.position] := case when v_row.is_current then 'applied' else 'stale_read' end;
  end loop;
  update game_account account
     set is_stale = false, are_bets_known = true, version = account.version + 1, refreshed_at = now(),
         outstanding = input.outstanding, turnover = input.turnover
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(member uuid, game text, outstanding bigint, turnover bigint)
   where v_outcomes[item.position] = 'applied' and account.member_id = input.member and account.game_code = input.game;
  return v_outcomes;
end
$$;

-- Money of the account is held by a transfer: its balance is unknown.
create or replace function commands.game_refresh_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
begin
  update game_account account set is_stale = true
    from jsonb_to_recordset(p_rows) input(member uuid, game text)
   where account.member_id = input.member and account.game_code = input.game;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
