-- oldest program: 0333
-- When a feed was last read; null: never. polled_at also counts the start of its watch.
alter table deposit_feed add column read_at timestamptz;
