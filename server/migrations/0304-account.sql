-- Account: the member and their sessions.

-- A short member code to read out: 8 characters without look-alikes (Crockford's base 32).
create function new_member_code() returns text language sql volatile as $$
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (get_byte(r.bytes, i) & 31), 1), '')
  -- Skips the two bytes that hold version and variant of a UUID.
  from (select uuid_send(gen_random_uuid()) as bytes) r, unnest(array[0, 1, 2, 3, 4, 5, 9, 10]) i
$$;

-- Other rows of a member reference its id. Only the phone, the code and the bank account must be unique across members.
create table member (
  id uuid primary key,
  code text not null default new_member_code(),
  phone text not null,
  name text not null,
  password_hash text not null,
  currency currency not null,
  source_code text not null,
  -- As typed. The inviter is derived from it at registration; an unknown code is ignored.
  invite_code text not null default '',
  -- inactive: deactivated by an operator. restricted: may not log in, for status_reason.
  status text not null default 'active',
  status_reason text not null default '',
  created_at timestamptz not null,
  constraint member_code_unique unique (code),
  constraint member_phone_unique unique (phone),
  constraint member_code check (code ~ '^[0-9A-HJKMNP-TV-Z]{8}$'),
  constraint member_phone check (phone ~ '^[0-9]{7,15}$'),
  constraint member_name check (name <> '' and length(name) <= 60),
  constraint member_status check (status in ('active', 'inactive', 'restricted', 'deleted'))
);

-- The account that deposits come from and payouts go to.
create table member_bank_account (
  member_id uuid primary key constraint member_bank_account_member_exists references member (id),
  bank_code text not null,
  account_no text not null,
  account_name text not null,
  created_at timestamptz not null,
  constraint member_bank_account_no check (account_no ~ '^[0-9]{1,40}$'),
  constraint member_bank_account_name check (account_name <> ''),
  constraint member_bank_account_unique unique (bank_code, account_no)
);

-- Changes of the holder's name of a member's bank account, with the caller. A member whose money has never moved may also change the
-- account: then the columns "after" are set too.
create table member_bank_account_rename (
  id bigint generated always as identity primary key,
  member_id uuid not null constraint member_bank_account_rename_member_exists references member (id),
  bank_code text not null,
  account_no text not null,
  name_before text not null,
  name_after text not null,
  bank_code_after text,
  account_no_after text,
  request_id text not null,
  address inet not null,
  at timestamptz not null,
  constraint member_bank_account_rename_account check ((bank_code_after is null) = (account_no_after is null))
);

create index member_bank_account_rename_member on member_bank_account_rename (member_id, at);

-- Accounts that no member may register with.
create table member_bank_account_blocked (
  bank_code text not null,
  account_no text not null,
  note text not null default '',
  primary key (bank_code, account_no),
  constraint member_bank_account_blocked_no check (account_no ~ '^[0-9]{1,40}$')
);

-- Only the SHA-256 of a token is stored. A superseded session stays, so that its holder gets a specific error. A logged-out one stays
-- until it would have expired: the addresses of earlier logins exempt their owner while passwords are guessed from many addresses.
-- Expired ones are swept a month later.
create table member_session (
  token_hash bytea primary key,
  member_id uuid not null constraint member_session_member_exists references member (id),
  address inet,
  remembered boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  superseded_at timestamptz,
  logged_out_at timestamptz,
  constraint member_session_token_hash check (length(token_hash) = 32)
);

-- Serves lookups by member, and by member and address.
create index member_session_member_address on member_session (member_id, address);
create index member_session_expires_at on member_session (expires_at);

-- Wallets that an operator has suspended: their members can read, but not move money.
create table wallet_suspension (
  member_id uuid primary key constraint wallet_suspension_member_exists references member (id),
  reason text not null,
  since timestamptz not null default now()
);
