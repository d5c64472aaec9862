-- Who took a parked payment off the list: an operator, or nobody when it settled by itself.
alter table parked_deposit
  add column settled_by text,
  add constraint parked_deposit_settled_by check (settled_by is null or settled_at is not null);
