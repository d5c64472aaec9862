-- migration: 0358

-- gift_credit: the link becomes CREDITED in the commit of the credit. Its bonus falls due. Outcomes: applied · replayed
-- · amount_conflict: credited before with another amount · not_creditable: in a state that is neither redeemed nor
-- inquired about · row_locked
create or replace function commands.gift_credit(p_row jsonb) returns text language plpgsql as $$
declare
  v_gift truelink_gift;
begin
  select * into v_gift from truelink_gift where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'row_locked';
    when v_gift.state = 'CREDITED' then
      return case when v_gift.amount = (p_row ->> 'amount')::bigint then 'replayed' else 'amount_conflict' end;
    when not (p_row -> 'from') ? v_gift.state then return 'not_creditable';
    else
  end case;
  update truelink_gift set state = 'CREDITED', amount = (p_row ->> 'amount')::bigint, voucher_id = p_row ->> 'voucher',
         ended_at = now(), sealed_hash = null, work_at = null
   where id = v_gift.id;
  if v_gift.bonus_code is not null then
    insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
    values (p_row ->> 'key', v_gift.member_id, 'BAHT', v_gift.bonus_code, v_gift.reference)
    on conflict do nothing;
  end if;
  return 'applied';
end
$$;

create or replace function commands.gift_credit_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(commands.gift_credit(item.row) order by item.position)
    from jsonb_array_elements(p_rows) with ordinality item(row, position)
$$;

create or replace function commands.gift_credit_refused(p_rows jsonb, p_verdicts text[])
returns text[] language sql as $$
  select commands.deposit_refused(p_rows)
$$;
