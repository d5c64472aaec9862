-- migration: 0358

-- withdraw_open: the withdrawal with the hold of its money, or without one where the games are swept first. The caller reads the
-- member's conditions without a lock and names the version of incentive_gate; every change of a condition raises that version.
-- A withdrawal raises it too: an offer that was decided before is decided again, also after the payout. Outcomes:
--   applied · replayed, replayed_refused: an earlier call of this caller opened it; its money was refused ·
--   key_taken: another caller's key · wallet_suspended · withdrawal_open: another one is pending ·
--   stale_conditions: the version has changed · row_locked · insufficient_funds: stored as FAILED
create or replace function commands.withdraw_open_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  -- The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  for v_row in
    select t.i, known.id = t.id as is_own, known.refusal_code is not null as is_refused,
           not exists (select from withdraw l where l.id = known.id for no key update skip locked) as is_locked
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, member uuid, key text) order by n.member, n.key) t,
           lateral (select k.id, k.refusal_code from withdraw k
                     where k.member_id = t.member and k.idempotency_key = t.key) known
  loop
    v_outcomes[v_row.i] := case when not v_row.is_own then 'key_taken' when v_row.is_locked then 'row_locked'
      when v_row.is_refused then 'replayed_refused' else 'replayed' end;
  end loop;

  for v_row in
    select t.i, g.version, t.gate, exists (select from wallet_suspension s where s.member_id = t.member) as is_suspended,
           exists (select from withdraw w where w.member_id = t.member and w.state not in ('PAID', 'FAILED')) as has_open
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(member uuid, gate bigint) order by n.member) t
           left join lateral (select l.version from incentive_gate l where l.member_id = t.member
                                 for no key update skip locked) g on true
     where v_outcomes[t.i] = 'applied'
  loop
    v_outcomes[v_row.i] := case when v_row.is_suspended then 'wallet_suspended' when v_row.version is null then 'row_locked'
      when v_row.has_open then 'withdrawal_open' when v_row.version <> v_row.gate then 'stale_conditions' else 'applied' end;
  end loop;

  update incentive_gate g set version = g.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(member uuid)
   where v_outcomes[t.i] = 'applied' and g.member_id = n.member;
  insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
                        account_name, paid_from, is_held, leased_until)
  select n.id, n.member, n.currency, n.key, decode(n.hash, 'hex'), n.is_all, n.amount, n.reference, n.bank_code, n.account_no,
         n.account_name, n.paid_from, not n.is_all, clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, key text, hash text, is_all boolean, amount bigint,
                                  reference text, bank_code text, account_no text, account_name text, paid_from text, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$$;

-- The refusal is the key's permanent result.
create or replace function commands.withdraw_open_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update withdraw w set state = 'FAILED', is_held = false, refusal_code = n.code, refusal_detail = n.detail,
         finished_at = clock_timestamp()
    from jsonb_to_recordset(p_rows) n(id uuid, code text, detail text) where w.id = n.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$$;
