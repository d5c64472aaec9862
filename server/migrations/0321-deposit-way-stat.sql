-- oldest program: 0319
-- What a job measures of each deposit method, for recommending one. way is `qr CODE`, or the house account that receives the money.
create table deposit_way_stat (
  way text collate "C" not null,
  currency currency not null,
  -- From payment to credit; null without a payment of the last week.
  median_ms bigint,
  samples integer not null,
  -- The last codes of ten minutes, and how many of them failed.
  created integer not null,
  failed integer not null,
  at timestamptz not null,
  constraint deposit_way_stat_once primary key (way, currency),
  constraint deposit_way_stat_counts check (samples >= 0 and failed between 0 and created and (median_ms is null) = (samples = 0))
);
