-- Stakes of settled rounds right before the call, beside balance_before; null where the provider doesn't tell. When they
-- have grown, the member has played, and the balance proves nothing of the transfer any more.
alter table transfer_leg add column turnover_before bigint;
