/** Tables of the bank's API. Amounts are hundredths of the account's currency, times milliseconds since 1970. */
export const BANK_API_TABLES = `
create table if not exists push (
  id integer primary key, channel text not null, key text not null, body text not null, forged integer not null default 0,
  attempt integer not null default 0, due_at integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'taken', 'given-up'))
) strict;
create index if not exists push_due on push (due_at) where state = 'waiting';

create table if not exists bank_opening (
  bank text not null, number text not null, amount integer not null, primary key (bank, number)
) strict;
create table if not exists bank_settlement (
  transfer_id text primary key, bank text not null, number text not null, amount integer not null
) strict;
create table if not exists bank_line (
  id integer primary key, cursor integer unique, bank text not null, number text not null,
  direction text not null check (direction in ('in', 'out')), channel text not null check (channel in ('TRANSFER', 'BILL', 'PAYOUT')),
  transfer_id text not null, reference1 text, appears_at integer not null, balance_after integer,
  push_at integer, push_twice integer not null default 0
) strict;
create index if not exists bank_line_account on bank_line (bank, number, cursor);
create index if not exists bank_line_due on bank_line (appears_at) where cursor is null;

create table if not exists bank_payout (
  id integer primary key, reference text not null unique, request text not null, answer text not null,
  from_bank text not null, from_number text not null, to_bank text not null, to_number text not null, to_name text not null,
  amount integer not null, currency text not null,
  state text not null default 'ACCEPTED' check (state in ('ACCEPTED', 'PAID', 'FAILED')),
  planned text not null check (planned in ('PAID', 'FAILED')), ends_at integer not null,
  reason text, transfer_id text, accepted_at integer not null, finished_at integer
) strict;
create index if not exists bank_payout_due on bank_payout (ends_at) where state = 'ACCEPTED';
`;
