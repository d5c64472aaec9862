-- A withdrawal raises its member's gate. An offer that was decided before is decided again, also when the withdrawal is paid by then:
-- a deposit that has left earns nothing.
create or replace function settlement.withdraw_open_admit(p_rows jsonb) returns text[] language plpgsql as $$
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

  update incentive_gate g set version = g.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(member uuid)
   where v_letters[t.i] = 'o' and g.member_id = n.member;
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
