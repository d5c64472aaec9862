-- Deposits by QR code. The row is inserted before the gateway is called, so that every payment finds its code. `reference` names the
-- code at the gateway.
create table qrcode (
  id uuid primary key,
  -- No foreign key: the check would write to the member's page, which nothing else of a deposit does, and double the WAL of the row
  -- after a checkpoint.
  member_id uuid not null,
  gateway text collate "C" not null,
  reference text collate "C" not null,
  currency currency not null,
  -- The amount that the member requested.
  amount bigint not null,
  -- The amount of the code. A gateway that distinguishes payments by their amount changes it by less than one baht.
  pay_amount bigint,
  state text collate "C" not null,
  created_at timestamptz not null default now(),
  -- End of its life: paid, cancelled, expired or failed.
  ended_at timestamptz,
  -- Reason of FAILED.
  reason text,
  -- From the gateway's reply.
  gateway_reference text collate "C",
  payload text,
  expires_at timestamptz,
  -- The payment, from the gateway's reply to an inquiry.
  paid_amount bigint,
  paid_at timestamptz,
  transaction_number text collate "C",
  payer jsonb,
  -- The watcher. inquire_at: time of the next inquiry, null when none is left. A claim moves it ahead by a lease, so that the row
  -- falls due again if the process dies. wakes: number of requests for an immediate inquiry; one that arrives during an inquiry is
  -- handled at its end.
  inquire_at timestamptz,
  wakes integer not null default 0,
  inquiries integer not null default 0,
  silences integer not null default 0,
  misses integer not null default 0,
  -- Last inquiry that was made because the member wanted to see the code again.
  asked_at timestamptz,
  constraint qrcode_reference unique (gateway, reference),
  constraint qrcode_transaction unique (gateway, transaction_number),
  constraint qrcode_state check (state in ('CREATING', 'PENDING', 'PAID', 'CANCELLED', 'EXPIRED', 'FAILED')),
  constraint qrcode_amount check (amount > 0 and paid_amount > 0),
  constraint qrcode_pay_amount check (
    (payload is null or pay_amount is not null) and pay_amount > 0 and abs(pay_amount - amount) < 100),
  constraint qrcode_ended check ((ended_at is null) = (state in ('CREATING', 'PENDING'))),
  constraint qrcode_shown check (state not in ('PENDING', 'CANCELLED', 'EXPIRED')
    or (payload is not null and expires_at is not null)),
  constraint qrcode_paid check ((state = 'PAID') = (transaction_number is not null)
    and (state = 'PAID') = (paid_amount is not null) and (state = 'PAID') = (paid_at is not null))
) with (fillfactor = 80);

-- One live code per member and gateway: refuses the second of two concurrent requests, on any node.
create unique index qrcode_live on qrcode (member_id, gateway) where state in ('CREATING', 'PENDING');
create index qrcode_member on qrcode (member_id, gateway, created_at);
create index qrcode_due on qrcode (inquire_at) where inquire_at is not null;
-- A bank's feed names a bill payment by its reference alone, without the gateway.
create index qrcode_by_reference on qrcode (reference);

-- Maps an Idempotency-Key to its code. Keys never expire.
create table qrcode_request (
  -- No foreign key, as in qrcode.
  member_id uuid not null,
  key text collate "C" not null,
  request_hash bytea not null,
  qrcode_id uuid not null constraint qrcode_request_qrcode_exists references qrcode (id),
  created_at timestamptz not null default now(),
  constraint qrcode_request_key primary key (member_id, key)
);

-- Gateway messages that match no code or cannot be credited automatically: an operator decides. One row per distinct message.
create table deposit_parked (
  id bigint generated always as identity primary key,
  gateway text collate "C" not null,
  reference text collate "C" not null,
  reason text collate "C" not null,
  evidence text not null,
  times integer not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  -- Off the list: settled by an operator, or with settled_by null because the payment was credited later.
  settled_at timestamptz,
  settled_by text,
  constraint deposit_parked_once unique (gateway, reference, reason, evidence),
  constraint deposit_parked_evidence check (length(evidence) <= 500),
  constraint deposit_parked_settled_by check (settled_by is null or settled_at is not null)
);

-- Listed for operators, and counted by metrics.
create index deposit_parked_open on deposit_parked (first_at) where settled_at is null;

-- Opens a QR code in one statement. Outcomes:
--   created · reused: the member's live code of this amount ·
--   inquiry_needed: the live code may be paid by now; its gateway is asked before it is shown, and p_inquired then names it ·
--   amount_differs: the live code has another amount · too_many: codes created in the window · key_taken
-- Two concurrent requests: one violates qrcode_live or qrcode_request_key and is called again.
create function commands.qrcode_open(
  p_id uuid, p_member uuid, p_gateway text, p_reference text, p_currency currency, p_amount bigint, p_inquire_ms float8,
  p_key text, p_hash bytea, p_inquired uuid, p_window_ms float8, p_max int, out outcome text, out code qrcode
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
  elsif (select count(*) from qrcode q where q.member_id = p_member and q.gateway = p_gateway
          and q.created_at > now() - p_window_ms * interval '1 ms') >= p_max then
    outcome := 'too_many';
  else
    outcome := 'created';
    insert into qrcode as q (id, member_id, gateway, reference, currency, amount, state, inquire_at)
    values (p_id, p_member, p_gateway, p_reference, p_currency, p_amount, 'CREATING', now() + p_inquire_ms * interval '1 ms')
    returning q.* into code;
  end if;
  if p_key is not null and outcome in ('created', 'reused') then
    insert into qrcode_request (member_id, key, request_hash, qrcode_id) values (p_member, p_key, p_hash, code.id);
  end if;
end
$$;

-- qrcode_credit: the code becomes PAID and its parked payments are settled, in the commit of the credit. Outcomes:
--   applied · replayed · other_payment: credited before with another payment ·
--   payment_used: the payment's number has paid another code · row_locked
create function commands.qrcode_credit_admit(p_rows jsonb) returns text[] language plpgsql as $$
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
  update qrcode q
     set state = 'PAID', ended_at = coalesce(q.ended_at, now()), paid_amount = n.amount, paid_at = n.paid_at,
         transaction_number = n.number, payer = n.payer, inquiries = q.inquiries + 1, silences = 0, misses = 0,
         wakes = q.wakes + n.callbacks, inquire_at = case when q.wakes > n.wakes then now() end
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, amount bigint, paid_at timestamptz, number text, payer jsonb, callbacks int, wakes int)
   where v_outcomes[t.i] = 'applied' and q.id = n.id;
  update deposit_parked p set settled_at = now(), settled_by = null
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(gateway text, reference text)
   where v_outcomes[t.i] = 'applied' and p.gateway = n.gateway and p.reference = n.reference and p.reason = any(v_settled)
     and (p.settled_at is null or p.settled_by is not null);
  return v_outcomes;
end
$$;

create function commands.qrcode_credit_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  raise exception 'commands: the ledger refused the credit of code %', p_rows -> 0 ->> 'reference';
end
$$;
