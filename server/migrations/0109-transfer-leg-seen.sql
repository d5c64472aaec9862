-- What lay at the provider when it was last looked at, beside balance_before and turnover_before: for the operator, where it
-- proves nothing.
alter table transfer_leg add column balance_seen bigint;
alter table transfer_leg add column turnover_seen bigint;
