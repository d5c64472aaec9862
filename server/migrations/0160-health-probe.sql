-- One row that /health/ready writes: a database that answers may still refuse writes.
create table health_probe (
  only_row boolean primary key default true check (only_row),
  written_at timestamptz not null
);
