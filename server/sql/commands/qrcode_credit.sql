-- migration: 0358

-- qrcode_credit: the code becomes PAID and its parked payments are settled, in the commit of the credit. A chosen
-- bonus falls due. Outcomes:
--   applied · replayed · other_payment: credited before with another payment ·
--   payment_used: the payment's number has paid another code · row_locked
create or replace function commands.qrcode_credit_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
  -- Reasons of parked payments that a credit settles.
  v_settled constant text[] := array['ON_HOLD', 'TRANSACTION_NUMBER', 'FAILED'];
begin
  for v_row in
    select t.i, q.state, q.transaction_number = t.number and q.paid_amount = t.amount as is_same,
           exists (select from qrcode o
                    where o.gateway = t.gateway and o.transaction_number = t.number and o.id <> t.id) as is_used,
           (select count(*) from (select from deposit_parked p
                                   where p.gateway = t.gateway and p.reference = t.reference and p.reason = any(v_settled)
                                     for no key update skip locked) p)
             < (select count(*) from deposit_parked p
                 where p.gateway = t.gateway and p.reference = t.reference and p.reason = any(v_settled)) as is_locked
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, gateway text, reference text, number text, amount bigint)
             order by n.id) t,
           lateral (select q.state, q.transaction_number, q.paid_amount from qrcode q where q.id = t.id
                       for no key update skip locked) q
  loop
    v_outcomes[v_row.i] := case
      when v_row.state = 'PAID' then case when v_row.is_same then 'replayed' else 'other_payment' end
      when v_row.is_used then 'payment_used'
      when v_row.is_locked then 'row_locked'
      else 'applied' end;
  end loop;
  -- An inquiry that was requested during this one stays due.
  with paid as (
    update qrcode q
       set state = 'PAID', ended_at = coalesce(q.ended_at, now()), paid_amount = n.amount, paid_at = n.paid_at,
           transaction_number = n.number, payer = n.payer, inquiries = q.inquiries + 1, silences = 0, misses = 0,
           wakes = q.wakes + n.callbacks, inquire_at = case when q.wakes > n.wakes then now() end
      from jsonb_array_elements(p_rows) with ordinality t(row, i),
           jsonb_to_record(t.row) n(id uuid, key text, amount bigint, paid_at timestamptz, number text, payer jsonb, callbacks int, wakes int)
     where v_outcomes[t.i] = 'applied' and q.id = n.id
    returning n.key, q.member_id, q.currency, q.bonus_code, q.reference)
  insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
  select p.key, p.member_id, p.currency, p.bonus_code, p.reference from paid p where p.bonus_code is not null
  on conflict do nothing;
  update deposit_parked p set settled_at = now(), settled_by = null
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(gateway text, reference text)
   where v_outcomes[t.i] = 'applied' and p.gateway = n.gateway and p.reference = n.reference and p.reason = any(v_settled)
     and (p.settled_at is null or p.settled_by is not null);
  return v_outcomes;
end
$$;

create or replace function commands.qrcode_credit_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  raise exception 'commands: the ledger refused the credit of code %', p_rows -> 0 ->> 'reference';
end
$$;
