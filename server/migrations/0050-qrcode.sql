-- QR codes to pay money in with. The row is there before the gateway is called, so that a payment can never name a code
-- that nobody remembers; `reference` is the name that the gateway gets from us.
create table qrcode (
  id uuid primary key,
  member_id uuid not null,
  gateway text collate "C" not null,
  reference text collate "C" not null,
  currency text collate "C" not null,
  amount bigint not null,
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
  -- ahead by a lease, so that a claim whose process died falls due by itself. wakes: how often somebody wanted the
  -- inquiry at once; one that came while an inquiry was under way is seen by it at its end.
  inquire_at timestamptz,
  wakes integer not null default 0,
  inquiries integer not null default 0,
  silences integer not null default 0,
  misses integer not null default 0,
  constraint qrcode_reference unique (gateway, reference),
  constraint qrcode_transaction unique (gateway, transaction_number),
  constraint qrcode_state check (state in ('CREATING', 'PENDING', 'PAID', 'CANCELLED', 'EXPIRED', 'FAILED')),
  constraint qrcode_amount check (amount > 0 and paid_amount > 0),
  constraint qrcode_ended check ((ended_at is null) = (state in ('CREATING', 'PENDING'))),
  constraint qrcode_shown check (state not in ('PENDING', 'CANCELLED', 'EXPIRED')
    or (payload is not null and expires_at is not null)),
  constraint qrcode_paid check ((state = 'PAID') = (transaction_number is not null)
    and (state = 'PAID') = (paid_amount is not null) and (state = 'PAID') = (paid_at is not null))
) with (fillfactor = 80);

-- One live code per member and gateway: whoever comes second is refused here, whichever node asked.
create unique index qrcode_live on qrcode (member_id, gateway) where state in ('CREATING', 'PENDING');
create index qrcode_member on qrcode (member_id, gateway, created_at);
create index qrcode_due on qrcode (inquire_at) where inquire_at is not null;

-- Which code a request with an Idempotency-Key got; the keys never expire.
create table qrcode_request (
  member_id uuid not null,
  key text collate "C" not null,
  request_hash bytea not null,
  qrcode_id uuid not null,
  created_at timestamptz not null default now(),
  constraint qrcode_request_key primary key (member_id, key)
);

-- What gateways said that fits no code, or that can't be credited by itself: an operator looks at it. One row for each
-- thing said, however often it is said.
create table parked_deposit (
  id bigint generated always as identity primary key,
  gateway text collate "C" not null,
  reference text collate "C" not null,
  reason text collate "C" not null,
  evidence text not null,
  times integer not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  constraint parked_deposit_once unique (gateway, reference, reason, evidence),
  constraint parked_deposit_evidence check (length(evidence) <= 500)
);
