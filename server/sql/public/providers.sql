-- migration: 0358

-- Providers that a refresh of account member's games waits for.
create or replace function providers_of(p_member uuid) returns text language sql stable as $$
  select coalesce(string_agg(distinct account.provider, ' ' order by account.provider), 'none')
    from game_account account where account.member_id = p_member and account.state = 'ACTIVE'
$$;

create or replace function set_providers() returns trigger language plpgsql as $$
begin
  new.providers := providers_of(new.member_id);
  return new;
end
$$;
