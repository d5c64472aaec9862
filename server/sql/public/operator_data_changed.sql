-- migration: 0361

create or replace function operator_data_changed() returns trigger language plpgsql as $$
begin
  update operator_data_version set version = gen_random_uuid();
  return null;
end
$$;
