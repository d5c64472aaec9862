-- oldest program: 0230
-- Closing transfers ends their reservations in one statement for all of a call, as it does everything else: a function call for
-- each started a statement for each, and took half of the closing's time.
create or replace function settlement.transfer_close_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('w'::text, array[jsonb_array_length(p_rows)]);
  v_now constant timestamptz := clock_timestamp();
  v_row record;
begin
  for v_row in
    select t.i, l.state, l.fence = t.fence and l.state = t.from as is_mine, l.state = t.to as is_same,
           t.second is not null as has_second,
           (select n.state from transfer_leg n where n.transfer_id = t.id and n.leg = 2) as second,
           -- Those of both legs. A row that is being changed is not waited for, so that one slow transaction delays no other member.
           (select count(*) from (select from game_account a where a.member_id = t.member and a.game_code = any(t.games)
                                   order by a.game_code for no key update skip locked) a) < cardinality(t.games) as is_away
      from (select c.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) c(id uuid, leg int, fence int, "from" text, "to" text, member uuid, games text[],
                                            second jsonb)
             order by c.id, c.leg) t,
           lateral (select l.state, l.fence from transfer_leg l where l.transfer_id = t.id and l.leg = t.leg
                       for no key update skip locked) l
  loop
    v_letters[v_row.i] := case
      when v_row.is_mine and v_row.is_away then 'w'
      when v_row.is_mine then 'o'
      when v_row.state not in ('DONE', 'REVERSED') then 'l'
      when not v_row.is_same then 'x'
      when v_row.has_second and v_row.second is distinct from 'SENT' then 'H'
      else 'D' end;
  end loop;

  update transfer_leg l
     set state = c.to, proof = c.proof, proof_by = c.by, proof_balance = c.balance, finished_at = v_now,
         code = coalesce(l.code, c.code), detail = coalesce(l.detail, c.detail)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) c(id uuid, leg int, "to" text, proof text, by text, balance bigint, code text, detail text)
   where v_letters[t.i] = 'o' and l.transfer_id = c.id and l.leg = c.leg;
  -- As settlement.transfer_free does it for one. An account can stand here only once: it is reserved for one transfer.
  update game_account a
     set busy_with = null, version = a.version + 1, is_stale = a.is_stale and not c.told,
         refreshed_at = case when c.told then now() else a.refreshed_at end
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) c(member uuid, game text, reference text, told boolean)
   where v_letters[t.i] = 'o' and a.member_id = c.member and a.game_code = c.game and a.busy_with = c.reference;

  -- From game to game: the second leg goes on in this same commit, or is over.
  if p_rows @? '$[*] ? (@.two == true)' then
    update transfer_leg l
       set state = 'SENT', sent_at = v_now, balance_before = s.before, turnover_before = s.turnover,
           leased_until = v_now + s.lease_ms * interval '1 ms'
      from jsonb_array_elements(p_rows) with ordinality t(row, i),
           jsonb_to_record(t.row -> 'second') s(before bigint, turnover bigint, lease_ms int)
     where v_letters[t.i] = 'o' and t.row -> 'second' <> 'null'::jsonb and l.transfer_id = (t.row ->> 'id')::uuid and l.leg = 2
       and l.state = 'QUEUED';
    perform settlement.transfer_drop_second((t.row ->> 'id')::uuid)
       from jsonb_array_elements(p_rows) with ordinality t(row, i)
      where v_letters[t.i] = 'o' and (t.row ->> 'two')::boolean;
  end if;
  return v_letters;
end
$$;
