-- oldest program: 0333
-- Security notices are also sent as text messages, because every member has a phone and not every member has a browser that gets
-- push messages. Queued in the commit of the notice, also by SQL and by older programs, which leave the sending to newer ones.

-- Language of the session's last call. Null in sessions of older programs.
alter table member_session add column language text collate "C"
  constraint member_session_language check (language in ('th', 'la', 'en'));

-- One row per message. It stays with its notice, for the limits and for operators.
create table notification_sms (
  id uuid constraint notification_sms_pkey primary key default gen_random_uuid(),
  notice_id bigint not null constraint notification_sms_notice_exists references notification_item (id) on delete cascade,
  member_id uuid not null constraint notification_sms_member_exists references member (id),
  -- The member's phone before the change.
  phone text collate "C" not null,
  subject text collate "C" not null,
  language text collate "C",
  -- Country of the phone: gateways have a route for each.
  lane text collate "C" not null generated always as (case when phone ~ '^(20|030)' then 'LA' else 'TH' end) stored,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- When the row is due. A claim moves it ahead by a lease. Null: sent, or given up.
  work_at timestamptz,
  leased_by integer,
  leased_to timestamptz,
  tries integer not null default 0,
  -- Why the last try did not send it.
  error text collate "C",
  sent_at timestamptz,
  constraint notification_sms_once unique (notice_id),
  constraint notification_sms_sent_is_done check (sent_at is null or work_at is null)
);
create index notification_sms_work on notification_sms (lane, work_at) where work_at is not null;
create index notification_sms_leased on notification_sms (leased_by) where leased_to = work_at;
create index notification_sms_member on notification_sms (member_id, subject, created_at);
create index notification_sms_sent on notification_sms (sent_at) where sent_at is not null;

-- At most five messages of one subject a day for each member: a message costs money, and the first ones have said it.
create function queue_security_sms() returns trigger language plpgsql as $$
declare
  v_subject text := coalesce(new.facts ->> 'subject', 'other');
begin
  insert into notification_sms (notice_id, member_id, phone, subject, language, expires_at, work_at)
  select new.id, m.id, m.phone, v_subject,
         (select s.language from member_session s where s.member_id = m.id and s.language is not null
           order by s.created_at desc limit 1),
         now() + interval '24 hours', now()
    from member m
   where m.id = new.member_id
     and (select count(*) from notification_sms o where o.member_id = m.id and o.subject = v_subject
             and o.created_at > now() - interval '24 hours') < 5;
  return null;
end
$$;
create trigger notification_item_sms after insert on notification_item
  for each row when (new.kind = 'security') execute function queue_security_sms();

-- Before the change, so that the message goes to the phone that the member had. Registered browsers get a push message too.
create function notify_security_change(p_member uuid, p_subject text) returns void language sql as $$
  with added as (
    insert into notification_item (member_id, kind, reference, at, facts)
    values (p_member, 'security', gen_random_uuid()::text, now(), jsonb_build_object('subject', p_subject))
    returning id)
  insert into push_outbox (notice_id, subscription_id, work_at, expires_at)
  select a.id, p.id, now(), now() + interval '4 hours'
    from added a
    join push_subscription p on p.member_id = p_member and 'security' = any(p.kinds)
    join member_session s on s.token_hash = p.session_hash
   where s.expires_at > now() and s.superseded_at is null and s.logged_out_at is null
   -- In the order in which others lock subscriptions.
   order by p.id for key share of p
$$;

create function member_phone_notice() returns trigger language plpgsql as $$
begin
  perform notify_security_change(old.id, 'phone');
  return new;
end
$$;
create trigger member_phone_notice before update of phone on member
  for each row when (old.phone is distinct from new.phone) execute function member_phone_notice();

create function wallet_suspension_notice() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform notify_security_change(new.member_id, 'walletClosed');
  else
    perform notify_security_change(old.member_id, 'walletOpened');
  end if;
  return null;
end
$$;
create trigger wallet_suspension_notice after insert or delete on wallet_suspension
  for each row execute function wallet_suspension_notice();
