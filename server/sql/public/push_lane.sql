-- migration: 0358

create or replace function push_lane(p_endpoint text, p_is_silent boolean) returns text language sql immutable as $$
  select regexp_replace(split_part(p_endpoint, '/', 3), '^.*\.(push\.apple\.com|notify\.windows\.com)$', '\1')
         || case when p_is_silent then '!silent' else '' end
$$;

create or replace function set_push_lane() returns trigger language plpgsql as $$
begin
  select push_lane(subscription.endpoint, subscription.is_silent) into new.lane
    from push_subscription subscription where subscription.id = new.subscription_id;
  new.lane := coalesce(new.lane, 'none');
  return new;
end
$$;
