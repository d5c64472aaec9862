-- A withdrawal opens in one commit with the hold of its money, and closes in one with the payout. A caller judges a member's
-- conditions without a lock: it names the version of the gate that it judged by, and whoever holds the gate raises it.
alter table incentive_gate add column version bigint not null default 0;

-- Letters of withdraw_open: o opened · O opened before by this very caller (the call was repeated) · R the same, its money was
--   refused · t the key is another caller's · s the wallet is closed · b another withdrawal is under way · g the gate has moved
--   since it was read · w a row is being changed: again later · r money refused: stored as failed
create function settlement.withdraw_open_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('o'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  -- The row lock is a write, so that a replay waits for a standby just like the first did.
  for v_row in
    select t.i, known.id = t.id as is_mine, known.refusal_code is not null as is_refused,
           not exists (select from withdraw l where l.id = known.id for no key update skip locked) as is_away
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, member uuid, key text) order by n.member, n.key) t,
           lateral (select k.id, k.refusal_code from withdraw k
                     where k.member_id = t.member and k.idempotency_key = t.key) known
  loop
    v_letters[v_row.i] := case when not v_row.is_mine then 't' when v_row.is_away then 'w' when v_row.is_refused then 'R' else 'O' end;
  end loop;

  -- The gate is not waited for: its holder keeps it while it decides, and all members would wait with it.
  for v_row in
    select t.i, g.version, t.gate, exists (select from wallet_suspension s where s.member_id = t.member) as is_closed,
           exists (select from withdraw w where w.member_id = t.member and w.state not in ('PAID', 'FAILED')) as is_busy
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(member uuid, gate bigint) order by n.member) t
           left join lateral (select l.version from incentive_gate l where l.member_id = t.member
                                 for no key update skip locked) g on true
     where v_letters[t.i] = 'o'
  loop
    v_letters[v_row.i] := case when v_row.is_closed then 's' when v_row.version is null then 'w' when v_row.is_busy then 'b'
      when v_row.version <> v_row.gate then 'g' else 'o' end;
  end loop;

  insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
                        account_name, paid_from, is_held, leased_until)
  select n.id, n.member, n.currency, n.key, decode(n.hash, 'hex'), n.is_all, n.amount, n.reference, n.bank_code, n.account_no,
         n.account_name, n.paid_from, not n.is_all, clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, key text, hash text, is_all boolean, amount bigint,
                                  reference text, bank_code text, account_no text, account_name text, paid_from text, lease_ms int)
   where v_letters[t.i] = 'o';
  return v_letters;
end
$$;

-- The money is not there: the key's answer for good.
create function settlement.withdraw_open_refused(p_rows jsonb, p_outcomes text[]) returns text[] language plpgsql as $$
begin
  update withdraw w set state = 'FAILED', is_held = false, refusal_code = n.code, refusal_detail = n.detail,
         finished_at = clock_timestamp()
    from jsonb_to_recordset(p_rows) n(id uuid, code text, detail text) where w.id = n.id;
  return array_fill('r'::text, array[cardinality(p_outcomes)]);
end
$$;

-- Letters of withdraw_hold, after the money of the games has been swept: o held · l another holder prepares it, or it was done
--   before · w the row is being changed: again later · r money refused: stored as failed
create function settlement.withdraw_hold_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('w'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, l.state = 'HELD' and not l.is_held and l.fence = t.fence as is_mine
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int) order by n.id) t,
           lateral (select w.state, w.is_held, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_letters[v_row.i] := case when v_row.is_mine then 'o' else 'l' end;
  end loop;
  update withdraw w set is_held = true, not_brought = n.not_brought, asks = 0, next_ask_at = clock_timestamp(),
         leased_until = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, not_brought jsonb)
   where v_letters[t.i] = 'o' and w.id = n.id;
  return v_letters;
end
$$;

create function settlement.withdraw_hold_refused(p_rows jsonb, p_outcomes text[]) returns text[] language sql as $$
  select settlement.withdraw_open_refused(p_rows, p_outcomes)
$$;

-- Letters of withdraw_close: o closed · D closed before with the same outcome (the call was repeated) · x closed before with the
--   other one · l another holder has it · w the row is being changed: again later · f the ledger refused: the proof is stored
create function settlement.withdraw_close_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_letters text[] := array_fill('w'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, t."to", l.state, l.fence = t.fence and l.state = t."from" as is_mine
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int, "from" text, "to" text) order by n.id) t,
           lateral (select w.state, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_letters[v_row.i] := case when v_row.is_mine then 'o' when v_row.state = v_row."to" then 'D'
      when v_row.state in ('PAID', 'FAILED') then 'x' else 'l' end;
  end loop;
  update withdraw w
     set state = n."to", proof = n."to", proof_by = n.by, finished_at = clock_timestamp(),
         -- The bank's word comes before an operator's: a payout that was paid has no reason to have failed.
         reason = case n."to" when 'FAILED' then coalesce(n.reason, w.reason) end, note = coalesce(n.note, w.note), trans_ref = coalesce(n.trans_ref, w.trans_ref)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, "to" text, by text, reason text, note text, trans_ref text)
   where v_letters[t.i] = 'o' and w.id = n.id;
  return v_letters;
end
$$;

create function settlement.withdraw_close_refused(p_rows jsonb, p_outcomes text[]) returns text[] language plpgsql as $$
begin
  update withdraw w set state = n."from", finished_at = null
    from jsonb_to_recordset(p_rows) n(id uuid, "from" text) where w.id = n.id;
  return array_fill('f'::text, array[cardinality(p_outcomes)]);
end
$$;
