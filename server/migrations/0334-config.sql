-- oldest program: 0333
-- Versions of what operators configure: one JSON document per subject, as operators write it. The tables of the modules are what the
-- server reads; the PUBLISHED version is the document that was last written to them, or found in them.
create table config_version (
  -- banks, setting:info, offer:WELCOME, …
  subject text collate "C" not null,
  version integer not null,
  -- JSON null: the subject did not exist.
  document jsonb not null,
  -- SHA-256 of the document with sorted keys, hex.
  hash text collate "C" not null,
  -- The version that a rollback restored.
  based_on integer,
  state text collate "C" not null,
  -- The name that an operator typed; `seed`: as delivered; `sql`: found in the tables, written by another program.
  author text not null,
  note text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (subject, version),
  constraint config_version_based_on_exists foreign key (subject, based_on) references config_version (subject, version),
  constraint config_version_number check (version > 0 and based_on < version),
  constraint config_version_state check (state in ('PUBLISHED', 'SUPERSEDED')),
  constraint config_version_hash check (hash ~ '^[0-9a-f]{64}$')
);

create unique index config_version_published on config_version (subject) where state = 'PUBLISHED';

-- Only the state changes, and only away from PUBLISHED.
create function refuse_change_of_config() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.state = 'PUBLISHED' and new.state = 'SUPERSEDED'
    and to_jsonb(old) - 'state' = to_jsonb(new) - 'state' then
    return new;
  end if;
  raise exception 'a version of the configuration never changes' using errcode = 'restrict_violation';
end
$$;

create trigger config_version_stays
  before update or delete on config_version
  for each row execute function refuse_change_of_config();

create trigger config_version_not_emptied
  before truncate on config_version
  for each statement execute function refuse_change();
