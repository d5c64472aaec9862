-- Deposits by transfer to a bank account or the wallet app of ours.

-- Money that came to an account of ours, as the bank or the wallet app reports it. One row for one transfer, whichever
-- source reports it first: the feed, the look-up of a slip, both. sending_bank is the three-digit number of the bank it was
-- sent from, or WALLET_APP; trans_ref is that bank's reference, in which a and A are two letters.
create table deposit_arrival (
  id uuid primary key,
  sending_bank text collate "C" not null,
  trans_ref text collate "C" not null,
  -- House account of the ledger that the money lies in: bank:SCB-4680001234, wallet-app.
  house text collate "C" not null,
  currency currency not null,
  amount bigint not null,
  -- As reported, mostly masked.
  sender_account text not null,
  sender_name text not null,
  -- First reference of a bill payment.
  reference1 text collate "C",
  sent_at timestamptz not null,
  seen_at timestamptz not null default now(),
  -- When a feed reported it; null while only a slip did. Only what a feed reported is matched automatically.
  fed_at timestamptz,
  state text collate "C" not null default 'NEW',
  -- Why it waits in suspense, and the members it may belong to.
  reason text collate "C",
  candidates uuid[] not null default '{}',
  suspended_at timestamptz,
  -- When the operation into suspense was posted.
  booked_at timestamptz,
  -- The decision, made by one update: the member, the house account it is credited from, how the member was found, and an
  -- operator's reason.
  member_id uuid constraint deposit_arrival_member_exists references member (id),
  debit_house text collate "C",
  via text,
  note text,
  claimed_at timestamptz,
  credited_at timestamptz,
  -- When the row falls due next; null when nothing is left to do. A claim moves it ahead by a lease.
  work_at timestamptz,
  constraint deposit_arrival_identity unique (sending_bank, trans_ref),
  constraint deposit_arrival_sending_bank check (sending_bank ~ '^([0-9]{3}|WALLET_APP)$'),
  constraint deposit_arrival_trans_ref check (trans_ref ~ '^[!-~]{1,64}$'),
  constraint deposit_arrival_amount check (amount > 0),
  constraint deposit_arrival_state check (state in ('NEW', 'SUSPENSE', 'CREDITING', 'CREDITED', 'GATEWAY')),
  constraint deposit_arrival_claimed check ((state in ('CREDITING', 'CREDITED')) = (member_id is not null)
    and (member_id is null) = (debit_house is null) and (member_id is null) = (via is null)
    and (member_id is null) = (claimed_at is null)),
  constraint deposit_arrival_credited check ((state = 'CREDITED') = (credited_at is not null)),
  constraint deposit_arrival_suspended check (state <> 'SUSPENSE' or (suspended_at is not null and reason is not null)),
  constraint deposit_arrival_booked check (booked_at is null or suspended_at is not null)
) with (fillfactor = 80);

create index deposit_arrival_work on deposit_arrival (work_at) where work_at is not null;
create index deposit_arrival_suspense on deposit_arrival (suspended_at) where state = 'SUSPENSE';
create index deposit_arrival_member on deposit_arrival (member_id, claimed_at) where member_id is not null;

-- How far each account of ours has been read. poll_at: when it is read next; a claim moves it ahead by a lease. wakes:
-- number of requests to read it at once. name is that of the house account.
create table deposit_feed (
  name text collate "C" primary key,
  cursor text collate "C" not null default '',
  poll_at timestamptz not null default now(),
  wakes integer not null default 0,
  -- Consecutive readings without an answer.
  silences integer not null default 0,
  polled_at timestamptz
) with (fillfactor = 50);

-- Lines of a feed that can't be parsed: an operator decides. One row for each, however often it is repeated.
create table deposit_unreadable_line (
  feed text collate "C" not null,
  hash bytea not null,
  line text not null,
  seen_at timestamptz not null default now(),
  constraint deposit_unreadable_line_once primary key (feed, hash),
  constraint deposit_unreadable_line_hash check (length(hash) = 32),
  constraint deposit_unreadable_line_length check (length(line) <= 2000)
);

-- A member's word that a transfer of an amount is on its way. It helps to match, and credits nothing. house '' is any
-- account of ours. Until release_at, which is later than its expiry, late money still matches.
create table deposit_notice (
  id uuid primary key,
  member_id uuid not null constraint deposit_notice_member_exists references member (id),
  reference text collate "C" not null,
  house text collate "C" not null,
  currency currency not null,
  amount bigint not null,
  -- The exact amount to send.
  pay_amount bigint not null,
  state text collate "C" not null default 'OPEN',
  -- The money came after the notice had expired.
  is_late boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  release_at timestamptz not null,
  ended_at timestamptz,
  arrival_id uuid constraint deposit_notice_arrival_exists references deposit_arrival (id),
  constraint deposit_notice_reference unique (reference),
  constraint deposit_notice_state check (state in ('OPEN', 'MATCHED', 'EXPIRED', 'THIRD_PARTY')),
  constraint deposit_notice_amount check (amount > 0 and pay_amount >= amount),
  constraint deposit_notice_life check (expires_at <= release_at),
  constraint deposit_notice_ended check ((state = 'OPEN') = (ended_at is null)),
  constraint deposit_notice_found check (state not in ('MATCHED', 'THIRD_PARTY') or arrival_id is not null),
  constraint deposit_notice_late check (not is_late or state = 'MATCHED')
) with (fillfactor = 80);

create index deposit_notice_member on deposit_notice (member_id, created_at);
create index deposit_notice_amount_sought on deposit_notice (pay_amount) where state <> 'MATCHED';
create index deposit_notice_open on deposit_notice (expires_at) where state = 'OPEN';

-- Amounts that notices reserve. A look is what an account of ours shows of senders: a line can't tell members with the same
-- look apart, so that no two of them are asked to send the same amount.
create table deposit_reserved_amount (
  look text collate "C" not null,
  pay_amount bigint not null,
  -- Deferred: the amount is reserved before the notice that asks for it is inserted.
  notice_id uuid not null constraint deposit_reserved_amount_notice_exists references deposit_notice (id) deferrable initially deferred,
  constraint deposit_reserved_amount_once primary key (look, pay_amount)
);

create index deposit_reserved_amount_notice on deposit_reserved_amount (notice_id);

-- The notice that a request with an Idempotency-Key got; the keys never expire.
create table deposit_notice_request (
  member_id uuid not null constraint deposit_notice_request_member_exists references member (id),
  key text collate "C" not null,
  request_hash bytea not null,
  notice_id uuid not null constraint deposit_notice_request_notice_exists references deposit_notice (id),
  created_at timestamptz not null default now(),
  constraint deposit_notice_request_key primary key (member_id, key)
);
