-- The bonus that a member chose with a deposit. It changes nothing of the credit.
alter table qrcode add column bonus_code text collate "C";
alter table deposit_notice add column bonus_code text collate "C";
alter table slip add column bonus_code text collate "C";
alter table truelink_gift add column bonus_code text collate "C";

-- Chosen bonuses of credited deposits, inserted in the commit that credits the deposit or settles its slip. A worker then receives
-- each with the command that members use.
create table deposit_bonus (
  -- Key of the deposit's ledger operation.
  credit_key text collate "C" primary key,
  -- No foreign keys: their checks would write to rows that the credit does not touch.
  member_id uuid not null,
  currency currency not null,
  code text collate "C" not null,
  -- Reference of the QR code, notice, slip or gift link.
  deposit text collate "C" not null,
  state text collate "C" not null default 'DUE',
  credited_at timestamptz not null default now(),
  ended_at timestamptz,
  -- The received amount.
  amount bigint,
  -- Why it was not received: an error code and its detail.
  reason text collate "C",
  detail text collate "C",
  -- When the row is due; null: nothing left to do. A claim moves it ahead by a lease.
  work_at timestamptz default now(),
  constraint deposit_bonus_deposit unique (deposit),
  constraint deposit_bonus_state check (state in ('DUE', 'RECEIVED', 'REFUSED')),
  constraint deposit_bonus_ended check ((state = 'DUE') = (ended_at is null) and (state = 'DUE') = (work_at is not null)),
  constraint deposit_bonus_received check ((state = 'RECEIVED') = (amount is not null) and amount > 0),
  constraint deposit_bonus_refused check ((state = 'REFUSED') = (reason is not null))
) with (fillfactor = 80);

create index deposit_bonus_due on deposit_bonus (work_at) where work_at is not null;

-- Opens a QR code in one statement. A live code of the same amount takes the new choice of the bonus. Outcomes:
--   created · reused: the member's live code of this amount ·
--   inquiry_needed: the live code may be paid by now; its gateway is asked before it is shown, and p_inquired then names it ·
--   amount_differs: the live code has another amount · too_many: codes created in the window · key_taken
-- Two concurrent requests: one violates qrcode_live or qrcode_request_key and is called again.
drop function commands.qrcode_open(uuid, uuid, text, text, currency, bigint, float8, text, bytea, uuid, float8, int);
create function commands.qrcode_open(
  p_id uuid, p_member uuid, p_gateway text, p_reference text, p_currency currency, p_amount bigint, p_inquire_ms float8,
  p_key text, p_hash bytea, p_inquired uuid, p_window_ms float8, p_max int, p_bonus text, out outcome text, out code qrcode
) language plpgsql as $$
begin
  if exists (select from qrcode_request r where r.member_id = p_member and r.key = p_key) then
    outcome := 'key_taken';
    return;
  end if;
  update qrcode q set state = 'EXPIRED', ended_at = q.expires_at
   where q.member_id = p_member and q.gateway = p_gateway and q.state = 'PENDING' and q.expires_at <= now();
  select q.* into code from qrcode q
   where q.member_id = p_member and q.gateway = p_gateway and q.state in ('CREATING', 'PENDING');
  if found then
    outcome := case when code.state = 'PENDING' and code.id is distinct from p_inquired then 'inquiry_needed'
      when code.amount <> p_amount then 'amount_differs' else 'reused' end;
    if outcome = 'reused' and code.bonus_code is distinct from p_bonus then
      -- A concurrent credit keeps the choice that it has read.
      update qrcode q set bonus_code = p_bonus where q.id = code.id and q.state in ('CREATING', 'PENDING') returning q.* into code;
      if not found then
        raise exception 'the code was paid concurrently' using constraint = 'qrcode_live', errcode = 'unique_violation';
      end if;
    end if;
  elsif (select count(*) from qrcode q where q.member_id = p_member and q.gateway = p_gateway
          and q.created_at > now() - p_window_ms * interval '1 ms') >= p_max then
    outcome := 'too_many';
  else
    outcome := 'created';
    insert into qrcode as q (id, member_id, gateway, reference, currency, amount, state, inquire_at, bonus_code)
    values (p_id, p_member, p_gateway, p_reference, p_currency, p_amount, 'CREATING', now() + p_inquire_ms * interval '1 ms', p_bonus)
    returning q.* into code;
  end if;
  if p_key is not null and outcome in ('created', 'reused') then
    insert into qrcode_request (member_id, key, request_hash, qrcode_id) values (p_member, p_key, p_hash, code.id);
  end if;
end
$$;

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
  -- The member's oldest notice of this amount. The job releases the amount.
  select n.id into v_notice from deposit_notice n
   where n.pay_amount = v_arrival.amount and n.currency = v_arrival.currency and n.house in ('', v_arrival.house)
     and n.release_at > now() and n.member_id = v_member and n.state <> 'MATCHED'
     and not exists (select from deposit_notice m where m.arrival_id = v_arrival.id and m.state = 'MATCHED')
   order by n.state <> 'OPEN', n.created_at limit 1;
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

-- gift_credit: the link becomes CREDITED in the commit of the credit. Its bonus falls due. Outcomes: applied · replayed ·
-- amount_conflict: credited before with another amount · not_creditable: in a state that is neither redeemed nor inquired about ·
-- row_locked
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
