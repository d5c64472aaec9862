-- migration: 0358

-- The program of this session; null in sessions of older programs.
create or replace function lease_holder() returns integer language sql stable as $$
  select nullif(current_setting('krapao.instance', true), '')::integer
$$;

-- Tables with a lease of their own, which commands set too.
create or replace function set_lease_holder() returns trigger language plpgsql as $$
begin
  new.leased_by := case when new.leased_until > now() then lease_holder() end;
  return new;
end
$$;
