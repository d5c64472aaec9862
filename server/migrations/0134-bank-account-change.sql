-- A member whose money has never moved may name another account; what it was and what it became stand in the same list.
alter table member_bank_account_rename
  add column bank_code_after text,
  add column account_no_after text,
  add constraint member_bank_account_rename_account check ((bank_code_after is null) = (account_no_after is null));
