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
    select input.position, qr.state, qr.transaction_number = input.number and qr.paid_amount = input.amount as is_same,
           exists (select from qrcode used
                    where used.gateway = input.gateway and used.transaction_number = input.number
                      and used.id <> input.id) as is_used,
           (select count(*) from (select from deposit_parked parked
                                   where parked.gateway = input.gateway and parked.reference = input.reference
                                     and parked.reason = any(v_settled)
                                     for no key update skip locked) parked)
             < (select count(*) from deposit_parked parked
                 where parked.gateway = input.gateway and parked.reference = input.reference
                   and parked.reason = any(v_settled)) as is_locked
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, gateway text, reference text, number text, amount bigint)
             order by input.id) input,
           lateral (select qr.state, qr.transaction_number, qr.paid_amount from qrcode qr where qr.id = input.id
                       for no key update skip locked) qr
  loop
    v_outcomes[v_row.position] := case
      when v_row.state = 'PAID' then case when v_row.is_same then 'replayed' else 'other_payment' end
      when v_row.is_used then 'payment_used'
      when v_row.is_locked then 'row_locked'
      else 'applied' end;
  end loop;
  -- An inquiry that was requested during this one stays due.
  with paid as (
    update qrcode qr
       set state = 'PAID', ended_at = coalesce(qr.ended_at, now()), paid_amount = input.amount, paid_at = input.paid_at,
           transaction_number = input.number, payer = input.payer, inquiries = qr.inquiries + 1, silences = 0,
           misses = 0, wakes = qr.wakes + input.callbacks, inquire_at = case when qr.wakes > input.wakes then now() end
      from jsonb_array_elements(p_rows) with ordinality item(row, position),
           jsonb_to_record(item.row) input(id uuid, key text, amount bigint, paid_at timestamptz, number text,
                                           payer jsonb, callbacks int, wakes int)
     where v_outcomes[item.position] = 'applied' and qr.id = input.id
    returning input.key, qr.member_id, qr.currency, qr.bonus_code, qr.reference)
  insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
  select paid.key, paid.member_id, paid.currency, paid.bonus_code, paid.reference from paid
   where paid.bonus_code is not null
  on conflict do nothing;
  update deposit_parked parked set settled_at = now(), settled_by = null
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(gateway text, reference text)
   where v_outcomes[item.position] = 'applied' and parked.gateway = input.gateway
     and parked.reference = input.reference and parked.reason = any(v_settled)
     and (parked.settled_at is null or parked.settled_by is not null);
  return v_outcomes;
end
$$;

create or replace function commands.qrcode_credit_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
begin
  raise exception 'commands: the ledger refused the credit of code %', p_rows -> 0 ->> 'reference';
end
$$;
