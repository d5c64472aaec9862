-- What is read at every poll and every look at the metrics costs what is open, not what was ever stored.

-- Batches of a lane after one of its own: a process that missed some read those of all lanes in between.
create index batch_of_lane on ledger.batch (lane, id);

-- Counted by the gauges of deposits, and listed for operators.
create index deposit_parked_open on deposit_parked (first_at) where settled_at is null;
create index truelink_gift_manual on truelink_gift (created_at) where state = 'MANUAL';
