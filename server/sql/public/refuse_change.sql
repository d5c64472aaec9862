-- migration: 0358

-- Trigger of append-only tables.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the table % is append-only', tg_table_name using errcode = 'restrict_violation';
end
$$;

create or replace function refuse_change_of_wheel() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (old.version, old.name, old.slices, old.weights_hash, old.published_at)
    is not distinct from (new.version, new.name, new.slices, new.weights_hash, new.published_at) then
    return new;
  end if;
  raise exception 'a version of the wheel never changes' using errcode = 'restrict_violation';
end
$$;

-- Only the state changes, and only away from PUBLISHED.
create or replace function refuse_change_of_config() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.state = 'PUBLISHED' and new.state = 'SUPERSEDED'
    and to_jsonb(old) - 'state' = to_jsonb(new) - 'state' then
    return new;
  end if;
  raise exception 'a version of the configuration never changes' using errcode = 'restrict_violation';
end
$$;
