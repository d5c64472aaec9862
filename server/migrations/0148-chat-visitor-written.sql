-- Who has written is never forgotten. Known by the row, so that who is old and silent is found without looking at all of them.
alter table chat_visitor add column has_written boolean not null default false;
update chat_visitor v set has_written = true
 where exists (
   select from conversation c where c.kind = 'visitor' and c.customer_id = v.guest_id and c.last_sequence > 0);

drop index chat_visitor_seen;
create index chat_visitor_silent on chat_visitor (seen_at) where not has_written;
