-- A payment that a gateway held back can come through later and be credited by itself: then nobody waits any more.
alter table parked_deposit add column settled_at timestamptz;
