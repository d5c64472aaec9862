-- Made from the migrations by `npm run schema -- --write`; not to be edited.

create schema commands;

CREATE OR REPLACE FUNCTION commands.arrival_credit(p_row jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_credit_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select array_agg(commands.arrival_credit(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_credit_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select commands.deposit_refused(p_rows)
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_suspense(p_row jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_arrival deposit_arrival;
begin
  select * into v_arrival from deposit_arrival where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'row_locked';
    when v_arrival.state = 'SUSPENSE' then return 'replayed';
    when v_arrival.state <> 'NEW' or v_arrival.member_id is not null then return 'already_decided';
    else
  end case;
  update deposit_arrival set state = 'SUSPENSE', reason = p_row ->> 'reason', suspended_at = now(), work_at = null,
         candidates = array(select jsonb_array_elements_text(p_row -> 'candidates'))::uuid[]
   where id = v_arrival.id;
  return 'applied';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_suspense_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select array_agg(commands.arrival_suspense(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_suspense_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select commands.deposit_refused(p_rows)
$function$
;

CREATE OR REPLACE FUNCTION commands.deposit_refused(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'commands: the ledger refused the deposit %', p_rows -> 0 ->> 'id';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.game_refresh_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select r.i, a.version = r.version and a.busy_with is null as is_current
      from (select n.*, t.i from jsonb_array_elements(p_rows) with ordinality t(row, i),
                   jsonb_to_record(t.row) n(member uuid, game text, version bigint)
             order by n.member, n.game) r,
           lateral (select a.version, a.busy_with from game_account a where a.member_id = r.member and a.game_code = r.game
                       for no key update skip locked) a
  loop
    v_outcomes[v_row.i] := case when v_row.is_current then 'applied' else 'stale_read' end;
  end loop;
  update game_account a set is_stale = false, are_bets_known = true, version = a.version + 1, refreshed_at = now(),
         outstanding = n.outstanding, turnover = n.turnover
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(member uuid, game text, outstanding bigint, turnover bigint)
   where v_outcomes[t.i] = 'applied' and a.member_id = n.member and a.game_code = n.game;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.game_refresh_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update game_account a set is_stale = true
    from jsonb_to_recordset(p_rows) n(member uuid, game text) where a.member_id = n.member and a.game_code = n.game;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.gift_credit(p_row jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION commands.gift_credit_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select array_agg(commands.gift_credit(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$function$
;

CREATE OR REPLACE FUNCTION commands.gift_credit_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select commands.deposit_refused(p_rows)
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_clear_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.state, c.clear_attempt = t.attempt as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, attempt int) order by n.id) t,
           lateral (select l.state, l.clear_attempt from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    -- ACTIVE: an earlier call of this attempt was refused.
    v_outcomes[v_row.i] := case when not v_row.is_own then 'lease_lost' when v_row.state = 'CLEARING' then 'applied'
      when v_row.state = 'ACTIVE' then 'insufficient_funds' else 'replayed' end;
  end loop;
  update incentive_condition c set state = n."to", is_told = true, ended_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, "to" text)
   where v_outcomes[t.i] = 'applied' and c.id = n.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_clear_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update incentive_condition c set state = 'ACTIVE', is_told = false, ended_at = null, takes_back = null, ended_current = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_end_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.is_told, c.ended_at from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                                                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.is_told, l.ended_at from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    v_outcomes[v_row.i] := case when v_row.is_told then 'replayed' when v_row.ended_at is null then 'not_ended' else 'applied' end;
  end loop;
  update incentive_condition c set is_told = true
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_outcomes[t.i] = 'applied' and c.id = n.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_end_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update incentive_condition c set is_told = false
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_pay_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, g.state,
           exists (select from incentive_condition c where c.id = t.id)
             and not exists (select from incentive_condition c where c.id = t.id for no key update skip locked) as is_locked
      from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.state from incentive_grant l where l.id = t.id for no key update skip locked) g
  loop
    v_outcomes[v_row.i] := case when v_row.state <> 'OPEN' then 'replayed' when v_row.is_locked then 'row_locked' else 'applied' end;
  end loop;
  update incentive_grant g set state = 'PAID', paid_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_outcomes[t.i] = 'applied' and g.id = n.id;
  update incentive_condition c
     set state = 'ACTIVE', started_at = clock_timestamp(), look_at = clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, lease_ms int)
   where v_outcomes[t.i] = 'applied' and c.id = n.id and c.state = 'OPENING';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_pay_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update incentive_grant g set state = 'OPEN', paid_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where g.id = n.id;
  update incentive_condition c set state = 'OPENING', started_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.offer_count_receipt(p_code text, p_currency text, p_amount bigint)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  v_offer record;
begin
  select o.quota is not null as has_quota, coalesce(o.given < o.quota, true) as is_left, o.is_on into v_offer
    from bonus_offer o where o.code = p_code;
  if not v_offer.is_on then return 'stale_read'; end if;
  if v_offer.has_quota then
    select coalesce(o.given < o.quota, true) as is_left into v_offer from bonus_offer o where o.code = p_code for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
  end if;
  select a.budget is not null as has_budget into v_offer from bonus_offer_amount a where a.code = p_code and a.currency = p_currency::currency;
  if v_offer.has_budget then
    select coalesce(a.given + p_amount <= a.budget, true) as is_left into v_offer
      from bonus_offer_amount a where a.code = p_code and a.currency = p_currency::currency for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
    update bonus_offer_amount a set given = a.given + p_amount where a.code = p_code and a.currency = p_currency::currency;
  end if;
  update bonus_offer o set given = o.given + 1 where o.code = p_code and o.quota is not null;
  return 'applied';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.offer_receive_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, t.gate, t.games, t.code, t.currency, t.amount, g.version as gate_version,
           exists (select from incentive_grant k where k.id = t.id) as is_applied,
           exists (select from wallet_suspension s where s.member_id = t.member) as is_suspended,
           exists (select from withdraw w where w.member_id = t.member and w.state not in ('PAID', 'FAILED')) as is_withdrawing,
           games.are_same, games.are_locked
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, member uuid, gate bigint, games jsonb, code text, currency text, amount bigint)
             order by n.member) t
           left join lateral (select l.version from incentive_gate l where l.member_id = t.member
                                 for no key update skip locked) g on true
           cross join lateral (
             select coalesce(jsonb_object_agg(a.game_code, a.version::text), '{}') = t.games as are_same,
                    count(*) < (select count(*) from game_account c where c.member_id = t.member and c.state = 'ACTIVE') as are_locked
               from (select b.game_code, b.version from game_account b where b.member_id = t.member and b.state = 'ACTIVE'
                        for share skip locked) a) games
  loop
    v_outcomes[v_row.i] := case
      when v_row.is_applied then 'replayed'
      when v_row.is_suspended then 'wallet_suspended'
      when v_row.gate_version is null or v_row.are_locked then 'row_locked'
      when v_row.gate_version <> v_row.gate or not v_row.are_same or v_row.is_withdrawing then 'stale_read'
      else commands.offer_count_receipt(v_row.code, v_row.currency, v_row.amount) end;
  end loop;

  update incentive_gate g set version = g.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(member uuid)
   where v_outcomes[t.i] = 'applied' and g.member_id = n.member;
  insert into bonus_receipt (id, member_id, code, currency, amount, deposit_operation, received_at)
  select n.id, n.member, n.code, n.currency, n.amount, n.deposit, n.at
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, code text, currency text, amount bigint, deposit bigint, at timestamptz)
   where v_outcomes[t.i] = 'applied';
  insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, state, created_at, paid_at, leased_until)
  select n.id, n.member, n.currency, n.kind, n.source, n.name, n.reference, n.amount, 'PAID', n.at, clock_timestamp(), clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, kind text, source text, name jsonb, reference text,
                                  amount bigint, at timestamptz)
   where v_outcomes[t.i] = 'applied';
  insert into incentive_condition (id, member_id, currency, kind, state, base, own, target, floor, percent_success, percent_fail,
                                   turnover_target, turnover_before, expires_at, started_at, look_at)
  select n.id, n.member, n.currency, n.kind, 'ACTIVE', n.base, n.own, n.target, n.floor, n.percent_success, n.percent_fail,
         n.turnover_target, n.turnover_before, n.expires_at, n.at, clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, kind text, base bigint, own bigint, target bigint, floor bigint,
                                  percent_success numeric, percent_fail numeric, turnover_target bigint, turnover_before jsonb,
                                  expires_at timestamptz, at timestamptz, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.offer_receive_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'commands: the ledger refused the credit of an offer (%)', p_verdicts;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.qrcode_credit_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION commands.qrcode_credit_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'commands: the ledger refused the credit of code %', p_rows -> 0 ->> 'reference';
end
$function$
;

CREATE OR REPLACE FUNCTION commands.qrcode_open(p_id uuid, p_member uuid, p_gateway text, p_reference text, p_currency currency, p_amount bigint, p_inquire_ms double precision, p_key text, p_hash bytea, p_inquired uuid, p_window_ms double precision, p_max integer, p_bonus text, OUT outcome text, OUT code qrcode)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_cancel_second_leg(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  v_leg record;
begin
  update transfer_leg l set state = 'REVERSED', code = 'TRANSFER_FAIL', detail = 'RESTS_IN_WALLET', finished_at = clock_timestamp()
    from transfer t where l.transfer_id = p_id and l.leg = 2 and l.state = 'QUEUED' and t.id = l.transfer_id
  returning l.member_id, l.game_code, t.reference into v_leg;
  if found then perform commands.transfer_release_account(v_leg.member_id, v_leg.game_code, v_leg.reference); end if;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_close_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_now constant timestamptz := clock_timestamp();
  v_row record;
begin
  for v_row in
    select t.i, l.state, l.fence = t.fence and l.state = t.from as is_own, l.state = t.to as is_same,
           t.second is not null as has_second,
           (select n.state from transfer_leg n where n.transfer_id = t.id and n.leg = 2) as second,
           -- The accounts of both legs.
           (select count(*) from (select from game_account a where a.member_id = t.member and a.game_code = any(t.games)
                                   order by a.game_code for no key update skip locked) a) < cardinality(t.games) as is_locked
      from (select c.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) c(id uuid, leg int, fence int, "from" text, "to" text, member uuid, games text[],
                                            second jsonb)
             order by c.id, c.leg) t,
           lateral (select l.state, l.fence from transfer_leg l where l.transfer_id = t.id and l.leg = t.leg
                       for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case
      when v_row.is_own and v_row.is_locked then 'row_locked'
      when v_row.is_own then 'applied'
      when v_row.state not in ('DONE', 'REVERSED') then 'lease_lost'
      when not v_row.is_same then 'closed_differently'
      when v_row.has_second and v_row.second is distinct from 'SENT' then 'replayed_second_leg_refused'
      else 'replayed' end;
  end loop;

  update transfer_leg l
     set state = c.to, proof = c.proof, proof_by = c.by, proof_balance = c.balance, finished_at = v_now,
         code = coalesce(l.code, c.code), detail = coalesce(l.detail, c.detail)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) c(id uuid, leg int, "to" text, proof text, by text, balance bigint, code text, detail text)
   where v_outcomes[t.i] = 'applied' and l.transfer_id = c.id and l.leg = c.leg;
  -- One statement for all rows. An account occurs once: it is reserved for one transfer.
  update game_account a
     set busy_with = null, version = a.version + 1, is_stale = a.is_stale and not c.is_balance_final,
         refreshed_at = case when c.is_balance_final then now() else a.refreshed_at end,
         last_top_up = coalesce(c.top_up, a.last_top_up)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) c(member uuid, game text, reference text, is_balance_final boolean, top_up bigint)
   where v_outcomes[t.i] = 'applied' and a.member_id = c.member and a.game_code = c.game and a.busy_with = c.reference;

  -- From game to game: the second leg starts, or is cancelled.
  if p_rows @? '$[*] ? (@.has_second_leg == true)' then
    update transfer_leg l
       set state = 'SENT', sent_at = v_now, balance_before = s.before, turnover_before = s.turnover,
           leased_until = v_now + s.lease_ms * interval '1 ms'
      from jsonb_array_elements(p_rows) with ordinality t(row, i),
           jsonb_to_record(t.row -> 'second') s(before bigint, turnover bigint, lease_ms int)
     where v_outcomes[t.i] = 'applied' and t.row -> 'second' <> 'null'::jsonb and l.transfer_id = (t.row ->> 'id')::uuid
       and l.leg = 2 and l.state = 'QUEUED';
    perform commands.transfer_cancel_second_leg((t.row ->> 'id')::uuid)
       from jsonb_array_elements(p_rows) with ordinality t(row, i)
      where v_outcomes[t.i] = 'applied' and (t.row ->> 'has_second_leg')::boolean;
  end if;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_close_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
declare
  v_outcomes text[] := '{}'; v_row jsonb; v_verdicts text[]; v_i int := 0; v_outcome text;
begin
  for v_row in select * from jsonb_array_elements(p_rows) loop
    v_i := v_i + 1; v_verdicts := string_to_array(p_verdicts[v_i], ','); v_outcome := 'applied';
    for v_k in 1..cardinality(v_verdicts) loop
      continue when v_verdicts[v_k] = 'applied';
      case v_row -> 'purposes' ->> (v_k - 1)
        when 'follow_balance' then
          -- The ledger account cannot take the reported balance, which is no longer current.
          update game_account a set is_stale = true where a.member_id = (v_row ->> 'member')::uuid and a.game_code = v_row ->> 'game';
        when 'hold_second' then
          update transfer_leg l set state = 'QUEUED', sent_at = null where l.transfer_id = (v_row ->> 'id')::uuid and l.leg = 2;
          perform commands.transfer_cancel_second_leg((v_row ->> 'id')::uuid);
          v_outcome := 'second_leg_refused';
        else
          raise exception 'commands: the ledger refused the money of leg % of transfer %', v_row ->> 'leg', v_row ->> 'id';
      end case;
    end loop;
    v_outcomes := v_outcomes || v_outcome;
  end loop;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_open_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_now constant timestamptz := clock_timestamp();
  v_row record;
begin
  -- Known keys. The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  for v_row in
    select t.i, known.is_own, l.state
      from (select r.* from jsonb_array_elements(p_rows) with ordinality r(row, i) order by r.row ->> 'member', r.row ->> 'key') t,
           lateral (select k.id, k.id = (t.row ->> 'id')::uuid as is_own from transfer k
                     where k.member_id = (t.row ->> 'member')::uuid and k.idempotency_key = t.row ->> 'key' for no key update) known
           left join transfer_leg l on l.transfer_id = known.id and l.leg = 1
  loop
    v_outcomes[v_row.i] := case when not v_row.is_own then 'key_taken' when v_row.state = 'REVERSED' then 'replayed_refused'
      else 'replayed' end;
  end loop;
  for v_row in
    select t.i from jsonb_array_elements(p_rows) with ordinality t(row, i)
     where v_outcomes[t.i] = 'applied' and exists (select from wallet_suspension s where s.member_id = (t.row ->> 'member')::uuid)
  loop
    v_outcomes[v_row.i] := 'wallet_suspended';
  end loop;

  -- Game accounts, in one order for all callers.
  for v_row in
    select w.i, a.game_code is null as is_locked, a.busy_with is not null as is_busy, w.version <> a.version as is_stale
      from (select t.i, (t.row ->> 'member')::uuid as member, g.game, g.version
              from jsonb_array_elements(p_rows) with ordinality t(row, i),
                   jsonb_to_recordset(t.row -> 'legs') g(game text, version bigint)
             where v_outcomes[t.i] = 'applied' order by member, g.game) w
           left join lateral (select a.game_code, a.busy_with, a.version from game_account a
                               where a.member_id = w.member and a.game_code = w.game and a.state = 'ACTIVE'
                                 for no key update skip locked) a on true
  loop
    v_outcomes[v_row.i] := case
      when v_row.is_locked or v_outcomes[v_row.i] = 'row_locked' then 'row_locked'
      when v_row.is_busy or v_outcomes[v_row.i] = 'account_busy' then 'account_busy'
      when v_row.is_stale then 'stale_read'
      else v_outcomes[v_row.i] end;
  end loop;

  update game_account a set busy_with = t.row ->> 'reference', are_bets_known = false, version = a.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_recordset(t.row -> 'legs') g(game text)
   where v_outcomes[t.i] = 'applied' and a.member_id = (t.row ->> 'member')::uuid and a.game_code = g.game;

  insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
  select n.id, n.member, n.currency, n.key, decode(n.hash, 'hex'), n.source, n.target, n.amount, n.reference
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, key text, hash text, source text, target text,
                                  amount bigint, reference text)
   where v_outcomes[t.i] = 'applied';

  -- The caller sends the first leg right after the commit. The second waits until the first is closed.
  insert into transfer_leg (transfer_id, leg, member_id, game_code, ft_wallet_slot, direction, amount, credits, provider,
                            username, provider_reference, state, sent_at, balance_before, turnover_before, leased_until)
  select n.id, g.leg, n.member, g.game, g.slot, g.direction, n.amount, g.credits, g.provider, g.username, g.reference,
         case g.leg when 1 then 'SENT' else 'QUEUED' end, case g.leg when 1 then v_now end, g.before, g.turnover,
         v_now + g.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, member uuid, amount bigint),
         jsonb_to_recordset(t.row -> 'legs') g(leg int, game text, slot int, direction text, credits bigint, provider text,
                                               username text, reference text, before bigint, turnover bigint, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_open_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update transfer_leg l set state = 'REVERSED', code = 'MONEY_NOT_ENOUGH', finished_at = clock_timestamp(), sent_at = null
    from jsonb_array_elements(p_rows) r where l.transfer_id = (r ->> 'id')::uuid;
  perform commands.transfer_release_account((r ->> 'member')::uuid, g.game, r ->> 'reference')
     from jsonb_array_elements(p_rows) r, jsonb_to_recordset(r -> 'legs') g(game text);
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_release_account(p_member uuid, p_game text, p_reference text)
 RETURNS void
 LANGUAGE sql
AS $function$
  update game_account a set busy_with = null, version = a.version + 1
   where a.member_id = p_member and a.game_code = p_game and a.busy_with = p_reference;
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_close_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, t."to", l.state, l.fence = t.fence and l.state = t."from" as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int, "from" text, "to" text) order by n.id) t,
           lateral (select w.state, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case when v_row.is_own then 'applied' when v_row.state = v_row."to" then 'replayed'
      when v_row.state in ('PAID', 'FAILED') then 'closed_differently' else 'lease_lost' end;
  end loop;
  update withdraw w
     set state = n."to", proof = n."to", proof_by = n.by, finished_at = clock_timestamp(),
         -- The bank's result overrides an operator's decision: a paid withdrawal has no reason for a failure.
         reason = case n."to" when 'FAILED' then coalesce(n.reason, w.reason) end, note = coalesce(n.note, w.note), trans_ref = coalesce(n.trans_ref, w.trans_ref)
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, "to" text, by text, reason text, note text, trans_ref text)
   where v_outcomes[t.i] = 'applied' and w.id = n.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_close_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update withdraw w set state = n."from", finished_at = null
    from jsonb_to_recordset(p_rows) n(id uuid, "from" text) where w.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_hold_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, l.state = 'HELD' and not l.is_held and l.fence = t.fence as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, fence int) order by n.id) t,
           lateral (select w.state, w.is_held, w.fence from withdraw w where w.id = t.id for no key update skip locked) l
  loop
    v_outcomes[v_row.i] := case when v_row.is_own then 'applied' else 'lease_lost' end;
  end loop;
  update withdraw w set is_held = true, not_brought = n.not_brought, asks = 0, next_ask_at = clock_timestamp(),
         leased_until = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, not_brought jsonb)
   where v_outcomes[t.i] = 'applied' and w.id = n.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_hold_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select commands.withdraw_open_refused(p_rows, p_verdicts)
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_open_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  -- The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  for v_row in
    select t.i, known.id = t.id as is_own, known.refusal_code is not null as is_refused,
           not exists (select from withdraw l where l.id = known.id for no key update skip locked) as is_locked
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, member uuid, key text) order by n.member, n.key) t,
           lateral (select k.id, k.refusal_code from withdraw k
                     where k.member_id = t.member and k.idempotency_key = t.key) known
  loop
    v_outcomes[v_row.i] := case when not v_row.is_own then 'key_taken' when v_row.is_locked then 'row_locked'
      when v_row.is_refused then 'replayed_refused' else 'replayed' end;
  end loop;

  for v_row in
    select t.i, g.version, t.gate, exists (select from wallet_suspension s where s.member_id = t.member) as is_suspended,
           exists (select from withdraw w where w.member_id = t.member and w.state not in ('PAID', 'FAILED')) as has_open
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(member uuid, gate bigint) order by n.member) t
           left join lateral (select l.version from incentive_gate l where l.member_id = t.member
                                 for no key update skip locked) g on true
     where v_outcomes[t.i] = 'applied'
  loop
    v_outcomes[v_row.i] := case when v_row.is_suspended then 'wallet_suspended' when v_row.version is null then 'row_locked'
      when v_row.has_open then 'withdrawal_open' when v_row.version <> v_row.gate then 'stale_conditions' else 'applied' end;
  end loop;

  update incentive_gate g set version = g.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(member uuid)
   where v_outcomes[t.i] = 'applied' and g.member_id = n.member;
  insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code, account_no,
                        account_name, paid_from, is_held, leased_until)
  select n.id, n.member, n.currency, n.key, decode(n.hash, 'hex'), n.is_all, n.amount, n.reference, n.bank_code, n.account_no,
         n.account_name, n.paid_from, not n.is_all, clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, key text, hash text, is_all boolean, amount bigint,
                                  reference text, bank_code text, account_no text, account_name text, paid_from text, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_open_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update withdraw w set state = 'FAILED', is_held = false, refusal_code = n.code, refusal_detail = n.detail,
         finished_at = clock_timestamp()
    from jsonb_to_recordset(p_rows) n(id uuid, code text, detail text) where w.id = n.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$function$
;
