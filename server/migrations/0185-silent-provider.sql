-- The last question about it found nobody there, or nobody who would say. One of a provider's is asked about often; at the first
-- answer the others are due at once.
alter table transfer_leg add column is_silent boolean not null default false;
