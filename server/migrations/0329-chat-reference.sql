-- oldest program: 0327
-- The movement of money that a message is about, as the customer names it. Readers look for it among the member's own movements.
alter table chat_message add column reference text collate "C";
alter table chat_message add constraint chat_message_reference check (
  reference is null or (sender = 'customer' and reference ~ '^(line-[1-9][0-9]{0,18}|[A-Z0-9]{1,32})$')
);
