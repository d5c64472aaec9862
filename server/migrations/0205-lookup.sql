-- What the operator sets and anyone may read. Filled on the first start from server/seed; after that these rows are the
-- truth.

-- Seed files that have been applied.
create table seeded (
  name text primary key,
  at timestamptz not null default now()
);

create table bank (
  code text primary key check (code ~ '^[A-Z0-9]{2,16}$'),
  -- The three digits that slips and clearing name a bank by. Operator data, because banks merge and new ones open; a bank
  -- without a number can't be recognised as a sender.
  number text check (number ~ '^[0-9]{3}$'),
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

-- Where members have heard of the site.
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

-- What the operator shows before a dialog opens. Html in all languages of the product; `image` is an address, or empty.
create table banner (
  kind text not null,
  position integer not null,
  image text not null default '',
  th text not null,
  la text not null,
  en text not null,
  is_enabled boolean not null default true,
  primary key (kind, position),
  constraint banner_kind check (kind in ('invite', 'refund'))
);

-- Accounts of ours, and gateways, that members deposit through.
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

-- Accounts of ours in the wallet app. AUTO: members send money to it, and its feed is read. GIFT: members send links.
create table wallet_account (
  mode text not null check (mode in ('AUTO', 'GIFT')),
  account_name text not null,
  account_no text not null,
  position integer not null,
  is_enabled boolean not null default true,
  primary key (mode, account_no)
);

-- Rate limits: `hits` in `window_seconds`, for each value of what the name ends with.
create table operation_limit (
  name text primary key,
  hits integer not null check (hits > 0),
  window_seconds integer not null check (window_seconds > 0)
);

-- Networks that callers may come from. A denied network is refused; once there is an allowed one, all others are refused.
create table address_rule (
  network cidr primary key,
  verdict text not null check (verdict in ('allow', 'deny')),
  note text not null default ''
);
