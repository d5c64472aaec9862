-- Every change of the holder's name of a member's bank account: what it was, what it became, and where the call came from.
create table member_bank_account_rename (
  id bigint generated always as identity primary key,
  member_id uuid not null references member (id),
  bank_code text not null,
  account_no text not null,
  name_before text not null,
  name_after text not null,
  request_id text not null,
  address inet not null,
  at timestamptz not null
);

create index member_bank_account_rename_member on member_bank_account_rename (member_id, at);
