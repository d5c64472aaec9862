-- Slips that an operator decides: who did, as the ledger names them. One that is approved stays MANUAL, and is due, until the
-- ledger has its credit.
alter table slip
  add column decided_by text,
  add constraint slip_decided check (decided_by is null or state in ('MANUAL', 'CREDITED', 'FAILED'));

create index slip_manual on slip (created_at) where state = 'MANUAL';
create index slip_transfer on slip (sending_bank, trans_ref) where trans_ref is not null;
