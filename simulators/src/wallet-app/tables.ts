/** Tables of the wallet app. Amounts are satang, times milliseconds since 1970. */
export const WALLET_APP_TABLES = `
create table if not exists wallet (
  phone text primary key, name text not null, owner text not null check (owner in ('operator', 'person')),
  balance integer not null default 0 check (balance >= 0), cash_in integer not null default 0
) strict;
create table if not exists wallet_transaction (
  id integer primary key, cursor integer unique, type text not null check (type in ('P2P', 'GIFT', 'GIVEN', 'RETURNED')),
  number text unique, from_phone text not null, to_phone text not null, amount integer not null check (amount > 0),
  message text not null default '', voucher_id text, at integer not null, appears_at integer not null
) strict;
create index if not exists wallet_transaction_to on wallet_transaction (to_phone, id);
create index if not exists wallet_transaction_from on wallet_transaction (from_phone, id);
create index if not exists wallet_transaction_due on wallet_transaction (appears_at) where cursor is null;
create table if not exists gift (
  hash text primary key, voucher_id text not null unique, giver text not null, amount integer not null,
  members integer not null, made_at integer not null, expires_at integer not null, returned integer not null default 0
) strict;
create table if not exists gift_ticket (
  hash text not null, phone text not null, amount integer not null, at integer not null, primary key (hash, phone)
) strict;
`;
