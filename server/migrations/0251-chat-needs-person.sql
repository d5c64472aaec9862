-- Whether the customer needs a person: a robot's answer then leaves them in the queue, until a person answers.
alter table chat_conversation add column needs_person boolean not null default false;
