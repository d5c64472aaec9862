-- oldest program: 0329
-- What operators have stopped and started again; a name without a row was never stopped. The names are in
-- server/src/modules/lookup/switch.ts.
create table lookup_switch (
  name text primary key,
  is_stopped boolean not null,
  reason text not null,
  by text not null,
  at timestamptz not null default clock_timestamp(),
  constraint lookup_switch_name check (name ~ '^[a-z.-]{1,40}(:[A-Za-z0-9_-]{1,64})?$')
);

create trigger lookup_changed after insert or update or delete or truncate on lookup_switch
  for each statement execute function lookup_changed();
