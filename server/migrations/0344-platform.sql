-- oldest program: 0333

-- Last run of each check of the books, for doctor. wrong: checks that failed, or differences without an explanation.
create table check_run (
  name text not null constraint check_run_name check (name in ('audit', 'reconcile')),
  ended_at timestamptz not null default clock_timestamp(),
  wrong integer not null constraint check_run_wrong check (wrong >= 0),
  constraint check_run_pkey primary key (name)
);
