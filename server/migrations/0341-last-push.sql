-- oldest program: 0333
-- A message that reports the end of its session: it is sent although the session has ended, and nothing after it.
alter table push_outbox add column is_last boolean not null default false;

-- Reports a change of a member's status in the same commit, also one made by SQL, before the sessions end with it.
create function member_status_notice() returns trigger language plpgsql as $$
begin
  if (old.status = 'active') = (new.status = 'active') then
    return null;
  end if;
  with added as (
    insert into notification_item (member_id, kind, reference, at, facts)
    values (new.id, 'security', gen_random_uuid()::text, now(), jsonb_build_object(
      'subject', case new.status when 'active' then 'accountOpened' else 'accountClosed' end))
    returning id)
  insert into push_outbox (notice_id, subscription_id, work_at, expires_at, is_last)
  select a.id, p.id, now(), now() + interval '4 hours', true
    from added a
    join push_subscription p on p.member_id = new.id and 'security' = any(p.kinds)
    join member_session s on s.token_hash = p.session_hash
   where old.status = 'active' and s.expires_at > now() and s.superseded_at is null and s.logged_out_at is null
   -- In the order in which others lock subscriptions.
   order by p.id for key share of p;
  return null;
end
$$;

create trigger member_status_notice after update of status on member
  for each row when (old.status is distinct from new.status) execute function member_status_notice();
