-- migration: 0358

-- arrival_credit: the transfer becomes CREDITED in the commit of the credit. The bonus of its notice falls due. Few
-- rows: a function of one row returns the outcome. Outcomes: applied · replayed · assigned_elsewhere: to another member
-- or to a gateway · stale_read: its state, and with it the account that the money is taken from, has changed ·
-- row_locked
create or replace function commands.arrival_credit(p_row jsonb) returns text language plpgsql as $$
declare
  v_member constant uuid := p_row ->> 'member';
  v_arrival deposit_arrival;
  v_notice uuid;
begin
  select * into v_arrival from deposit_arrival where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'row_locked';
    when v_arrival.member_id <> v_member or v_arrival.state = 'GATEWAY' then return 'assigned_elsewhere';
    when v_arrival.state = 'CREDITED' then return 'replayed';
    when v_arrival.state <> p_row ->> 'from' then return 'stale_read';
    else
  end case;
  -- The member's oldest notice of this amount, or one that had reserved it when the money was sent: an operator may
  -- assign a transfer days later. Some banks state whole minutes. The job releases the amount.
  select notice.id into v_notice from deposit_notice notice
   where notice.pay_amount = v_arrival.amount and notice.currency = v_arrival.currency
     and notice.house in ('', v_arrival.house)
     and (notice.release_at > now()
       or v_arrival.sent_at between notice.created_at - interval '2 minutes' and notice.release_at)
     and notice.member_id = v_member and notice.state <> 'MATCHED'
     and not exists (select from deposit_notice matched
       where matched.arrival_id = v_arrival.id and matched.state = 'MATCHED')
   order by notice.release_at <= now(), notice.state <> 'OPEN', notice.created_at limit 1;
  if found then
    perform from deposit_notice notice
     where notice.id = v_notice and notice.state <> 'MATCHED' for no key update skip locked;
    if not found then return 'row_locked'; end if;
    update deposit_notice set state = 'MATCHED', is_late = expires_at <= now(), arrival_id = v_arrival.id,
           ended_at = coalesce(ended_at, now())
     where id = v_notice;
    insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
    select p_row ->> 'key', notice.member_id, notice.currency, notice.bonus_code, notice.reference
      from deposit_notice notice where notice.id = v_notice and notice.bonus_code is not null
    on conflict do nothing;
    -- The job may be deleting the row: then it is locked and left to the job.
    update deposit_reserved_amount reserved set release_at = now()
      from (select reserved.look, reserved.pay_amount from deposit_reserved_amount reserved
             where reserved.notice_id = v_notice for no key update skip locked) unlocked
     where reserved.look = unlocked.look and reserved.pay_amount = unlocked.pay_amount;
  end if;
  update deposit_arrival
     set state = 'CREDITED', member_id = v_member, debit_house = p_row ->> 'debit', via = p_row ->> 'via',
         note = coalesce(note, p_row ->> 'note'), claimed_at = coalesce(claimed_at, now()), credited_at = now(),
         work_at = null
   where id = v_arrival.id;
  return 'applied';
end
$$;

create or replace function commands.arrival_credit_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(commands.arrival_credit(item.row) order by item.position)
    from jsonb_array_elements(p_rows) with ordinality item(row, position)
$$;

create or replace function commands.arrival_credit_refused(p_rows jsonb, p_verdicts text[])
returns text[] language sql as $$
  select commands.deposit_refused(p_rows)
$$;
