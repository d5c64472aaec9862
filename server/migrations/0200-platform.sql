-- Platform: what every node shares and no module owns.

-- Rate limits, shared by all nodes. Unlogged: a crash loses the counters of one window, which costs less than writing
-- them to the log at every request.
create unlogged table rate_limit (
  key text primary key,
  window_start timestamptz not null,
  hits integer not null,
  constraint rate_limit_hits check (hits > 0)
) with (fillfactor = 70);

create index rate_limit_window_start on rate_limit (window_start);

-- One row that /health/ready writes: a database that answers may still refuse writes.
create table health_probe (
  only_row boolean primary key default true,
  written_at timestamptz not null,
  constraint health_probe_only_row check (only_row)
);

-- A text that is sealed with the key of the first start: another key can't open it, and the server refuses to start.
create table encryption_check (
  only_row boolean primary key default true,
  sealed bytea not null,
  constraint encryption_check_only_row check (only_row)
);

-- Folders of files that servers without a bucket keep, each seen by those servers alone.
create table file_folder (
  id text collate "C" primary key,
  -- Host and path, for people.
  place text not null,
  seen_at timestamptz not null default now()
);

-- Trigger of tables that are append-only.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is only added to', tg_table_name using errcode = 'restrict_violation';
end
$$;

-- What operators have done by command: who, when, what, to what, and why. Written in the transaction of the action
-- itself; append-only.
create table operator_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  operator text not null,
  what text not null,
  subject text not null,
  reason text not null,
  constraint operator_log_operator check (operator ~ '^[A-Za-z0-9._-]{1,40}$'),
  constraint operator_log_words check (length(what) between 1 and 200 and length(subject) between 1 and 200),
  constraint operator_log_reason check (length(reason) between 5 and 500)
);

create index operator_log_subject on operator_log (subject, id);

create trigger operator_log_only_added_to
  before update or delete or truncate on operator_log
  for each statement execute function refuse_change();
