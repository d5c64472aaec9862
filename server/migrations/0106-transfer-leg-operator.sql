alter table transfer_leg
  -- Who found the proof: member (the call that waited for it), resolver, operator:NAME. Null where it is older than this.
  add column proof_by text,
  -- An operator wants the provider asked once more about a leg that is MANUAL.
  add column is_asked_again boolean not null default false,
  add constraint transfer_leg_proof_by check (proof_by is null or proof is not null);

-- What waits for an operator falls due too: when its outcome is written down, or when it shall be asked about again.
create index transfer_leg_open on transfer_leg (next_ask_at) where state not in ('DONE', 'REVERSED');
drop index transfer_leg_due;
