-- migration: 0358

-- transfer_open: the transfer, its legs, the reservation of the game accounts, and the hold for the first leg. Outcomes:
--   applied · replayed, replayed_refused: an earlier call of this caller opened it; its money is held, or was refused ·
--   key_taken: another caller's key · wallet_suspended · account_busy: another transfer has reserved a game account ·
--   stale_read: a game account has changed since it was read · row_locked: a game account is not ACTIVE, or its row is locked ·
--   insufficient_funds: stored as REVERSED
create or replace function commands.transfer_open_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_now constant timestamptz := clock_timestamp();
  v_row record;
begin
  -- Known keys. The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  for v_row in
    select t.i, known.is_own, l.state
      from (select r.* from jsonb_array_elements(p_rows) with ordinality r(row, i) order by r.row ->> 'member', r.row ->> 'key') t,
           lateral (select k.id, k.id = (t.row ->> 'id')::uuid as is_own from transfer k
                     where k.member_id = (t.row ->> 'member')::uuid and k.idempotency_key = t.row ->> 'key' for no key update) known
           left join transfer_leg l on l.transfer_id = known.id and l.leg = 1
  loop
    v_outcomes[v_row.i] := case when not v_row.is_own then 'key_taken' when v_row.state = 'REVERSED' then 'replayed_refused'
      else 'replayed' end;
  end loop;
  for v_row in
    select t.i from jsonb_array_elements(p_rows) with ordinality t(row, i)
     where v_outcomes[t.i] = 'applied' and exists (select from wallet_suspension s where s.member_id = (t.row ->> 'member')::uuid)
  loop
    v_outcomes[v_row.i] := 'wallet_suspended';
  end loop;

  -- Game accounts, in one order for all callers.
  for v_row in
    select w.i, a.game_code is null as is_locked, a.busy_with is not null as is_busy, w.version <> a.version as is_stale
      from (select t.i, (t.row ->> 'member')::uuid as member, g.game, g.version
              from jsonb_array_elements(p_rows) with ordinality t(row, i),
                   jsonb_to_recordset(t.row -> 'legs') g(game text, version bigint)
             where v_outcomes[t.i] = 'applied' order by member, g.game) w
           left join lateral (select a.game_code, a.busy_with, a.version from game_account a
                               where a.member_id = w.member and a.game_code = w.game and a.state = 'ACTIVE'
                                 for no key update skip locked) a on true
  loop
    v_outcomes[v_row.i] := case
      when v_row.is_locked or v_outcomes[v_row.i] = 'row_locked' then 'row_locked'
      when v_row.is_busy or v_outcomes[v_row.i] = 'account_busy' then 'account_busy'
      when v_row.is_stale then 'stale_read'
      else v_outcomes[v_row.i] end;
  end loop;

  update game_account a set busy_with = t.row ->> 'reference', are_bets_known = false, version = a.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_recordset(t.row -> 'legs') g(game text)
   where v_outcomes[t.i] = 'applied' and a.member_id = (t.row ->> 'member')::uuid and a.game_code = g.game;

  insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
  select n.id, n.member, n.currency, n.key, decode(n.hash, 'hex'), n.source, n.target, n.amount, n.reference
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, key text, hash text, source text, target text,
                                  amount bigint, reference text)
   where v_outcomes[t.i] = 'applied';

  -- The caller sends the first leg right after the commit. The second waits until the first is closed.
  insert into transfer_leg (transfer_id, leg, member_id, game_code, ft_wallet_slot, direction, amount, credits, provider,
                            username, provider_reference, state, sent_at, balance_before, turnover_before, leased_until)
  select n.id, g.leg, n.member, g.game, g.slot, g.direction, n.amount, g.credits, g.provider, g.username, g.reference,
         case g.leg when 1 then 'SENT' else 'QUEUED' end, case g.leg when 1 then v_now end, g.before, g.turnover,
         v_now + g.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, member uuid, amount bigint),
         jsonb_to_recordset(t.row -> 'legs') g(leg int, game text, slot int, direction text, credits bigint, provider text,
                                               username text, reference text, before bigint, turnover bigint, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$$;

-- The refusal is the key's permanent result.
create or replace function commands.transfer_open_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update transfer_leg l set state = 'REVERSED', code = 'MONEY_NOT_ENOUGH', finished_at = clock_timestamp(), sent_at = null
    from jsonb_array_elements(p_rows) r where l.transfer_id = (r ->> 'id')::uuid;
  perform commands.transfer_release_account((r ->> 'member')::uuid, g.game, r ->> 'reference')
     from jsonb_array_elements(p_rows) r, jsonb_to_recordset(r -> 'legs') g(game text);
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$$;
