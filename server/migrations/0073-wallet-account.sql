-- Accounts of ours in the wallet app. AUTO: members send money to it, and its feed is read. GIFT: members send links.
create table wallet_account (
  mode text not null check (mode in ('AUTO', 'GIFT')),
  account_name text not null,
  account_no text not null,
  position integer not null,
  is_enabled boolean not null default true,
  primary key (mode, account_no)
);
