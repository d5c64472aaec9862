-- Deposits by QR code. The row is inserted before the gateway is called, so that a payment never names a code that has no
-- row; `reference` is the name that the gateway gets from us.
create table qrcode (
  id uuid primary key,
  -- No foreign key: the check would write to the member's page, which nothing else of a deposit does: twice the WAL of the row
  -- after a checkpoint.
  member_id uuid not null,
  gateway text collate "C" not null,
  reference text collate "C" not null,
  currency currency not null,
  -- What the member wanted to pay.
  amount bigint not null,
  -- What the code asks for. A gateway that tells payments apart by their amount changes it by less than one baht.
  pay_amount bigint,
  state text collate "C" not null,
  created_at timestamptz not null default now(),
  -- When it stopped being live: paid, cancelled, expired or failed.
  ended_at timestamptz,
  -- Why it failed.
  reason text,
  -- The gateway's answer.
  gateway_reference text collate "C",
  payload text,
  expires_at timestamptz,
  -- The payment, as the gateway answered when it was asked.
  paid_amount bigint,
  paid_at timestamptz,
  transaction_number text collate "C",
  payer jsonb,
  -- The watcher. inquire_at: when the gateway is asked next, null when there is nothing left to ask. A claim moves it
  -- ahead by a lease, so that a claim whose process died falls due by itself. wakes: number of requests for an inquiry at
  -- once; one that arrives during an inquiry is seen at its end.
  inquire_at timestamptz,
  wakes integer not null default 0,
  inquiries integer not null default 0,
  silences integer not null default 0,
  misses integer not null default 0,
  -- When the gateway was last asked because the member wanted to see the code again.
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

-- One live code per member and gateway: the second of two concurrent requests is refused here, on whichever node.
create unique index qrcode_live on qrcode (member_id, gateway) where state in ('CREATING', 'PENDING');
create index qrcode_member on qrcode (member_id, gateway, created_at);
create index qrcode_due on qrcode (inquire_at) where inquire_at is not null;
-- A bank's feed names a bill payment by its reference alone, without the gateway.
create index qrcode_by_reference on qrcode (reference);

-- The code that a request with an Idempotency-Key got; the keys never expire.
create table qrcode_request (
  -- References the member as the code does.
  member_id uuid not null,
  key text collate "C" not null,
  request_hash bytea not null,
  qrcode_id uuid not null constraint qrcode_request_qrcode_exists references qrcode (id),
  created_at timestamptz not null default now(),
  constraint qrcode_request_key primary key (member_id, key)
);

-- Messages of gateways that match no code, or that can't be credited automatically: an operator decides. One row for each
-- message, however often it is repeated.
create table deposit_parked (
  id bigint generated always as identity primary key,
  gateway text collate "C" not null,
  reference text collate "C" not null,
  reason text collate "C" not null,
  evidence text not null,
  times integer not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  -- Off the list: by an operator, or with settled_by null because the payment came through later and was credited.
  settled_at timestamptz,
  settled_by text,
  constraint deposit_parked_once unique (gateway, reference, reason, evidence),
  constraint deposit_parked_evidence check (length(evidence) <= 500),
  constraint deposit_parked_settled_by check (settled_by is null or settled_at is not null)
);
