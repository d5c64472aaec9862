-- Rate limits, shared by all nodes. Unlogged: losing the counters in a crash costs one window, writing them to the log
-- at every request would cost more than that.
create unlogged table rate_limit (
  key text primary key,
  window_start timestamptz not null,
  hits integer not null check (hits > 0)
) with (fillfactor = 70);

create index rate_limit_window_start on rate_limit (window_start);
