-- Files that members have requested of their statement. A row and its content are deleted a day after the request.
create table statement_export (
  id uuid primary key,
  member_id uuid not null constraint statement_export_member_exists references member (id),
  idempotency_key text collate "C",
  request_hash bytea not null,
  -- Format, language, period and filter, as requested.
  input jsonb not null,
  state text collate "C" not null default 'RUNNING',
  -- Number of movements in the file.
  lines integer,
  content bytea,
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- When the row is due; null: nothing left to do. A claim moves it ahead by a lease.
  work_at timestamptz default now(),
  constraint statement_export_request_key unique (member_id, idempotency_key),
  constraint statement_export_state check (state in ('RUNNING', 'DONE', 'FAILED')),
  constraint statement_export_ended check ((state = 'RUNNING') = (ended_at is null) and (state = 'RUNNING') = (work_at is not null)),
  constraint statement_export_content check ((state = 'DONE') = (content is not null) and (state = 'DONE') = (lines is not null))
);
create index statement_export_work on statement_export (work_at) where work_at is not null;
create unique index statement_export_running on statement_export (member_id) where state = 'RUNNING';
create index statement_export_created on statement_export (created_at);
