-- oldest program: 0231
-- When an amount is released stands beside it, so that the job reads those that are due, not all that are reserved. Null, from an
-- older program: not copied from the notice yet.
alter table deposit_reserved_amount add column release_at timestamptz;
update deposit_reserved_amount r
   set release_at = case n.state when 'MATCHED' then now() else n.release_at end
  from deposit_notice n where n.id = r.notice_id;
create index deposit_reserved_amount_due on deposit_reserved_amount (release_at);

create or replace function settlement.arrival_credit(p_row jsonb) returns text language plpgsql as $$
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
  -- The member's oldest notice that this money was meant by. The job releases its amount.
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
    -- One that the job is deleting is not waited for.
    update deposit_reserved_amount r set release_at = now()
      from (select a.look, a.pay_amount from deposit_reserved_amount a where a.notice_id = v_notice for no key update skip locked) l
     where r.look = l.look and r.pay_amount = l.pay_amount;
  end if;
  update deposit_arrival set state = 'CREDITED', member_id = v_member, debit_house = p_row ->> 'debit', via = p_row ->> 'via',
         note = coalesce(note, p_row ->> 'note'), claimed_at = coalesce(claimed_at, now()), credited_at = now(), work_at = null
   where id = v_arrival.id;
  return 'o';
end
$$;
