export const PAYONEX_TABLES = `
create table if not exists payonex_token (hash text primary key, expires_at integer not null) strict, without rowid;
create table if not exists payonex_customer (
  uuid text primary key, bank text not null, number text not null, name text not null, unique (bank, number)
) strict;
create table if not exists payonex_transaction (
  code_id integer primary key references gateway_code, customer text not null references payonex_customer,
  asked integer not null
) strict;
-- Payments into the collecting account without a match; code_id: the code that it is probably for.
create table if not exists payonex_unmatched (
  id integer primary key, code_id integer, amount integer not null, at integer not null,
  payer_bank text not null, payer_number text not null, payer_name text not null, released_at integer
) strict;
`;
