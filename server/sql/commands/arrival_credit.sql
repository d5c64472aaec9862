-- migration: 0358

-- arrival_credit: the transfer becomes CREDITED in the commit of the credit. The bonus of its notice falls due. Few rows: a function
-- of one row returns the outcome.
-- Outcomes: applied · replayed · assigned_elsewhere: to another member or to a gateway · stale_read: its state, and with it the
-- account that the money is taken from, has changed · row_locked
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
  -- The member's oldest notice of this amount, or one that had reserved it when the money was sent: an operator may assign a transfer
  -- days later. Some banks state whole minutes. The job releases the amount.
  select n.id into v_notice from deposit_notice n
   where n.pay_amount = v_arrival.amount and n.currency = v_arrival.currency and n.house in ('', v_arrival.house)
     and (n.release_at > now() or v_arrival.sent_at between n.created_at - interval '2 minutes' and n.release_at)
     and n.member_id = v_member and n.state <> 'MATCHED'
     and not exists (select from deposit_notice m where m.arrival_id = v_arrival.id and m.state = 'MATCHED')
   order by n.release_at <= now(), n.state <> 'OPEN', n.created_at limit 1;
  if found then
    perform from deposit_notice n where n.id = v_notice and n.state <> 'MATCHED' for no key update skip locked;
    if not found then return 'row_locked'; end if;
    update deposit_notice set state = 'MATCHED', is_late = expires_at <= now(), arrival_id = v_arrival.id,
           ended_at = coalesce(ended_at, now())
     where id = v_notice;
    insert into deposit_bonus (credit_key, member_id, currency, code, deposit)
    select p_row ->> 'key', n.member_id, n.currency, n.bonus_code, n.reference
      from deposit_notice n where n.id = v_notice and n.bonus_code is not null
    on conflict do nothing;
    -- The job may be deleting the row: then it is locked and left to the job.
    update deposit_reserved_amount r set release_at = now()
      from (select a.look, a.pay_amount from deposit_reserved_amount a where a.notice_id = v_notice for no key update skip locked) l
     where r.look = l.look and r.pay_amount = l.pay_amount;
  end if;
  update deposit_arrival set state = 'CREDITED', member_id = v_member, debit_house = p_row ->> 'debit', via = p_row ->> 'via',
         note = coalesce(note, p_row ->> 'note'), claimed_at = coalesce(claimed_at, now()), credited_at = now(), work_at = null
   where id = v_arrival.id;
  return 'applied';
end
$$;

create or replace function commands.arrival_credit_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(commands.arrival_credit(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$$;

create or replace function commands.arrival_credit_refused(p_rows jsonb, p_verdicts text[]) returns text[] language sql as $$
  select commands.deposit_refused(p_rows)
$$;
