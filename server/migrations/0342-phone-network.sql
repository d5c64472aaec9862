-- oldest program: 0333
-- Networks from which a phone was proved or registered: its later logins there have a budget of their own.
create table otp_phone_network (
  phone text not null,
  network cidr not null,
  known_at timestamptz not null,
  constraint otp_phone_network_pkey primary key (phone, network)
);
create index otp_phone_network_known_at on otp_phone_network (known_at);
