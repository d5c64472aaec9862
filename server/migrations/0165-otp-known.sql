-- Phones, networks and devices that have proved a phone before. Codes for them have a share of all codes to themselves, so
-- that strangers who order thousands do not keep everybody from registering.
create table otp_known (
  kind text not null check (kind in ('phone', 'address', 'device')),
  -- The phone, the network as limits count it, or the SHA-256 of the device's token in hexadecimal.
  name text not null check (name <> ''),
  verified_at timestamptz not null,
  primary key (kind, name)
);
create index otp_known_verified_at on otp_known (verified_at);
