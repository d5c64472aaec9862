-- oldest program: 0333

-- A file of many movements has several parts. The first one is in statement_export.
create table statement_export_part (
  export_id uuid not null constraint statement_export_part_of references statement_export (id) on delete cascade,
  part integer not null constraint statement_export_part_number check (part >= 2),
  lines integer not null,
  content bytea not null,
  constraint statement_export_part_pkey primary key (export_id, part)
);
