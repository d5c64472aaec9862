-- A guest-id that was never given a secret is its visitor's proof by itself; it may be a random UUID, too.
alter table chat_visitor alter column secret_hash drop not null;
alter table chat_visitor drop constraint chat_visitor_guest_id;
alter table chat_visitor add constraint chat_visitor_guest_id check (
  guest_id ~ '^([0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})$'
);

-- Who sent a message: a member by our records of that moment, a visitor as they said it.
alter table chat_message add column username text not null default '';
alter table chat_message add column device_token text not null default '';
update chat_message m set username = b.phone
  from conversation c join member b on b.id::text = c.customer_id
 where c.id = m.conversation_id and c.kind = 'member' and m.sender = 'customer';
