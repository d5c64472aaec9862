-- migration: 0358

-- withdraw_open: the withdrawal with the hold of its money, or without one where the games are swept first. The caller
-- reads the member's conditions without a lock and names the version of incentive_gate; every change of a condition
-- raises that version. A withdrawal raises it too: an offer that was decided before is decided again, also after the
-- payout. Outcomes:
--   applied · replayed, replayed_refused: an earlier call of this caller opened it; its money was refused · key_taken:
--   another caller's key · wallet_suspended · withdrawal_open: another one is pending · stale_conditions: the version
--   has changed · row_locked · insufficient_funds: stored as FAILED
create or replace function commands.withdraw_open_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  -- The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  for v_row in
    select input.position, known.id = input.id as is_own, known.refusal_code is not null as is_refused,
           not exists (select from withdraw withdrawal
                        where withdrawal.id = known.id for no key update skip locked) as is_locked
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, member uuid, key text)
             order by input.member, input.key) input,
           lateral (select withdrawal.id, withdrawal.refusal_code from withdraw withdrawal
                     where withdrawal.member_id = input.member and withdrawal.idempotency_key = input.key) known
  loop
    v_outcomes[v_row.position] := case when not v_row.is_own then 'key_taken' when v_row.is_locked then 'row_locked'
      when v_row.is_refused then 'replayed_refused' else 'replayed' end;
  end loop;

  for v_row in
    select input.position, gate.version, input.gate,
           exists (select from wallet_suspension suspension where suspension.member_id = input.member) as is_suspended,
           exists (select from withdraw open
                    where open.member_id = input.member and open.state not in ('PAID', 'FAILED')) as has_open
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(member uuid, gate bigint) order by input.member) input
           left join lateral (select gate.version from incentive_gate gate where gate.member_id = input.member
                                 for no key update skip locked) gate on true
     where v_outcomes[input.position] = 'applied'
  loop
    v_outcomes[v_row.position] := case
      when v_row.is_suspended then 'wallet_suspended'
      when v_row.version is null then 'row_locked'
      when v_row.has_open then 'withdrawal_open'
      when v_row.version <> v_row.gate then 'stale_conditions'
      else 'applied' end;
  end loop;

  update incentive_gate gate set version = gate.version + 1
    from jsonb_array_elements(p_rows) with ordinality item(row, position), jsonb_to_record(item.row) input(member uuid)
   where v_outcomes[item.position] = 'applied' and gate.member_id = input.member;
  insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code,
                        account_no, account_name, paid_from, is_held, leased_until)
  select input.id, input.member, input.currency, input.key, decode(input.hash, 'hex'), input.is_all, input.amount,
         input.reference, input.bank_code, input.account_no, input.account_name,
         input.paid_from, not input.is_all, clock_timestamp() + input.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, currency text, key text, hash text, is_all boolean,
                                         amount bigint, reference text, bank_code text, account_no text,
                                         account_name text, paid_from text, lease_ms int)
   where v_outcomes[item.position] = 'applied';
  return v_outcomes;
end
$$;

-- The refusal is the key's permanent result.
create or replace function commands.withdraw_open_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
begin
  update withdraw withdrawal
     set state = 'FAILED', is_held = false, refusal_code = input.code, refusal_detail = input.detail,
         finished_at = clock_timestamp()
    from jsonb_to_recordset(p_rows) input(id uuid, code text, detail text) where withdrawal.id = input.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$$;
