-- What the operator sets and anyone may read. Filled on the first start from server/seed; after that these rows are the
-- truth.

-- Seed files that have been applied.
create table lookup_seeded (
  name text primary key,
  at timestamptz not null default now()
);

create table lookup_bank (
  code text primary key,
  -- The three digits that slips and clearing name a bank by. Operator data, because banks merge and new ones open; a bank
  -- without a number can't be recognised as a sender.
  number text,
  name_th text not null,
  name_en text not null,
  country text not null,
  -- How long an account number of this bank can be, in digits.
  digits_min integer not null,
  digits_max integer not null,
  position integer not null,
  is_enabled boolean not null default true,
  constraint lookup_bank_code check (code ~ '^[A-Z0-9]{2,16}$'),
  constraint lookup_bank_number check (number ~ '^[0-9]{3}$'),
  constraint lookup_bank_country check (country in ('TH', 'LA')),
  constraint lookup_bank_digits check (digits_min > 0 and digits_min <= digits_max and digits_max <= 40)
);

-- Where members have heard of the site.
create table lookup_source (
  code text primary key,
  th text not null,
  la text not null,
  en text not null,
  position integer not null,
  is_enabled boolean not null default true,
  constraint lookup_source_code check (code ~ '^[A-Z0-9_]{1,32}$')
);

create table lookup_text (
  kind text not null,
  position integer not null,
  th text not null,
  la text not null,
  en text not null,
  primary key (kind, position),
  constraint lookup_text_kind check (kind in ('condition', 'agreement'))
);

-- Single values by name, each with a shape of its own that is checked when it is read.
create table lookup_setting (
  name text primary key,
  value jsonb not null
);

-- What the operator shows before a dialog opens. Html in all languages of the product; `image` is an address, or empty.
create table lookup_banner (
  kind text not null,
  position integer not null,
  image text not null default '',
  th text not null,
  la text not null,
  en text not null,
  is_enabled boolean not null default true,
  primary key (kind, position),
  constraint lookup_banner_kind check (kind in ('invite', 'refund'))
);

-- Accounts of ours, and gateways, that members deposit through.
create table deposit_account (
  bank_code text not null,
  bank_type text not null,
  mode text not null,
  name_th text not null,
  name_en text not null,
  account_name text not null default '',
  account_no text not null default '',
  currency currency not null,
  -- Minor units; null where there is no limit.
  minimum bigint,
  maximum bigint,
  position integer not null,
  is_enabled boolean not null default true,
  primary key (bank_code, bank_type, account_no),
  constraint deposit_account_type check (bank_type in ('PAYMENT', 'BANK')),
  constraint deposit_account_limits check (minimum > 0 and maximum > 0)
);

-- Accounts of ours in the wallet app. AUTO: members send money to it, and its feed is read. GIFT: members send links.
create table deposit_wallet_app (
  mode text not null,
  account_name text not null,
  account_no text not null,
  position integer not null,
  is_enabled boolean not null default true,
  primary key (mode, account_no),
  constraint deposit_wallet_app_mode check (mode in ('AUTO', 'GIFT'))
);

-- Rate limits: `hits` in `window_seconds`, for each value of what the name ends with.
create table lookup_limit (
  name text primary key,
  hits integer not null,
  window_seconds integer not null,
  constraint lookup_limit_positive check (hits > 0 and window_seconds > 0)
);

-- Networks that callers may come from. A denied network is refused; once there is an allowed one, all others are refused.
create table lookup_address_rule (
  network cidr primary key,
  verdict text not null,
  note text not null default '',
  constraint lookup_address_rule_verdict check (verdict in ('allow', 'deny'))
);
