-- A short code for each member, to read out: 8 of the letters and digits that don't look alike (Crockford's base 32).
create function new_member_code() returns text language sql volatile as $$
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (get_byte(r.bytes, i) & 31), 1), '')
  -- Without the two bytes of a random UUID that tell its version.
  from (select uuid_send(gen_random_uuid()) as bytes) r, unnest(array[0, 1, 2, 3, 4, 5, 9, 10]) i
$$;

-- The default stays: nodes of an earlier version enter members without naming it.
alter table member add column code text not null default new_member_code()
  check (code ~ '^[0-9A-HJKMNP-TV-Z]{8}$');

-- Of a million members two may have drawn the same.
do $$
begin
  loop
    update member set code = new_member_code()
     where id in (select id from (select id, row_number() over (partition by code order by id) as n from member) m where n > 1);
    exit when not found;
  end loop;
end
$$;

alter table member add constraint member_code_unique unique (code);
