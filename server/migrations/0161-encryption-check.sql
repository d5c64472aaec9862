-- A text that is sealed with the key of the first start: another key can't open it, and the server refuses to start.
create table encryption_check (
  only_row boolean primary key default true check (only_row),
  sealed bytea not null
);
