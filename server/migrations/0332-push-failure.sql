-- Nothing reads when a push service last refused a message; the log reports each refusal.
alter table push_subscription drop column failed_at;
