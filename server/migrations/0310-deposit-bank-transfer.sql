-- Deposits by transfer to an own bank account or wallet app account.

-- Money that arrived on an own account, as reported by the bank or the wallet app. One row per transfer, whether the feed or the
-- lookup of a slip reports it first. sending_bank is the three-digit number of the sending bank, or WALLET_APP. trans_ref is that
-- bank's reference; it is case-sensitive.
create table deposit_arrival (
  id uuid primary key,
  sending_bank text collate "C" not null,
  trans_ref text collate "C" not null,
  -- House account of the ledger that received the money: bank:SCB-4680001234, wallet-app.
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
  -- When a feed reported it; null if only a slip did. Only transfers reported by a feed are matched automatically.
  fed_at timestamptz,
  state text collate "C" not null default 'NEW',
  -- Why it is in suspense, and the members it may belong to.
  reason text collate "C",
  candidates uuid[] not null default '{}',
  suspended_at timestamptz,
  -- The decision: the member, the house account of the credit (set with CREDITED), how the member was found, and an operator's
  -- reason.
  member_id uuid constraint deposit_arrival_member_exists references member (id),
  debit_house text collate "C",
  via text,
  note text,
  claimed_at timestamptz,
  credited_at timestamptz,
  -- When the row is due; null: nothing left to do. A claim moves it ahead by a lease.
  work_at timestamptz,
  constraint deposit_arrival_identity unique (sending_bank, trans_ref),
  constraint deposit_arrival_sending_bank check (sending_bank ~ '^([0-9]{3}|WALLET_APP)$'),
  constraint deposit_arrival_trans_ref check (trans_ref ~ '^[!-~]{1,64}$'),
  constraint deposit_arrival_amount check (amount > 0),
  constraint deposit_arrival_state check (state in ('NEW', 'SUSPENSE', 'CREDITED', 'GATEWAY')),
  constraint deposit_arrival_claimed check ((member_id is null) = (via is null)
    and (member_id is null) = (claimed_at is null) and (member_id is null or state <> 'GATEWAY')
    and (state = 'CREDITED') = (debit_house is not null) and (state <> 'CREDITED' or member_id is not null)),
  constraint deposit_arrival_credited check ((state = 'CREDITED') = (credited_at is not null)),
  constraint deposit_arrival_suspended check (state <> 'SUSPENSE' or (suspended_at is not null and reason is not null))
) with (fillfactor = 80);

create index deposit_arrival_work on deposit_arrival (work_at) where work_at is not null;
create index deposit_arrival_suspense on deposit_arrival (suspended_at) where state = 'SUSPENSE';
create index deposit_arrival_member on deposit_arrival (member_id, claimed_at) where member_id is not null;

-- Read position of each own account. poll_at: time of the next reading; a claim moves it ahead by a lease. wakes: number of requests
-- for an immediate reading. name is that of the house account.
create table deposit_feed (
  name text collate "C" primary key,
  cursor text collate "C" not null default '',
  poll_at timestamptz not null default now(),
  wakes integer not null default 0,
  -- Consecutive readings without a reply.
  silences integer not null default 0,
  -- Time of the last page that was read, or since when the feed is watched.
  polled_at timestamptz,
  -- Whether the feed is enabled, as the servers last saw it. Only then is a feed without a reading a fault.
  is_watched boolean not null default true
) with (fillfactor = 50);

-- Lines of a feed that could not be parsed or stored. An operator enters them as a transfer or closes them. One row per distinct line.
create table deposit_unreadable_line (
  feed text collate "C" not null,
  hash bytea not null,
  line text not null,
  seen_at timestamptz not null default now(),
  id bigint generated always as identity,
  -- Null where the account of the feed is unknown.
  currency currency,
  error text not null default 'unreadable',
  settled_at timestamptz,
  settled_by text,
  constraint deposit_unreadable_line_once primary key (feed, hash),
  constraint deposit_unreadable_line_id unique (id),
  constraint deposit_unreadable_line_settled check ((settled_at is null) = (settled_by is null)),
  constraint deposit_unreadable_line_hash check (length(hash) = 32),
  constraint deposit_unreadable_line_length check (length(line) <= 2000)
);

create index deposit_unreadable_line_open on deposit_unreadable_line (seen_at) where settled_at is null;

-- A member's announcement of a transfer. It helps to match and credits nothing. house '' is any own account. Until release_at, which
-- is later than the expiry, late money still matches.
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
  -- The money arrived after the expiry.
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

-- Amounts that notices reserve. `look` is the masked sender as an own account shows it. Members with the same look cannot be
-- distinguished by the sender, so that each is asked for a different amount.
create table deposit_reserved_amount (
  look text collate "C" not null,
  pay_amount bigint not null,
  -- Deferred: the amount is reserved before its notice is inserted.
  notice_id uuid not null constraint deposit_reserved_amount_notice_exists references deposit_notice (id) deferrable initially deferred,
  -- When the job releases the amount. Null: not copied from the notice yet.
  release_at timestamptz,
  constraint deposit_reserved_amount_once primary key (look, pay_amount)
);

create index deposit_reserved_amount_notice on deposit_reserved_amount (notice_id);
create index deposit_reserved_amount_due on deposit_reserved_amount (release_at);

-- Maps an Idempotency-Key to its notice. Keys never expire.
create table deposit_notice_request (
  member_id uuid not null constraint deposit_notice_request_member_exists references member (id),
  key text collate "C" not null,
  request_hash bytea not null,
  notice_id uuid not null constraint deposit_notice_request_notice_exists references deposit_notice (id),
  created_at timestamptz not null default now(),
  constraint deposit_notice_request_key primary key (member_id, key)
);

-- arrival_credit: the transfer becomes CREDITED in the commit of the credit. Few rows: a function of one row returns the outcome.
-- Outcomes: applied · replayed · assigned_elsewhere: to another member or to a gateway · stale_read: its state, and with it the
-- account that the money is taken from, has changed · row_locked
create function commands.arrival_credit(p_row jsonb) returns text language plpgsql as $$
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

create function commands.arrival_credit_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(commands.arrival_credit(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$$;

-- arrival_suspense: the transfer waits for an operator, and its money moves to the suspense account. Outcomes: applied · replayed ·
-- already_decided: credited, assigned to a member or to a gateway · row_locked
create function commands.arrival_suspense(p_row jsonb) returns text language plpgsql as $$
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
$$;

create function commands.arrival_suspense_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(commands.arrival_suspense(r.row) order by r.i) from jsonb_array_elements(p_rows) with ordinality r(row, i)
$$;

-- A deposit is never refused for lack of money. The call fails, and the lane bisects it until it finds the command.
create function commands.deposit_refused(p_rows jsonb) returns text[] language plpgsql as $$
begin
  raise exception 'commands: the ledger refused the deposit %', p_rows -> 0 ->> 'id';
end
$$;
create function commands.arrival_credit_refused(p_rows jsonb, p_verdicts text[]) returns text[] language sql as $$
  select commands.deposit_refused(p_rows)
$$;
create function commands.arrival_suspense_refused(p_rows jsonb, p_verdicts text[]) returns text[] language sql as $$
  select commands.deposit_refused(p_rows)
$$;
