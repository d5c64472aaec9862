-- Made from the migrations by `npm run schema -- --write`; not to be edited.

create schema commands;

CREATE OR REPLACE FUNCTION commands.arrival_credit(p_row jsonb)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION commands.arrival_credit_admit(p_rows jsonb)
 RETURNS text[]
 LANGUAGE sql
AS $function$
  select array_agg(commands.arrival_credit(item.row) order by item.position)
    from jsonb_array_elements(p_rows) with ordinality item(row, position)
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
  select array_agg(commands.arrival_suspense(item.row) order by item.position)
    from jsonb_array_elements(p_rows) with ordinality item(row, position)
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
    select input.position, account.version = input.version and account.busy_with is null as is_current
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(member uuid, game text, version bigint)
             order by input.member, input.game) input,
           lateral (select account.version, account.busy_with from game_account account
                     where account.member_id = input.member and account.game_code = input.game
                       for no key update skip locked) account
  loop
    v_outcomes[v_row.position] := case when v_row.is_current then 'applied' else 'stale_read' end;
  end loop;
  update game_account account
     set is_stale = false, are_bets_known = true, version = account.version + 1, refreshed_at = now(),
         outstanding = input.outstanding, turnover = input.turnover
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(member uuid, game text, outstanding bigint, turnover bigint)
   where v_outcomes[item.position] = 'applied' and account.member_id = input.member and account.game_code = input.game;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.game_refresh_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update game_account account set is_stale = true
    from jsonb_to_recordset(p_rows) input(member uuid, game text)
   where account.member_id = input.member and account.game_code = input.game;
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
  select array_agg(commands.gift_credit(item.row) order by item.position)
    from jsonb_array_elements(p_rows) with ordinality item(row, position)
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
    select input.position, condition.state, condition.clear_attempt = input.attempt as is_own
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, attempt int) order by input.id) input,
           lateral (select condition.state, condition.clear_attempt from incentive_condition condition
                     where condition.id = input.id for no key update skip locked) condition
  loop
    -- ACTIVE: an earlier call of this attempt was refused.
    v_outcomes[v_row.position] := case when not v_row.is_own then 'lease_lost'
      when v_row.state = 'CLEARING' then 'applied'
      when v_row.state = 'ACTIVE' then 'insufficient_funds' else 'replayed' end;
  end loop;
  update incentive_condition condition set state = input."to", is_told = true, ended_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, "to" text)
   where v_outcomes[item.position] = 'applied' and condition.id = input.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_clear_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update incentive_condition condition
     set state = 'ACTIVE', is_told = false, ended_at = null, takes_back = null, ended_current = null
    from jsonb_to_recordset(p_rows) input(id uuid) where condition.id = input.id;
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
    select input.position, condition.is_told, condition.ended_at
      from (select input.id, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid) order by input.id) input,
           lateral (select condition.is_told, condition.ended_at from incentive_condition condition
                     where condition.id = input.id for no key update skip locked) condition
  loop
    v_outcomes[v_row.position] := case when v_row.is_told then 'replayed'
      when v_row.ended_at is null then 'not_ended' else 'applied' end;
  end loop;
  update incentive_condition condition set is_told = true
    from jsonb_array_elements(p_rows) with ordinality item(row, position), jsonb_to_record(item.row) input(id uuid)
   where v_outcomes[item.position] = 'applied' and condition.id = input.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_end_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update incentive_condition condition set is_told = false
    from jsonb_to_recordset(p_rows) input(id uuid) where condition.id = input.id;
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
    select input.position, incentive.state,
           exists (select from incentive_condition condition where condition.id = input.id)
             and not exists (select from incentive_condition condition
                              where condition.id = input.id for no key update skip locked) as is_locked
      from (select input.id, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid) order by input.id) input,
           lateral (select incentive.state from incentive_grant incentive
                     where incentive.id = input.id for no key update skip locked) incentive
  loop
    v_outcomes[v_row.position] := case when v_row.state <> 'OPEN' then 'replayed'
      when v_row.is_locked then 'row_locked' else 'applied' end;
  end loop;
  update incentive_grant incentive set state = 'PAID', paid_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality item(row, position), jsonb_to_record(item.row) input(id uuid)
   where v_outcomes[item.position] = 'applied' and incentive.id = input.id;
  update incentive_condition condition
     set state = 'ACTIVE', started_at = clock_timestamp(),
         look_at = clock_timestamp() + input.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, lease_ms int)
   where v_outcomes[item.position] = 'applied' and condition.id = input.id and condition.state = 'OPENING';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.incentive_pay_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update incentive_grant incentive set state = 'OPEN', paid_at = null
    from jsonb_to_recordset(p_rows) input(id uuid) where incentive.id = input.id;
  update incentive_condition condition set state = 'OPENING', started_at = null
    from jsonb_to_recordset(p_rows) input(id uuid) where condition.id = input.id;
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
  select offer.quota is not null as has_quota, coalesce(offer.given < offer.quota, true) as is_left, offer.is_on
    into v_offer
    from bonus_offer offer where offer.code = p_code;
  if not v_offer.is_on then return 'stale_read'; end if;
  if v_offer.has_quota then
    select coalesce(offer.given < offer.quota, true) as is_left into v_offer from bonus_offer offer
     where offer.code = p_code for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
  end if;
  select budget.budget is not null as has_budget into v_offer from bonus_offer_amount budget
   where budget.code = p_code and budget.currency = p_currency::currency;
  if v_offer.has_budget then
    select coalesce(budget.given + p_amount <= budget.budget, true) as is_left into v_offer
      from bonus_offer_amount budget
     where budget.code = p_code and budget.currency = p_currency::currency for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
    update bonus_offer_amount budget set given = budget.given + p_amount
     where budget.code = p_code and budget.currency = p_currency::currency;
  end if;
  update bonus_offer offer set given = offer.given + 1 where offer.code = p_code and offer.quota is not null;
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
    select input.position, input.gate, input.games, input.code, input.currency, input.amount,
           gate.version as gate_version,
           exists (select from incentive_grant incentive where incentive.id = input.id) as is_applied,
           exists (select from wallet_suspension suspension where suspension.member_id = input.member) as is_suspended,
           exists (select from withdraw withdrawal
                    where withdrawal.member_id = input.member
                      and withdrawal.state not in ('PAID', 'FAILED')) as is_withdrawing,
           games.are_same, games.are_locked
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, member uuid, gate bigint, games jsonb, code text,
                                                   currency text, amount bigint)
             order by input.member) input
           left join lateral (select gate.version from incentive_gate gate where gate.member_id = input.member
                                 for no key update skip locked) gate on true
           cross join lateral (
             select coalesce(jsonb_object_agg(account.game_code, account.version::text), '{}') = input.games
                      as are_same,
                    count(*) < (select count(*) from game_account active
                                 where active.member_id = input.member and active.state = 'ACTIVE') as are_locked
               from (select account.game_code, account.version from game_account account
                      where account.member_id = input.member and account.state = 'ACTIVE'
                        for share skip locked) account) games
  loop
    v_outcomes[v_row.position] := case
      when v_row.is_applied then 'replayed'
      when v_row.is_suspended then 'wallet_suspended'
      when v_row.gate_version is null or v_row.are_locked then 'row_locked'
      when v_row.gate_version <> v_row.gate or not v_row.are_same or v_row.is_withdrawing then 'stale_read'
      else commands.offer_count_receipt(v_row.code, v_row.currency, v_row.amount) end;
  end loop;

  update incentive_gate gate set version = gate.version + 1
    from jsonb_array_elements(p_rows) with ordinality item(row, position), jsonb_to_record(item.row) input(member uuid)
   where v_outcomes[item.position] = 'applied' and gate.member_id = input.member;
  insert into bonus_receipt (id, member_id, code, currency, amount, deposit_operation, received_at)
  select input.id, input.member, input.code, input.currency, input.amount, input.deposit, input.at
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, code text, currency text, amount bigint,
                                         deposit bigint, at timestamptz)
   where v_outcomes[item.position] = 'applied';
  insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, state, created_at,
                               paid_at, leased_until)
  select input.id, input.member, input.currency, input.kind, input.source, input.name, input.reference, input.amount,
         'PAID', input.at, clock_timestamp(), clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, currency text, kind text, source text, name jsonb,
                                         reference text, amount bigint, at timestamptz)
   where v_outcomes[item.position] = 'applied';
  insert into incentive_condition (id, member_id, currency, kind, state, base, own, target, floor, percent_success,
                                   percent_fail, turnover_target, turnover_before, expires_at, started_at, look_at)
  select input.id, input.member, input.currency, input.kind, 'ACTIVE', input.base, input.own, input.target,
         input.floor, input.percent_success, input.percent_fail, input.turnover_target, input.turnover_before,
         input.expires_at, input.at, clock_timestamp() + input.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, currency text, kind text, base bigint, own bigint,
                                         target bigint, floor bigint, percent_success numeric, percent_fail numeric,
                                         turnover_target bigint, turnover_before jsonb, expires_at timestamptz,
                                         at timestamptz, lease_ms int)
   where v_outcomes[item.position] = 'applied';
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
  if exists (select from qrcode_request request where request.member_id = p_member and request.key = p_key) then
    outcome := 'key_taken';
    return;
  end if;
  update qrcode qr set state = 'EXPIRED', ended_at = qr.expires_at
   where qr.member_id = p_member and qr.gateway = p_gateway and qr.state = 'PENDING' and qr.expires_at <= now();
  select qr.* into code from qrcode qr
   where qr.member_id = p_member and qr.gateway = p_gateway and qr.state in ('CREATING', 'PENDING');
  if found then
    outcome := case when code.state = 'PENDING' and code.id is distinct from p_inquired then 'inquiry_needed'
      when code.amount <> p_amount then 'amount_differs' else 'reused' end;
    if outcome = 'reused' and code.bonus_code is distinct from p_bonus then
      -- A concurrent credit keeps the choice that it has read.
      update qrcode qr set bonus_code = p_bonus
       where qr.id = code.id and qr.state in ('CREATING', 'PENDING') returning qr.* into code;
      if not found then
        raise exception 'the code was paid concurrently' using constraint = 'qrcode_live', errcode = 'unique_violation';
      end if;
    end if;
  elsif (select count(*) from qrcode qr where qr.member_id = p_member and qr.gateway = p_gateway
          and qr.created_at > now() - p_window_ms * interval '1 ms') >= p_max then
    outcome := 'too_many';
  else
    outcome := 'created';
    insert into qrcode as qr (id, member_id, gateway, reference, currency, amount, state, inquire_at, bonus_code)
    values (p_id, p_member, p_gateway, p_reference, p_currency, p_amount, 'CREATING',
           now() + p_inquire_ms * interval '1 ms', p_bonus)
    returning qr.* into code;
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
  update transfer_leg leg
     set state = 'REVERSED', code = 'TRANSFER_FAIL', detail = 'RESTS_IN_WALLET', finished_at = clock_timestamp()
    from transfer where leg.transfer_id = p_id and leg.leg = 2 and leg.state = 'QUEUED'
      and transfer.id = leg.transfer_id
  returning leg.member_id, leg.game_code, transfer.reference into v_leg;
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
    select input.position, leg.state, leg.fence = input.fence and leg.state = input.from as is_own,
           leg.state = input.to as is_same, input.second is not null as has_second,
           (select second_leg.state from transfer_leg second_leg
             where second_leg.transfer_id = input.id and second_leg.leg = 2) as second,
           -- The accounts of both legs.
           (select count(*) from (select from game_account account
                                   where account.member_id = input.member and account.game_code = any(input.games)
                                   order by account.game_code for no key update skip locked) account)
             < cardinality(input.games) as is_locked
      from (select input.*, item.position
              from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, leg int, fence int, "from" text, "to" text, member uuid,
                                                   games text[], second jsonb)
             order by input.id, input.leg) input,
           lateral (select leg.state, leg.fence from transfer_leg leg
                     where leg.transfer_id = input.id and leg.leg = input.leg for no key update skip locked) leg
  loop
    v_outcomes[v_row.position] := case
      when v_row.is_own and v_row.is_locked then 'row_locked'
      when v_row.is_own then 'applied'
      when v_row.state not in ('DONE', 'REVERSED') then 'lease_lost'
      when not v_row.is_same then 'closed_differently'
      when v_row.has_second and v_row.second is distinct from 'SENT' then 'replayed_second_leg_refused'
      else 'replayed' end;
  end loop;

  update transfer_leg leg
     set state = input.to, proof = input.proof, proof_by = input.by, proof_balance = input.balance, finished_at = v_now,
         code = coalesce(leg.code, input.code), detail = coalesce(leg.detail, input.detail)
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, leg int, "to" text, proof text, by text, balance bigint, code text,
                                         detail text)
   where v_outcomes[item.position] = 'applied' and leg.transfer_id = input.id and leg.leg = input.leg;
  -- One statement for all rows. An account occurs once: it is reserved for one transfer.
  update game_account account
     set busy_with = null, version = account.version + 1,
         is_stale = account.is_stale and not input.is_balance_final,
         refreshed_at = case when input.is_balance_final then now() else account.refreshed_at end,
         last_top_up = coalesce(input.top_up, account.last_top_up)
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(member uuid, game text, reference text, is_balance_final boolean,
                                         top_up bigint)
   where v_outcomes[item.position] = 'applied' and account.member_id = input.member
     and account.game_code = input.game and account.busy_with = input.reference;

  -- From game to game: the second leg starts, or is cancelled.
  if p_rows @? '$[*] ? (@.has_second_leg == true)' then
    update transfer_leg leg
       set state = 'SENT', sent_at = v_now, balance_before = second.before, turnover_before = second.turnover,
           leased_until = v_now + second.lease_ms * interval '1 ms'
      from jsonb_array_elements(p_rows) with ordinality item(row, position),
           jsonb_to_record(item.row -> 'second') second(before bigint, turnover bigint, lease_ms int)
     where v_outcomes[item.position] = 'applied' and item.row -> 'second' <> 'null'::jsonb
       and leg.transfer_id = (item.row ->> 'id')::uuid and leg.leg = 2 and leg.state = 'QUEUED';
    perform commands.transfer_cancel_second_leg((item.row ->> 'id')::uuid)
       from jsonb_array_elements(p_rows) with ordinality item(row, position)
      where v_outcomes[item.position] = 'applied' and (item.row ->> 'has_second_leg')::boolean;
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
  v_outcomes text[] := '{}';
  v_row jsonb;
  v_verdicts text[];
  v_outcome text;
begin
  for v_row in select * from jsonb_array_elements(p_rows) loop
    v_verdicts := string_to_array(p_verdicts[cardinality(v_outcomes) + 1], ',');
    v_outcome := 'applied';
    for v_index in 1..cardinality(v_verdicts) loop
      continue when v_verdicts[v_index] = 'applied';
      case v_row -> 'purposes' ->> (v_index - 1)
        when 'follow_balance' then
          -- The ledger account cannot take the reported balance, which is no longer current.
          update game_account account set is_stale = true
           where account.member_id = (v_row ->> 'member')::uuid and account.game_code = v_row ->> 'game';
        when 'hold_second' then
          update transfer_leg leg set state = 'QUEUED', sent_at = null
           where leg.transfer_id = (v_row ->> 'id')::uuid and leg.leg = 2;
          perform commands.transfer_cancel_second_leg((v_row ->> 'id')::uuid);
          v_outcome := 'second_leg_refused';
        else
          raise exception 'commands: the ledger refused the money of leg % of transfer %', v_row ->> 'leg',
                 v_row ->> 'id';
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
    select input.position, known.is_own, first_leg.state
      from (select item.* from jsonb_array_elements(p_rows) with ordinality item(row, position)
             order by item.row ->> 'member', item.row ->> 'key') input,
           lateral (select transfer.id, transfer.id = (input.row ->> 'id')::uuid as is_own from transfer
                     where transfer.member_id = (input.row ->> 'member')::uuid
                       and transfer.idempotency_key = input.row ->> 'key' for no key update) known
           left join transfer_leg first_leg on first_leg.transfer_id = known.id and first_leg.leg = 1
  loop
    v_outcomes[v_row.position] := case when not v_row.is_own then 'key_taken'
      when v_row.state = 'REVERSED' then 'replayed_refused' else 'replayed' end;
  end loop;
  for v_row in
    select item.position from jsonb_array_elements(p_rows) with ordinality item(row, position)
     where v_outcomes[item.position] = 'applied'
       and exists (select from wallet_suspension suspension where suspension.member_id = (item.row ->> 'member')::uuid)
  loop
    v_outcomes[v_row.position] := 'wallet_suspended';
  end loop;

  -- Game accounts, in one order for all callers.
  for v_row in
    select wanted.position, account.game_code is null as is_locked, account.busy_with is not null as is_busy,
           wanted.version <> account.version as is_stale
      from (select item.position, (item.row ->> 'member')::uuid as member, leg.game, leg.version
              from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_recordset(item.row -> 'legs') leg(game text, version bigint)
             where v_outcomes[item.position] = 'applied' order by member, leg.game) wanted
           left join lateral (select account.game_code, account.busy_with, account.version from game_account account
                               where account.member_id = wanted.member and account.game_code = wanted.game
                                 and account.state = 'ACTIVE' for no key update skip locked) account on true
  loop
    v_outcomes[v_row.position] := case
      when v_row.is_locked or v_outcomes[v_row.position] = 'row_locked' then 'row_locked'
      when v_row.is_busy or v_outcomes[v_row.position] = 'account_busy' then 'account_busy'
      when v_row.is_stale then 'stale_read'
      else v_outcomes[v_row.position] end;
  end loop;

  update game_account account
     set busy_with = item.row ->> 'reference', are_bets_known = false, version = account.version + 1
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_recordset(item.row -> 'legs') leg(game text)
   where v_outcomes[item.position] = 'applied' and account.member_id = (item.row ->> 'member')::uuid
     and account.game_code = leg.game;

  insert into transfer (id, member_id, currency, idempotency_key, input_hash, source, target, amount, reference)
  select input.id, input.member, input.currency, input.key, decode(input.hash, 'hex'), input.source, input.target,
         input.amount, input.reference
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, currency text, key text, hash text, source text,
                                         target text, amount bigint, reference text)
   where v_outcomes[item.position] = 'applied';

  -- The caller sends the first leg right after the commit. The second waits until the first is closed.
  insert into transfer_leg (transfer_id, leg, member_id, game_code, credits_per_unit, direction, amount, credits,
         provider,
                            username, provider_reference, state, sent_at, balance_before, turnover_before, leased_until)
  select input.id, leg.leg, input.member, leg.game, leg."creditsPerUnit", leg.direction, input.amount, leg.credits, leg.provider,
         leg.username, leg.reference, case leg.leg when 1 then 'SENT' else 'QUEUED' end,
         case leg.leg when 1 then v_now end, leg.before, leg.turnover, v_now + leg.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, amount bigint),
         jsonb_to_recordset(item.row -> 'legs') leg(leg int, game text, "creditsPerUnit" int, direction text, credits bigint,
                                                    provider text, username text, reference text, before bigint,
                                                    turnover bigint, lease_ms int)
   where v_outcomes[item.position] = 'applied';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_open_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update transfer_leg leg
     set state = 'REVERSED', code = 'MONEY_NOT_ENOUGH', finished_at = clock_timestamp(), sent_at = null
    from jsonb_array_elements(p_rows) item where leg.transfer_id = (item ->> 'id')::uuid;
  perform commands.transfer_release_account((item ->> 'member')::uuid, leg.game, item ->> 'reference')
     from jsonb_array_elements(p_rows) item, jsonb_to_recordset(item -> 'legs') leg(game text);
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$function$
;

CREATE OR REPLACE FUNCTION commands.transfer_release_account(p_member uuid, p_game text, p_reference text)
 RETURNS void
 LANGUAGE sql
AS $function$
  update game_account account set busy_with = null, version = account.version + 1
   where account.member_id = p_member and account.game_code = p_game and account.busy_with = p_reference;
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
    select input.position, input."to", withdrawal.state,
           withdrawal.fence = input.fence and withdrawal.state = input."from" as is_own
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, fence int, "from" text, "to" text) order by input.id) input,
           lateral (select withdrawal.state, withdrawal.fence from withdraw withdrawal
                     where withdrawal.id = input.id for no key update skip locked) withdrawal
  loop
    v_outcomes[v_row.position] := case when v_row.is_own then 'applied' when v_row.state = v_row."to" then 'replayed'
      when v_row.state in ('PAID', 'FAILED') then 'closed_differently' else 'lease_lost' end;
  end loop;
  update withdraw withdrawal
     set state = input."to", proof = input."to", proof_by = input.by, finished_at = clock_timestamp(),
         -- The bank's result overrides an operator's decision: a paid withdrawal has no reason for a failure.
         reason = case input."to" when 'FAILED' then coalesce(input.reason, withdrawal.reason) end,
         note = coalesce(input.note, withdrawal.note), trans_ref = coalesce(input.trans_ref, withdrawal.trans_ref)
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, "to" text, by text, reason text, note text, trans_ref text)
   where v_outcomes[item.position] = 'applied' and withdrawal.id = input.id;
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_close_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update withdraw withdrawal set state = input."from", finished_at = null
    from jsonb_to_recordset(p_rows) input(id uuid, "from" text) where withdrawal.id = input.id;
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
    select input.position,
           withdrawal.state = 'HELD' and not withdrawal.is_held and withdrawal.fence = input.fence as is_own
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, fence int) order by input.id) input,
           lateral (select withdrawal.state, withdrawal.is_held, withdrawal.fence from withdraw withdrawal
                     where withdrawal.id = input.id for no key update skip locked) withdrawal
  loop
    v_outcomes[v_row.position] := case when v_row.is_own then 'applied' else 'lease_lost' end;
  end loop;
  update withdraw withdrawal
     set is_held = true, not_brought = input.not_brought, inquiries = 0, next_inquiry_at = clock_timestamp(),
         leased_until = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, not_brought jsonb)
   where v_outcomes[item.position] = 'applied' and withdrawal.id = input.id;
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
    select input.position, known.id = input.id as is_own, known.refusal_code is not null as is_refused,
           not exists (select from withdraw withdrawal
                        where withdrawal.id = known.id for no key update skip locked) as is_locked
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, member uuid, key text)
             order by input.member, input.key) input,
           lateral (select withdrawal.id, withdrawal.refusal_code from withdraw withdrawal
                     where withdrawal.member_id = input.member and withdrawal.idempotency_key = input.key) known
  loop
    v_outcomes[v_row.position] := case when not v_row.is_own then 'key_taken' when v_row.is_locked then 'row_locked'
      when v_row.is_refused then 'replayed_refused' else 'replayed' end;
  end loop;

  for v_row in
    select input.position, gate.version, input.gate,
           exists (select from wallet_suspension suspension where suspension.member_id = input.member) as is_suspended,
           exists (select from withdraw open
                    where open.member_id = input.member and open.state not in ('PAID', 'FAILED')) as has_open
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(member uuid, gate bigint) order by input.member) input
           left join lateral (select gate.version from incentive_gate gate where gate.member_id = input.member
                                 for no key update skip locked) gate on true
     where v_outcomes[input.position] = 'applied'
  loop
    v_outcomes[v_row.position] := case
      when v_row.is_suspended then 'wallet_suspended'
      when v_row.version is null then 'row_locked'
      when v_row.has_open then 'withdrawal_open'
      when v_row.version <> v_row.gate then 'stale_conditions'
      else 'applied' end;
  end loop;

  update incentive_gate gate set version = gate.version + 1
    from jsonb_array_elements(p_rows) with ordinality item(row, position), jsonb_to_record(item.row) input(member uuid)
   where v_outcomes[item.position] = 'applied' and gate.member_id = input.member;
  insert into withdraw (id, member_id, currency, idempotency_key, input_hash, is_all, amount, reference, bank_code,
                        account_no, account_name, paid_from, is_held, leased_until)
  select input.id, input.member, input.currency, input.key, decode(input.hash, 'hex'), input.is_all, input.amount,
         input.reference, input.bank_code, input.account_no, input.account_name,
         input.paid_from, not input.is_all, clock_timestamp() + input.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, currency text, key text, hash text, is_all boolean,
                                         amount bigint, reference text, bank_code text, account_no text,
                                         account_name text, paid_from text, lease_ms int)
   where v_outcomes[item.position] = 'applied';
  return v_outcomes;
end
$function$
;

CREATE OR REPLACE FUNCTION commands.withdraw_open_refused(p_rows jsonb, p_verdicts text[])
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
begin
  update withdraw withdrawal
     set state = 'FAILED', is_held = false, refusal_code = input.code, refusal_detail = input.detail,
         finished_at = clock_timestamp()
    from jsonb_to_recordset(p_rows) input(id uuid, code text, detail text) where withdrawal.id = input.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$function$
;
