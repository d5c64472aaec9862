-- migration: 0358

-- transfer_close: the proof of a leg, its money, the end of the reservation, and the start or the end of a second leg. Outcomes:
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
    select t.i, l.state, l.fence = t.fence and l.state = t.from as is_own, l.state = t.to as is_same,
           t.second is not null as has_second,
           (select n.state from transfer_leg n where n.transfer_id = t.id and n.leg = 2) as second,
           -- The accounts of both legs.
           (select count(*) from (select from game_account a where a.member_id = t.member and a.game_code = any(t.games)
                                   order by a.game_code for no key update skip locked) a) < cardinality(t.games) as is_locked
      from (select c.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) c(id uuid, leg int, fence int, "from" text, "to" text, member uuid, games text[],
                                            second jsonb)
             order by c.id, c.leg) t,
           lateral (select l.state, l.fence from transfer_leg l where l.transfer_id = t.id and l.leg = t.leg
                       for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case
      when v_row.is_own and v_row.is_locked then 'row_locked'
      when v_row.is_own then 'applied'
      when v_row.state not in ('DONE', 'REVERSED') then 'lease_lost'
      when not v_row.is_same then 'closed_differently'
      when v_row.has_second and v_row.second is distinct from 'SENT' then 'replayed_second_leg_refused'
      else 'replayed' end;
  end loop;

  update transfer_leg l
     set state = c.to, proof = c.proof, proof_by = c.by, proof_balance = c.balance, finished_at = v_now,
         code = coalesce(l.code, c.code), detail = coalesce(l.detail, c.detail)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) c(id uuid, leg int, "to" text, proof text, by text, balance bigint, code text, detail text)
   where v_outcomes[t.i] = 'applied' and l.transfer_id = c.id and l.leg = c.leg;
  -- One statement for all rows. An account occurs once: it is reserved for one transfer.
  update game_account a
     set busy_with = null, version = a.version + 1, is_stale = a.is_stale and not c.is_balance_final,
         refreshed_at = case when c.is_balance_final then now() else a.refreshed_at end,
         last_top_up = coalesce(c.top_up, a.last_top_up)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) c(member uuid, game text, reference text, is_balance_final boolean, top_up bigint)
   where v_outcomes[t.i] = 'applied' and a.member_id = c.member and a.game_code = c.game and a.busy_with = c.reference;

  -- From game to game: the second leg starts, or is cancelled.
  if p_rows @? '$[*] ? (@.has_second_leg == true)' then
    update transfer_leg l
       set state = 'SENT', sent_at = v_now, balance_before = s.before, turnover_before = s.turnover,
           leased_until = v_now + s.lease_ms * interval '1 ms'
      from jsonb_array_elements(p_rows) with ordinality t(row, i),
           jsonb_to_record(t.row -> 'second') s(before bigint, turnover bigint, lease_ms int)
     where v_outcomes[t.i] = 'applied' and t.row -> 'second' <> 'null'::jsonb and l.transfer_id = (t.row ->> 'id')::uuid
       and l.leg = 2 and l.state = 'QUEUED';
    perform commands.transfer_cancel_second_leg((t.row ->> 'id')::uuid)
       from jsonb_array_elements(p_rows) with ordinality t(row, i)
      where v_outcomes[t.i] = 'applied' and (t.row ->> 'has_second_leg')::boolean;
  end if;
  return v_outcomes;
end
$$;

-- `purposes` of a row names each of its operations: settle, follow_balance, hold_second.
create or replace function commands.transfer_close_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
declare
  v_outcomes text[] := '{}'; v_row jsonb; v_verdicts text[]; v_i int := 0; v_outcome text;
begin
  for v_row in select * from jsonb_array_elements(p_rows) loop
    v_i := v_i + 1; v_verdicts := string_to_array(p_verdicts[v_i], ','); v_outcome := 'applied';
    for v_k in 1..cardinality(v_verdicts) loop
      continue when v_verdicts[v_k] = 'applied';
      case v_row -> 'purposes' ->> (v_k - 1)
        when 'follow_balance' then
          -- The ledger account cannot take the reported balance, which is no longer current.
          update game_account a set is_stale = true where a.member_id = (v_row ->> 'member')::uuid and a.game_code = v_row ->> 'game';
        when 'hold_second' then
          update transfer_leg l set state = 'QUEUED', sent_at = null where l.transfer_id = (v_row ->> 'id')::uuid and l.leg = 2;
          perform commands.transfer_cancel_second_leg((v_row ->> 'id')::uuid);
          v_outcome := 'second_leg_refused';
        else
          raise exception 'commands: the ledger refused the money of leg % of transfer %', v_row ->> 'leg', v_row ->> 'id';
      end case;
    end loop;
    v_outcomes := v_outcomes || v_outcome;
  end loop;
  return v_outcomes;
end
$$;
