-- What the operator sets. Filled on the first start from server/seed; after that these rows are the truth.
create table seeded (
  name text primary key,
  at timestamptz not null default now()
);

create table bank (
  code text primary key check (code ~ '^[A-Z0-9]{2,16}$'),
  name_th text not null,
  name_en text not null,
  country text not null check (country in ('TH', 'LA')),
  -- How long an account number of this bank can be, in digits.
  digits_min integer not null check (digits_min > 0),
  digits_max integer not null check (digits_max <= 40),
  position integer not null,
  is_enabled boolean not null default true,
  check (digits_min <= digits_max)
);

create table source (
  code text primary key check (code ~ '^[A-Z0-9_]{1,32}$'),
  th text not null,
  la text not null,
  en text not null,
  position integer not null,
  is_enabled boolean not null default true
);

create table site_text (
  kind text not null check (kind in ('condition', 'agreement')),
  position integer not null,
  th text not null,
  la text not null,
  en text not null,
  primary key (kind, position)
);

-- Single values by name, each with a shape of its own that is checked when it is read.
create table site_setting (
  name text primary key,
  value jsonb not null
);

create table deposit_account (
  bank_code text not null,
  bank_type text not null check (bank_type in ('PAYMENT', 'BANK')),
  mode text not null,
  name_th text not null,
  name_en text not null,
  account_name text not null default '',
  account_no text not null default '',
  currency text not null check (currency in ('BAHT', 'LAK')),
  -- Minor units; null where there is no limit.
  minimum bigint check (minimum > 0),
  maximum bigint check (maximum > 0),
  position integer not null,
  is_enabled boolean not null default true,
  primary key (bank_code, bank_type, account_no)
);

-- How often something may be done: `hits` in `window_seconds`, for each of what its name ends with.
create table operation_limit (
  name text primary key,
  hits integer not null check (hits > 0),
  window_seconds integer not null check (window_seconds > 0)
);

-- Where callers may come from. A denied network is refused; once there is an allowed one, all others are refused too.
create table address_rule (
  network cidr primary key,
  verdict text not null check (verdict in ('allow', 'deny')),
  note text not null default ''
);
