-- migration: 0358

-- A short member code to read out: 8 characters without look-alikes (Crockford's base 32).
create or replace function new_member_code() returns text language sql volatile as $$
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (get_byte(uuid.bytes, position) & 31), 1), '')
  -- Skips the two bytes that hold version and variant of a UUID.
  from (select uuid_send(gen_random_uuid()) as bytes) uuid, unnest(array[0, 1, 2, 3, 4, 5, 9, 10]) position
$$;
