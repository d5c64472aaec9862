-- Transfers to our accounts and gift links: the row says CREDITED in the commit that posts the money. CREDITING is gone.

-- Kinds whose rows are few are written by a function of one row, which answers its letter. For all of them: o written ·
-- D written before with the same outcome · x written before with another one · w a row is being changed: again later.

-- What a server of the version before has left half done.
do $$
begin
  if exists (select from deposit_arrival where suspended_at is not null and booked_at is null) then
    raise exception 'transfers are laid into suspense and not in the ledger yet: let the version before finish them first';
  end if;
end
$$;

-- Gift links. A link in CREDITING is asked about again: its ticket tells the amount, and its key credits it once.
alter table truelink_gift drop constraint truelink_gift_state, drop constraint truelink_gift_amount,
  drop constraint truelink_gift_sealed;
update truelink_gift set state = 'UNKNOWN', amount = null, voucher_id = null, work_at = now() where state = 'CREDITING';
alter table truelink_gift
  add constraint truelink_gift_state check (state in ('NEW', 'REDEEMING', 'UNKNOWN', 'CREDITED', 'FAILED', 'MANUAL')),
  add constraint truelink_gift_amount check ((state = 'CREDITED') = (amount is not null) and amount > 0),
  add constraint truelink_gift_sealed check (sealed_hash is not null or state in ('CREDITED', 'FAILED'));

-- l: it is neither redeemed nor asked about any more, nothing is credited.
create function settlement.gift_credit(p_row jsonb) returns text language plpgsql as $$
declare
  v_gift truelink_gift;
begin
  select * into v_gift from truelink_gift where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'w';
    when v_gift.state = 'CREDITED' then
      return case when v_gift.amount = (p_row ->> 'amount')::bigint then 'D' else 'x' end;
    when not (p_row -> 'from') ? v_gift.state then return 'l';
    else
  end case;
  update truelink_gift set state = 'CREDITED', amount = (p_row ->> 'amount')::bigint, voucher_id = p_row ->> 'voucher',
         ended_at = now(), sealed_hash = null, work_at = null
   where id = v_gift.id;
  return 'o';
end
$$;

-- Transfers to our accounts. An operator's decision is the row's member_id, via and note; a server credits it. debit_house is
-- that of the credit. A transfer is in SUSPENSE by its row and in the ledger at the same time: booked_at is gone.
alter table deposit_arrival drop constraint deposit_arrival_state, drop constraint deposit_arrival_claimed,
  drop constraint deposit_arrival_booked, drop column booked_at;
update deposit_arrival set state = case debit_house when 'suspense' then 'SUSPENSE' else 'NEW' end, debit_house = null,
       work_at = now()
 where state = 'CREDITING';
alter table deposit_arrival
  add constraint deposit_arrival_state check (state in ('NEW', 'SUSPENSE', 'CREDITED', 'GATEWAY')),
  add constraint deposit_arrival_claimed check ((member_id is null) = (via is null)
    and (member_id is null) = (claimed_at is null) and (member_id is null or state <> 'GATEWAY')
    and (state = 'CREDITED') = (debit_house is not null) and (state <> 'CREDITED' or member_id is not null));

-- v: its state is not the one that the money was taken from.
create function settlement.arrival_credit(p_row jsonb) returns text language plpgsql as $$
declare
  v_member constant uuid := p_row ->> 'member';
  v_arrival deposit_arrival;
  v_notice uuid;
begin
  select * into v_arrival from deposit_arrival where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'w';
    when v_arrival.member_id <> v_member or v_arrival.state = 'GATEWAY' then return 'x';
    when v_arrival.state = 'CREDITED' then return 'D';
    when v_arrival.state <> p_row ->> 'from' then return 'v';
    else
  end case;
  -- The member's oldest notice that this money was meant by. The job lets its amount go.
  select n.id into v_notice from deposit_notice n
   where n.pay_amount = v_arrival.amount and n.currency = v_arrival.currency and n.house in ('', v_arrival.house)
     and n.release_at > now() and n.member_id = v_member and n.state <> 'MATCHED'
     and not exists (select from deposit_notice m where m.arrival_id = v_arrival.id and m.state = 'MATCHED')
   order by n.state <> 'OPEN', n.created_at limit 1;
  if found then
    perform from deposit_notice n where n.id = v_notice and n.state <> 'MATCHED' for no key update skip locked;
    if not found then return 'w'; end if;
    update deposit_notice set state = 'MATCHED', is_late = expires_at <= now(), arrival_id = v_arrival.id,
           ended_at = coalesce(ended_at, now())
     where id = v_notice;
  end if;
  update deposit_arrival set state = 'CREDITED', member_id = v_member, debit_house = p_row ->> 'debit', via = p_row ->> 'via',
         note = coalesce(note, p_row ->> 'note'), claimed_at = coalesce(claimed_at, now()), credited_at = now(), work_at = null
   where id = v_arrival.id;
  return 'o';
end
$$;

create function settlement.arrival_suspense(p_row jsonb) returns text language plpgsql as $$
declare
  v_arrival deposit_arrival;
begin
  select * into v_arrival from deposit_arrival where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'w';
    when v_arrival.state = 'SUSPENSE' then return 'D';
    when v_arrival.state <> 'NEW' or v_arrival.member_id is not null then return 'x';
    else
  end case;
  update deposit_arrival set state = 'SUSPENSE', reason = p_row ->> 'reason', suspended_at = now(), work_at = null,
         candidates = array(select jsonb_array_elements_text(p_row -> 'candidates'))::uuid[]
   where id = v_arrival.id;
  return 'o';
end
$$;

create function settlement.gift_credit_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(settlement.gift_credit(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$$;
create function settlement.arrival_credit_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(settlement.arrival_credit(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$$;
create function settlement.arrival_suspense_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(settlement.arrival_suspense(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$$;

-- No deposit does without its money: the call fails, and the step that the ledger refuses is found by halves.
create function settlement.deposit_refused(p_rows jsonb) returns text[] language plpgsql as $$
begin
  raise exception 'settlement: the ledger refused the deposit %', p_rows -> 0 ->> 'id';
end
$$;
create function settlement.gift_credit_refused(p_rows jsonb, p_outcomes text[]) returns text[] language sql as $$
  select settlement.deposit_refused(p_rows)
$$;
create function settlement.arrival_credit_refused(p_rows jsonb, p_outcomes text[]) returns text[] language sql as $$
  select settlement.deposit_refused(p_rows)
$$;
create function settlement.arrival_suspense_refused(p_rows jsonb, p_outcomes text[]) returns text[] language sql as $$
  select settlement.deposit_refused(p_rows)
$$;
