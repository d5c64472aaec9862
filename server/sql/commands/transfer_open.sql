-- migration: 0361

-- transfer_open: the transfer, its legs, the reservation of the game accounts, and the hold for the first leg.
-- Outcomes:
--   applied · replayed, replayed_refused: an earlier call of this caller opened it; its money is held, or was refused ·
--   key_taken: another caller's key · wallet_suspended · account_busy: another transfer has reserved a game account ·
--   stale_read: a game account has changed since it was read · row_locked: a game account is not ACTIVE, or its row is
--   locked · insufficient_funds: stored as REVERSED
create or replace function commands.transfer_open_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_now constant timestamptz := clock_timestamp();
  v_row record;
begin
  -- Known keys. The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  for v_row in
    select input.position, known.is_own, first_leg.state
      from (select item.* from jsonb_array_elements(p_rows) with ordinality item(row, position)
             order by item.row ->> 'member', item.row ->> 'key') input,
           lateral (select transfer.id, transfer.id = (input.row ->> 'id')::uuid as is_own from transfer
                     where transfer.member_id = (input.row ->> 'member')::uuid
                       and transfer.idempotency_key = input.row ->> 'key' for no key update) known
           left join transfer_leg first_leg on first_leg.transfer_id = known.id and first_leg.leg = 1
  loop
    v_outcomes[v_row.position] := case when not v_row.is_own then 'key_taken'
      when v_row.state = 'REVERSED' then 'replayed_refused' else 'replayed' end;
  end loop;
  for v_row in
    select item.position from jsonb_array_elements(p_rows) with ordinality item(row, position)
     where v_outcomes[item.position] = 'applied'
       and exists (select from wallet_suspension suspension where suspension.member_id = (item.row ->> 'member')::uuid)
  loop
    v_outcomes[v_row.position] := 'wallet_suspended';
  end loop;

  -- Game accounts, in one order for all callers.
  for v_row in
    select wanted.position, account.game_code is null as is_locked, account.busy_with is not null as is_busy,
           wanted.version <> account.version as is_stale
      from (select item.position, (item.row ->> 'member')::uuid as member, leg.game, leg.version
              from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_recordset(item.row -> 'legs') leg(game text, version bigint)
             where v_outcomes[item.position] = 'applied' order by member, leg.game) wanted
           left join lateral (select account.game_code, account.busy_with, account.version from game_account account
                               where account.member_id = wanted.member and account.game_code = wanted.game
                                 and account.state = 'ACTIVE' for no key update skip locked) account on true
  loop
    v_outcomes[v_row.position] := case
      when v_row.is_locked or v_outcomes[v_row.position] = 'row_locked' then 'row_locked'
      when v_row.is_busy or v_outcomes[v_row.position] = 'account_busy' then 'account_busy'
      when v_row.is_stale then 'stale_read'
      else v_outcomes[v_row.position] end;
  end loop;

  update game_account account
     set busy_with = item.row ->> 'reference', are_bets_known = false, version = account.version + 1
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_recordset(item.row -> 'legs') leg(game text)
   where v_outcomes[item.position] = 'applied' and account.member_id = (item.row ->> 'member')::uuid
     and account.game_code = leg.game;

  insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
  select input.id, input.member, input.currency, input.key, decode(input.hash, 'hex'), input.source, input.target,
         input.amount, input.reference
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, currency text, key text, hash text, source text,
                                         target text, amount bigint, reference text)
   where v_outcomes[item.position] = 'applied';

  -- The caller sends the first leg right after the commit. The second waits until the first is closed.
  insert into transfer_leg (transfer_id, leg, member_id, game_code, credits_per_unit, direction, amount, credits,
         provider,
                            username, provider_reference, state, sent_at, balance_before, turnover_before, leased_until)
  select input.id, leg.leg, input.member, leg.game, leg."creditsPerUnit", leg.direction, input.amount, leg.credits, leg.provider,
         leg.username, leg.reference, case leg.leg when 1 then 'SENT' else 'QUEUED' end,
         case leg.leg when 1 then v_now end, leg.before, leg.turnover, v_now + leg.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, amount bigint),
         jsonb_to_recordset(item.row -> 'legs') leg(leg int, game text, "creditsPerUnit" int, direction text, credits bigint,
                                                    provider text, username text, reference text, before bigint,
                                                    turnover bigint, lease_ms int)
   where v_outcomes[item.position] = 'applied';
  return v_outcomes;
end
$$;

-- The refusal is the key's permanent result.
create or replace function commands.transfer_open_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
begin
  update transfer_leg leg
     set state = 'REVERSED', code = 'MONEY_NOT_ENOUGH', finished_at = clock_timestamp(), sent_at = null
    from jsonb_array_elements(p_rows) item where leg.transfer_id = (item ->> 'id')::uuid;
  perform commands.transfer_release_account((item ->> 'member')::uuid, leg.game, item ->> 'reference')
     from jsonb_array_elements(p_rows) item, jsonb_to_recordset(item -> 'legs') leg(game text);
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$$;
