-- migration: 0358

create or replace function lookup_changed() returns trigger language plpgsql as $$
begin
  update lookup_version set version = gen_random_uuid();
  return null;
end
$$;
