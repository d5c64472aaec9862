-- migration: 0358

-- transfer_close: the proof of a leg, its money, the end of the reservation, and the start or the end of a second leg.
-- Outcomes:
--   applied · second_leg_refused: closed, but the money of the second leg could not be held, and that leg is reversed ·
--   replayed, replayed_second_leg_refused: an earlier call closed it in the same way · closed_differently ·
--   lease_lost: another process owns the leg · row_locked
create or replace function commands.transfer_close_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_now constant timestamptz := clock_timestamp();
  v_row record;
begin
  for v_row in
    select input.position, leg.state, leg.fence = input.fence and leg.state = input.from as is_own,
           leg.state = input.to as is_same, input.second is not null as has_second,
           (select second_leg.state from transfer_leg second_leg
             where second_leg.transfer_id = input.id and second_leg.leg = 2) as second,
           -- The accounts of both legs.
           (select count(*) from (select from game_account account
                                   where account.member_id = input.member and account.game_code = any(input.games)
                                   order by account.game_code for no key update skip locked) account)
             < cardinality(input.games) as is_locked
      from (select input.*, item.position
              from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, leg int, fence int, "from" text, "to" text, member uuid,
                                                   games text[], second jsonb)
             order by input.id, input.leg) input,
           lateral (select leg.state, leg.fence from transfer_leg leg
                     where leg.transfer_id = input.id and leg.leg = input.leg for no key update skip locked) leg
  loop
    v_outcomes[v_row.position] := case
      when v_row.is_own and v_row.is_locked then 'row_locked'
      when v_row.is_own then 'applied'
      when v_row.state not in ('DONE', 'REVERSED') then 'lease_lost'
      when not v_row.is_same then 'closed_differently'
      when v_row.has_second and v_row.second is distinct from 'SENT' then 'replayed_second_leg_refused'
      else 'replayed' end;
  end loop;

  update transfer_leg leg
     set state = input.to, proof = input.proof, proof_by = input.by, proof_balance = input.balance, finished_at = v_now,
         code = coalesce(leg.code, input.code), detail = coalesce(leg.detail, input.detail)
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, leg int, "to" text, proof text, by text, balance bigint, code text,
                                         detail text)
   where v_outcomes[item.position] = 'applied' and leg.transfer_id = input.id and leg.leg = input.leg;
  -- One statement for all rows. An account occurs once: it is reserved for one transfer.
  update game_account account
     set busy_with = null, version = account.version + 1,
         is_stale = account.is_stale and not input.is_balance_final,
         refreshed_at = case when input.is_balance_final then now() else account.refreshed_at end,
         last_top_up = coalesce(input.top_up, account.last_top_up)
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(member uuid, game text, reference text, is_balance_final boolean,
                                         top_up bigint)
   where v_outcomes[item.position] = 'applied' and account.member_id = input.member
     and account.game_code = input.game and account.busy_with = input.reference;

  -- From game to game: the second leg starts, or is cancelled.
  if p_rows @? '$[*] ? (@.has_second_leg == true)' then
    update transfer_leg leg
       set state = 'SENT', sent_at = v_now, balance_before = second.before, turnover_before = second.turnover,
           leased_until = v_now + second.lease_ms * interval '1 ms'
      from jsonb_array_elements(p_rows) with ordinality item(row, position),
           jsonb_to_record(item.row -> 'second') second(before bigint, turnover bigint, lease_ms int)
     where v_outcomes[item.position] = 'applied' and item.row -> 'second' <> 'null'::jsonb
       and leg.transfer_id = (item.row ->> 'id')::uuid and leg.leg = 2 and leg.state = 'QUEUED';
    perform commands.transfer_cancel_second_leg((item.row ->> 'id')::uuid)
       from jsonb_array_elements(p_rows) with ordinality item(row, position)
      where v_outcomes[item.position] = 'applied' and (item.row ->> 'has_second_leg')::boolean;
  end if;
  return v_outcomes;
end
$$;

-- `purposes` of a row names each of its operations: settle, follow_balance, hold_second.
create or replace function commands.transfer_close_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
declare
  v_outcomes text[] := '{}';
  v_row jsonb;
  v_verdicts text[];
  v_outcome text;
begin
  for v_row in select * from jsonb_array_elements(p_rows) loop
    v_verdicts := string_to_array(p_verdicts[cardinality(v_outcomes) + 1], ',');
    v_outcome := 'applied';
    for v_index in 1..cardinality(v_verdicts) loop
      continue when v_verdicts[v_index] = 'applied';
      case v_row -> 'purposes' ->> (v_index - 1)
        when 'follow_balance' then
          -- The ledger account cannot take the reported balance, which is no longer current.
          update game_account account set is_stale = true
           where account.member_id = (v_row ->> 'member')::uuid and account.game_code = v_row ->> 'game';
        when 'hold_second' then
          update transfer_leg leg set state = 'QUEUED', sent_at = null
           where leg.transfer_id = (v_row ->> 'id')::uuid and leg.leg = 2;
          perform commands.transfer_cancel_second_leg((v_row ->> 'id')::uuid);
          v_outcome := 'second_leg_refused';
        else
          raise exception 'commands: the ledger refused the money of leg % of transfer %', v_row ->> 'leg',
                 v_row ->> 'id';
      end case;
    end loop;
    v_outcomes := v_outcomes || v_outcome;
  end loop;
  return v_outcomes;
end
$$;
