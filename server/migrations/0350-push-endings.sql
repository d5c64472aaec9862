-- oldest program: 0333
-- What push services have reported as ended within a day: subscriptions of a service are kept when many end within an hour. Older
-- programs delete them without a row.

create table push_ending (
  -- The subscription may be deleted.
  subscription_id uuid constraint push_ending_pkey primary key,
  service text collate "C" not null,
  at timestamptz not null
);
create index push_ending_service on push_ending (service, at);
