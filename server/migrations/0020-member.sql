-- Who has an account. Every row of a member is found by the member's id; the phone and the bank account are the only
-- things that must be unique across members.
create table member (
  id uuid primary key,
  phone text not null constraint member_phone_unique unique check (phone ~ '^[0-9]{7,15}$'),
  name text not null check (name <> '' and length(name) <= 60),
  password_hash text not null,
  currency text not null check (currency in ('BAHT', 'LAK')),
  source_code text not null,
  -- As it was typed. Who invited whom is worked out from it once; a code that nobody has does no harm.
  invite_code text not null default '',
  -- inactive: deactivated by an operator. restricted: may not come in for the reason that stands beside.
  status text not null default 'active' check (status in ('active', 'inactive', 'restricted', 'deleted')),
  status_reason text not null default '',
  created_at timestamptz not null
);

-- The one account that money comes from and is paid out to.
create table member_bank_account (
  member_id uuid primary key references member (id),
  bank_code text not null,
  account_no text not null check (account_no ~ '^[0-9]{1,40}$'),
  account_name text not null check (account_name <> ''),
  created_at timestamptz not null,
  constraint member_bank_account_unique unique (bank_code, account_no)
);

-- Accounts that nobody may register with.
create table bank_account_blocked (
  bank_code text not null,
  account_no text not null check (account_no ~ '^[0-9]{1,40}$'),
  note text not null default '',
  primary key (bank_code, account_no)
);

-- Only the SHA-256 of a token is here. A logged out session is deleted; a superseded one stays, so that its holder can
-- be told the difference. Expired ones are swept a month later.
create table session (
  token_hash bytea primary key check (length(token_hash) = 32),
  member_id uuid not null references member (id),
  address inet,
  remembered boolean not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  superseded_at timestamptz
);

create index session_member on session (member_id, created_at);
create index session_expires_at on session (expires_at);
