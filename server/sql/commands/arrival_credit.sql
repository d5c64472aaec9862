-- migration: 0361

-- arrival_credit: the transfer becomes CREDITED in the commit of the credit. The bonus of its announcement falls due. Few
-- rows: a function of one row returns the outcome. Outcomes: applied · replayed · assigned_elsewhere: to another member
-- or to a gateway · stale_read: its state, and with it the account that the money is taken from, has changed ·
-- row_locked
create or replace function commands.arrival_credit(p_row jsonb) returns text language plpgsql as $$
declare
  v_member constant uuid := p_row ->> 'member';
  v_arrival deposit_arrival;
  v_announcement uuid;
begin
  select * into v_arrival from deposit_arrival where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'row_locked';
    when v_arrival.member_id <> v_member or v_arrival.state = 'GATEWAY' then return 'assigned_elsewhere';
    when v_arrival.state = 'CREDITED' then return 'replayed';
    when v_arrival.state <> p_row ->> 'from' then return 'stale_read';
    else
  end case;
  -- The member's oldest announcement of this amount, or one that had reserved it when the money was sent: an operator may
  -- assign a transfer days later. Some banks state whole minutes. The job releases the amount.
  select announcement.id into v_announcement from deposit_announcement announcement
   where announcement.pay_amount = v_arrival.amount and announcement.currency = v_arrival.currency
     and (announcement.house_account is null or announcement.house_account = v_arrival.house_account)
     and (announcement.release_at > now()
       or v_arrival.sent_at between announcement.created_at - interval '2 minutes' and announcement.release_at)
     and announcement.member_id = v_member and announcement.state <> 'MATCHED'
     and not exists (select from deposit_announcement matched
       where matched.arrival_id = v_arrival.id and matched.state = 'MATCHED')
   order by announcement.release_at <= now(), announcement.state <> 'OPEN', announcement.created_at limit 1;
  if found then
    perform from deposit_announcement announcement
     where announcement.id = v_announcement and announcement.state <> 'MATCHED' for no key update skip locked;
    if not found then return 'row_locked'; end if;
    update deposit_announcement set state = 'MATCHED', is_late = expires_at <= now(), arrival_id = v_arrival.id,
           ended_at = coalesce(ended_at, now())
     where id = v_announcement;
    insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
    select p_row ->> 'key', announcement.member_id, announcement.currency, announcement.bonus_code, announcement.reference
      from deposit_announcement announcement where announcement.id = v_announcement and announcement.bonus_code is not null
    on conflict do nothing;
    -- The job may be deleting the row: then it is locked and left to the job.
    update deposit_reserved_amount reserved set release_at = now()
      from (select reserved.look, reserved.pay_amount from deposit_reserved_amount reserved
             where reserved.announcement_id = v_announcement for no key update skip locked) unlocked
     where reserved.look = unlocked.look and reserved.pay_amount = unlocked.pay_amount;
  end if;
  update deposit_arrival
     set state = 'CREDITED', member_id = v_member, debit_house_account = p_row ->> 'debit', via = p_row ->> 'via',
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
