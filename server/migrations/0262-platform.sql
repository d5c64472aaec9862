-- oldest program: 0231
-- Failed attempts of rows that a loop works on: a row for each item whose last attempt failed, deleted when one succeeds.
create table failed_work (
  table_name text not null,
  -- Its key in that table.
  item text not null,
  attempts int not null default 1,
  error text not null,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  constraint failed_work_key primary key (table_name, item),
  constraint failed_work_attempts check (attempts > 0),
  constraint failed_work_error check (length(error) <= 300)
);
