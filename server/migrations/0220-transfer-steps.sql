-- Opening and closing a transfer, each in one commit with its money. Letters of transfer_open:
--   o opened · O, R opened before by this very caller (the call was repeated): its money is held, or was refused ·
--   t the key is another caller's · s the wallet is closed · w an account is not open, or its row is being changed: read again ·
--   b an account is busy with another transfer · v an account has changed since it was read · r money refused: stored as reversed
create function settlement.transfer_open_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[];
  v_now constant timestamptz := clock_timestamp();
  v_row record;
begin
  v_letters := array_fill('o'::text, array[jsonb_array_length(p_rows)]);
  -- Keys that are known. The row lock is a write, so that a replay waits for a standby just like the first did.
  for v_row in
    select t.i, known.is_mine, l.state
      from (select r.* from jsonb_array_elements(p_rows) with ordinality r(row, i) order by r.row ->> 'member', r.row ->> 'key') t,
           lateral (select k.id, k.id = (t.row ->> 'id')::uuid as is_mine from transfer k
                     where k.member_id = (t.row ->> 'member')::uuid and k.idempotency_key = t.row ->> 'key' for no key update) known
           left join transfer_leg l on l.transfer_id = known.id and l.leg = 1
  loop
    v_letters[v_row.i] := case when not v_row.is_mine then 't' when v_row.state = 'REVERSED' then 'R' else 'O' end;
  end loop;
  for v_row in
    select t.i from jsonb_array_elements(p_rows) with ordinality t(row, i)
     where v_letters[t.i] = 'o' and exists (select from wallet_suspension s where s.member_id = (t.row ->> 'member')::uuid)
  loop
    v_letters[v_row.i] := 's';
  end loop;

  -- The game accounts, in one order for everybody. A row that is being changed is not waited for: all members would wait
  -- with it.
  for v_row in
    select w.i, a.game_code is null as is_away, a.busy_with is not null as is_busy, w.version <> a.version as is_moved
      from (select t.i, (t.row ->> 'member')::uuid as member, g.game, g.version
              from jsonb_array_elements(p_rows) with ordinality t(row, i),
                   jsonb_to_recordset(t.row -> 'legs') g(game text, version bigint)
             where v_letters[t.i] = 'o' order by member, g.game) w
           left join lateral (select a.game_code, a.busy_with, a.version from game_account a
                               where a.member_id = w.member and a.game_code = w.game and a.state = 'ACTIVE'
                                 for no key update skip locked) a on true
  loop
    v_letters[v_row.i] := case when v_row.is_away then 'w' when v_letters[v_row.i] = 'w' then 'w'
      when v_row.is_busy then 'b' when v_letters[v_row.i] = 'b' then 'b' when v_row.is_moved then 'v'
      else v_letters[v_row.i] end;
  end loop;

  update game_account a set busy_with = t.row ->> 'reference', are_bets_known = false, version = a.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_recordset(t.row -> 'legs') g(game text)
   where v_letters[t.i] = 'o' and a.member_id = (t.row ->> 'member')::uuid and a.game_code = g.game;

  insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
  select n.id, n.member, n.currency, n.key, decode(n.hash, 'hex'), n.source, n.target, n.amount, n.reference
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, key text, hash text, source text, target text,
                                  amount bigint, reference text)
   where v_letters[t.i] = 'o';

  -- The call of the first goes out at once; the second waits until the first is over.
  insert into transfer_leg (transfer_id, leg, member_id, game_code, ft_wallet_slot, direction, amount, credits, provider,
                            username, provider_reference, state, sent_at, balance_before, turnover_before, leased_until)
  select n.id, g.leg, n.member, g.game, g.slot, g.direction, n.amount, g.credits, g.provider, g.username, g.reference,
         case g.leg when 1 then 'SENT' else 'QUEUED' end, case g.leg when 1 then v_now end, g.before, g.turnover,
         v_now + g.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, member uuid, amount bigint),
         jsonb_to_recordset(t.row -> 'legs') g(leg int, game text, slot int, direction text, credits bigint, provider text,
                                               username text, reference text, before bigint, turnover bigint, lease_ms int)
   where v_letters[t.i] = 'o';
  return v_letters;
end
$$;

-- The money is not there: the key's answer for good.
create function settlement.transfer_open_refused(p_rows jsonb, p_outcomes text[]) returns text[] language plpgsql as $$
begin
  update transfer_leg l set state = 'REVERSED', code = 'MONEY_NOT_ENOUGH', finished_at = clock_timestamp(), sent_at = null
    from jsonb_array_elements(p_rows) r where l.transfer_id = (r ->> 'id')::uuid;
  perform settlement.transfer_free((r ->> 'member')::uuid, g.game, r ->> 'reference', false)
     from jsonb_array_elements(p_rows) r, jsonb_to_recordset(r -> 'legs') g(game text);
  return array_fill('r'::text, array[cardinality(p_outcomes)]);
end
$$;

-- Ends the reservation of a game account; p_is_told when the answer said how much is there.
create function settlement.transfer_free(p_member uuid, p_game text, p_reference text, p_is_told boolean) returns void
language sql as $$
  update game_account a set busy_with = null, version = a.version + 1, is_stale = a.is_stale and not p_is_told,
         refreshed_at = case when p_is_told then now() else a.refreshed_at end
   where a.member_id = p_member and a.game_code = p_game and a.busy_with = p_reference;
$$;

-- Letters of transfer_close: o closed · h closed, but the money of the second leg could not be held: it is reversed ·
--   D, H closed before with the same outcome (the call was repeated), and the second leg likewise · x closed before with the
--   other one · l the leg is another holder's by now · w a row is being changed: again later
create function settlement.transfer_close_admit(p_rows jsonb) returns text[] language plpgsql as $$
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
  perform settlement.transfer_free(c.member, c.game, c.reference, c.told)
     from jsonb_array_elements(p_rows) with ordinality t(row, i),
          jsonb_to_record(t.row) c(member uuid, game text, reference text, told boolean)
    where v_letters[t.i] = 'o';

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

-- The second leg of a transfer whose request does not go on: what came stays in the wallet.
create function settlement.transfer_drop_second(p_id uuid) returns void language plpgsql as $$
declare
  v_leg record;
begin
  update transfer_leg l set state = 'REVERSED', code = 'TRANSFER_FAIL', detail = 'RESTS_IN_WALLET', finished_at = clock_timestamp()
    from transfer t where l.transfer_id = p_id and l.leg = 2 and l.state = 'QUEUED' and t.id = l.transfer_id
  returning l.member_id, l.game_code, t.reference into v_leg;
  if found then perform settlement.transfer_free(v_leg.member_id, v_leg.game_code, v_leg.reference, false); end if;
end
$$;

-- `steps` of a row says what each operation is for: p follows the proof, f follows the balance, s holds for the second leg.
create function settlement.transfer_close_refused(p_rows jsonb, p_outcomes text[]) returns text[] language plpgsql as $$
declare
  v_letters text[] := '{}'; v_row jsonb; v_outcomes text; v_i int := 0; v_letter text;
begin
  for v_row in select * from jsonb_array_elements(p_rows) loop
    v_i := v_i + 1; v_outcomes := p_outcomes[v_i]; v_letter := 'o';
    for v_k in 1..length(v_outcomes) loop
      continue when substr(v_outcomes, v_k, 1) in ('a', 'A');
      case substr(v_row ->> 'steps', v_k, 1)
        when 'f' then
          -- What the provider told can't be followed: the amount is known no longer.
          update game_account a set is_stale = true where a.member_id = (v_row ->> 'member')::uuid and a.game_code = v_row ->> 'game';
        when 's' then
          update transfer_leg l set state = 'QUEUED', sent_at = null where l.transfer_id = (v_row ->> 'id')::uuid and l.leg = 2;
          perform settlement.transfer_drop_second((v_row ->> 'id')::uuid);
          v_letter := 'h';
        else
          raise exception 'settlement: the ledger refused the money of leg % of transfer %', v_row ->> 'leg', v_row ->> 'id';
      end case;
    end loop;
    v_letters := v_letters || v_letter;
  end loop;
  return v_letters;
end
$$;

-- A refresh follows what a provider told, if nothing has happened to the account since it was asked.
-- Letters: o followed · v something has happened · w the row is being changed: again later · r the books can't follow
create function settlement.game_refresh_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('w'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select r.i, a.version = r.version and a.busy_with is null as is_same
      from (select n.*, t.i from jsonb_array_elements(p_rows) with ordinality t(row, i),
                   jsonb_to_record(t.row) n(member uuid, game text, version bigint)
             order by n.member, n.game) r,
           lateral (select a.version, a.busy_with from game_account a where a.member_id = r.member and a.game_code = r.game
                       for no key update skip locked) a
  loop
    v_letters[v_row.i] := case when v_row.is_same then 'o' else 'v' end;
  end loop;
  update game_account a set is_stale = false, are_bets_known = true, version = a.version + 1, refreshed_at = now(),
         outstanding = n.outstanding, turnover = n.turnover
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(member uuid, game text, outstanding bigint, turnover bigint)
   where v_letters[t.i] = 'o' and a.member_id = n.member and a.game_code = n.game;
  return v_letters;
end
$$;

-- The books can't follow (money there is held): the amount is known no longer.
create function settlement.game_refresh_refused(p_rows jsonb, p_outcomes text[]) returns text[] language plpgsql as $$
begin
  update game_account a set is_stale = true
    from jsonb_to_recordset(p_rows) n(member uuid, game text) where a.member_id = n.member and a.game_code = n.game;
  return array_fill('r'::text, array[cardinality(p_outcomes)]);
end
$$;
