-- What the operator configures and anyone may read. The first start fills it from server/seed; then these rows are authoritative.

-- Seed files that have been applied.
create table lookup_seeded (
  name text primary key,
  at timestamptz not null default now()
);

create table lookup_bank (
  code text primary key,
  -- The three digits that name a bank on slips and in clearing. Operator data, because banks merge and new ones open. A bank without
  -- a number cannot be recognised as a sender.
  number text,
  name_th text not null,
  name_en text not null,
  country text not null,
  -- Length of account numbers of this bank, in digits.
  digits_min integer not null,
  digits_max integer not null,
  position integer not null,
  is_enabled boolean not null default true,
  constraint lookup_bank_code check (code ~ '^[A-Z0-9]{2,16}$'),
  constraint lookup_bank_number check (number ~ '^[0-9]{3}$'),
  constraint lookup_bank_country check (country in ('TH', 'LA')),
  constraint lookup_bank_digits check (digits_min > 0 and digits_min <= digits_max and digits_max <= 40)
);

-- Where members found the site.
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

-- Single values by name. Each has a shape of its own, validated when it is read.
create table lookup_setting (
  name text primary key,
  value jsonb not null
);

-- Shown before a dialog opens. HTML in all languages; `image` is an address, or empty.
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

-- Own bank accounts, and gateways, that members deposit through.
create table deposit_account (
  bank_code text not null,
  bank_type text not null,
  mode text not null,
  name_th text not null,
  name_en text not null,
  account_name text not null default '',
  account_no text not null default '',
  currency currency not null,
  -- Minor units; null: no limit.
  minimum bigint,
  maximum bigint,
  position integer not null,
  is_enabled boolean not null default true,
  primary key (bank_code, bank_type, account_no),
  constraint deposit_account_type check (bank_type in ('PAYMENT', 'BANK')),
  constraint deposit_account_limits check (minimum > 0 and maximum > 0)
);

-- Own accounts in the wallet app. AUTO: members send money to it, and its feed is read. GIFT: members send links.
create table deposit_wallet_app (
  mode text not null,
  account_name text not null,
  account_no text not null,
  position integer not null,
  is_enabled boolean not null default true,
  primary key (mode, account_no),
  constraint deposit_wallet_app_mode check (mode in ('AUTO', 'GIFT'))
);

-- Rate limits: `hits` per `window_seconds` for each value of what the name ends with.
create table lookup_limit (
  name text primary key,
  hits integer not null,
  window_seconds integer not null,
  constraint lookup_limit_positive check (hits > 0 and window_seconds > 0)
);

-- Networks of callers. A denied network is refused. With at least one allowed network, all others are refused.
create table lookup_address_rule (
  network cidr primary key,
  verdict text not null,
  note text not null default '',
  constraint lookup_address_rule_verdict check (verdict in ('allow', 'deny'))
);

-- Version of everything that operators configure. Servers cache it, and read it again when the version differs. Not a number: after
-- a failover that lost a change, the next change must not get the lost one's version.
create table lookup_version (
  only_row boolean primary key default true,
  version uuid not null default gen_random_uuid(),
  constraint lookup_version_only_row check (only_row)
);
insert into lookup_version default values;

create function lookup_changed() returns trigger language plpgsql as $$
begin
  update lookup_version set version = gen_random_uuid();
  return null;
end
$$;

do $$
declare
  v_table text;
begin
  foreach v_table in array array['lookup_bank', 'lookup_source', 'lookup_text', 'lookup_setting', 'lookup_banner', 'lookup_limit',
                                 'lookup_address_rule', 'deposit_account', 'deposit_wallet_app'] loop
    execute format('create trigger lookup_changed after insert or update or delete or truncate on %I
                    for each statement execute function lookup_changed()', v_table);
  end loop;
end
$$;
