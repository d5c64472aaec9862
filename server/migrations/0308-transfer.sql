-- A requested transfer. From game to game it has two legs, through the wallet. No index on the member: the list of movements is
-- derived from the ledger, and an unused index is one more write per transfer.
create table transfer (
  id uuid primary key,
  -- No foreign key: the check would write to the member's page, which nothing else of a transfer does, and add 30 % WAL per transfer
  -- after a checkpoint. Each leg references the game account, which references the member.
  member_id uuid not null,
  currency currency not null,
  idempotency_key text not null,
  -- SHA-256 of the input: the same key with another input is refused.
  input_hash bytea not null,
  source text not null,
  target text not null,
  amount bigint not null,
  reference text not null,
  created_at timestamptz not null default now(),
  constraint transfer_once unique (member_id, idempotency_key),
  constraint transfer_reference unique (reference),
  constraint transfer_amount check (amount > 0),
  constraint transfer_ends check (source <> target)
);

-- One movement between the wallet and one game account. Inserted before any call is sent; at each moment it records what may have
-- happened at the provider.
create table transfer_leg (
  transfer_id uuid not null constraint transfer_leg_transfer_exists references transfer (id),
  leg smallint not null,
  member_id uuid not null,
  game_code text not null,
  ft_wallet_slot integer not null,
  direction text not null,
  amount bigint not null,
  -- What the provider counts, in hundredths.
  credits bigint not null,
  provider text not null,
  username text not null,
  provider_reference text not null,
  state text not null,
  -- What is proven about the provider, written before the ledger posts it.
  proof text,
  -- Source of the proof: member (the call that waited for it), resolver, operator:NAME. Null where it is not recorded.
  proof_by text,
  proof_balance bigint,
  -- The player's cash and open stakes, and the stakes of settled rounds, right before the call: the evidence for a provider without
  -- an inquiry. If turnover has grown since, the member has played, and the balance proves nothing about the transfer.
  -- turnover_before is null if the provider does not report it.
  balance_before bigint,
  turnover_before bigint,
  -- The same at the last inquiry, for the operator where they prove nothing.
  balance_seen bigint,
  turnover_seen bigint,
  -- Reason of the reversal: code and detail for the member.
  code text,
  detail text,
  absences integer not null default 0,
  asks integer not null default 0,
  -- The last inquiry had no reply, or an inconclusive one. Then one leg per provider is inquired about often; its first reply makes
  -- the others due immediately.
  is_silent boolean not null default false,
  -- An operator requested another inquiry about a leg that is MANUAL.
  is_asked_again boolean not null default false,
  next_ask_at timestamptz not null default now(),
  -- Lease and fencing token. Until it expires only the holder of this fence acts. A new holder raises the fence, so that writes of a
  -- late holder match no row.
  leased_until timestamptz not null,
  fence integer not null default 1,
  sent_at timestamptz,
  finished_at timestamptz,
  note text,
  primary key (transfer_id, leg),
  constraint transfer_leg_account_exists foreign key (member_id, game_code) references game_account (member_id, game_code),
  constraint transfer_leg_provider_reference unique (provider_reference),
  constraint transfer_leg_number check (leg in (1, 2)),
  constraint transfer_leg_direction check (direction in ('in', 'out')),
  constraint transfer_leg_amount check (amount > 0 and credits = amount * ft_wallet_slot),
  constraint transfer_leg_state check (state in ('QUEUED', 'SENT', 'UNKNOWN', 'MANUAL', 'DONE', 'REVERSED')),
  constraint transfer_leg_proof check (proof in ('APPLIED', 'REFUSED')),
  constraint transfer_leg_proof_by check (proof_by is null or proof is not null),
  constraint transfer_leg_sent check (sent_at is not null or state in ('QUEUED', 'REVERSED')),
  constraint transfer_leg_code check ((state = 'REVERSED') = (code is not null) or proof = 'REFUSED'),
  constraint transfer_leg_finished check ((finished_at is not null) = (state in ('DONE', 'REVERSED')))
);

-- One pending transfer per game account. For a provider without an inquiry the balance before and after is the only evidence, and a
-- second transfer would falsify it.
create unique index transfer_leg_under_way on transfer_leg (member_id, game_code)
  where state not in ('DONE', 'REVERSED');

-- MANUAL is included: it falls due when an operator records its outcome or requests another inquiry.
create index transfer_leg_open on transfer_leg (next_ask_at) where state not in ('DONE', 'REVERSED');

-- transfer_open: the transfer, its legs, the reservation of the game accounts, and the hold for the first leg. Outcomes:
--   applied · replayed, replayed_refused: an earlier call of this caller opened it; its money is held, or was refused ·
--   key_taken: another caller's key · wallet_suspended · account_busy: another transfer has reserved a game account ·
--   stale_read: a game account has changed since it was read · row_locked: a game account is not ACTIVE, or its row is locked ·
--   insufficient_funds: stored as REVERSED
create function commands.transfer_open_admit(p_rows jsonb) returns text[] language plpgsql as $$
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
create function commands.transfer_open_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update transfer_leg l set state = 'REVERSED', code = 'MONEY_NOT_ENOUGH', finished_at = clock_timestamp(), sent_at = null
    from jsonb_array_elements(p_rows) r where l.transfer_id = (r ->> 'id')::uuid;
  perform commands.transfer_release_account((r ->> 'member')::uuid, g.game, r ->> 'reference')
     from jsonb_array_elements(p_rows) r, jsonb_to_recordset(r -> 'legs') g(game text);
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$$;

-- Ends the reservation of a game account, without a new balance.
create function commands.transfer_release_account(p_member uuid, p_game text, p_reference text) returns void language sql as $$
  update game_account a set busy_with = null, version = a.version + 1
   where a.member_id = p_member and a.game_code = p_game and a.busy_with = p_reference;
$$;

-- transfer_close: the proof of a leg, its money, the end of the reservation, and the start or the end of a second leg. Outcomes:
--   applied · second_leg_refused: closed, but the money of the second leg could not be held, and that leg is reversed ·
--   replayed, replayed_second_leg_refused: an earlier call closed it in the same way · closed_differently ·
--   lease_lost: another process owns the leg · row_locked
create function commands.transfer_close_admit(p_rows jsonb) returns text[] language plpgsql as $$
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
         refreshed_at = case when c.is_balance_final then now() else a.refreshed_at end
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) c(member uuid, game text, reference text, is_balance_final boolean)
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

-- Reverses a second leg that is still QUEUED: the money stays in the wallet.
create function commands.transfer_cancel_second_leg(p_id uuid) returns void language plpgsql as $$
declare
  v_leg record;
begin
  update transfer_leg l set state = 'REVERSED', code = 'TRANSFER_FAIL', detail = 'RESTS_IN_WALLET', finished_at = clock_timestamp()
    from transfer t where l.transfer_id = p_id and l.leg = 2 and l.state = 'QUEUED' and t.id = l.transfer_id
  returning l.member_id, l.game_code, t.reference into v_leg;
  if found then perform commands.transfer_release_account(v_leg.member_id, v_leg.game_code, v_leg.reference); end if;
end
$$;

-- `purposes` of a row names each of its operations: settle, follow_balance, hold_second.
create function commands.transfer_close_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
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

-- game_refresh: the balance and bets that a provider reported, unless the account has changed since the request. Outcomes:
--   applied · stale_read · row_locked · books_refused: the ledger account cannot take the balance
create function commands.game_refresh_admit(p_rows jsonb) returns text[] language plpgsql as $$
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
create function commands.game_refresh_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update game_account a set is_stale = true
    from jsonb_to_recordset(p_rows) n(member uuid, game text) where a.member_id = n.member and a.game_code = n.game;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;
