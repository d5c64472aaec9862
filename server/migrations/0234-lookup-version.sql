-- oldest program: 0231
-- A version of everything that operators configure: servers keep it in memory and read it again when the version is another one.
-- Not a number: after a failover that lost a change the next one must not get the lost one's version.
create table lookup_version (
  only_row boolean primary key default true,
  version uuid not null default gen_random_uuid(),
  constraint lookup_version_only_row check (only_row)
);
insert into lookup_version default values;

create function lookup_changed() returns trigger language plpgsql as $$
begin
  update lookup_version set version = gen_random_uuid();
  return null;
end
$$;

do $$
declare
  v_table text;
begin
  foreach v_table in array array['lookup_bank', 'lookup_source', 'lookup_text', 'lookup_setting', 'lookup_banner', 'lookup_limit',
                                 'lookup_address_rule', 'deposit_account', 'deposit_wallet_app', 'game'] loop
    execute format('create trigger lookup_changed after insert or update or delete or truncate on %I
                    for each statement execute function lookup_changed()', v_table);
  end loop;
end
$$;
