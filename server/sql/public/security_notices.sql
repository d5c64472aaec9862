-- migration: 0358

-- Reports a change of a member's status in the same commit, also one made by SQL, before the sessions end with it.
create or replace function member_status_notice() returns trigger language plpgsql as $$
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
  select added.id, subscription.id, now(), now() + interval '4 hours', true
    from added added
    join push_subscription subscription on subscription.member_id = new.id and 'security' = any(subscription.kinds)
    join member_session session on session.token_hash = subscription.session_hash
   where old.status = 'active' and session.expires_at > now() and session.superseded_at is null
     and session.logged_out_at is null
   -- In the order in which others lock subscriptions.
   order by subscription.id for key share of subscription;
  return null;
end
$$;

-- At most five messages of one subject a day for each member: a message costs money, and the first ones have said it.
create or replace function queue_security_sms() returns trigger language plpgsql as $$
declare
  v_subject text := coalesce(new.facts ->> 'subject', 'other');
begin
  insert into notification_sms (notice_id, member_id, phone, subject, language, expires_at, work_at)
  select new.id, member.id, member.phone, v_subject,
         (select session.language from member_session session
           where session.member_id = member.id and session.language is not null
           order by session.created_at desc limit 1),
         now() + interval '24 hours', now()
    from member member
   where member.id = new.member_id
     and (select count(*) from notification_sms message
       where message.member_id = member.id and message.subject = v_subject
             and message.created_at > now() - interval '24 hours') < 5;
  return null;
end
$$;

-- Before the change, so that the message goes to the phone that the member had. Registered browsers get a push message
-- too.
create or replace function notify_security_change(p_member uuid, p_subject text) returns void language sql as $$
  with added as (
    insert into notification_item (member_id, kind, reference, at, facts)
    values (p_member, 'security', gen_random_uuid()::text, now(), jsonb_build_object('subject', p_subject))
    returning id)
  insert into push_outbox (notice_id, subscription_id, work_at, expires_at)
  select added.id, subscription.id, now(), now() + interval '4 hours'
    from added added
    join push_subscription subscription on subscription.member_id = p_member and 'security' = any(subscription.kinds)
    join member_session session on session.token_hash = subscription.session_hash
   where session.expires_at > now() and session.superseded_at is null and session.logged_out_at is null
   -- In the order in which others lock subscriptions.
   order by subscription.id for key share of subscription
$$;

create or replace function member_phone_notice() returns trigger language plpgsql as $$
begin
  perform notify_security_change(old.id, 'phone');
  return new;
end
$$;

create or replace function wallet_suspension_notice() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform notify_security_change(new.member_id, 'walletClosed');
  else
    perform notify_security_change(old.member_id, 'walletOpened');
  end if;
  return null;
end
$$;
