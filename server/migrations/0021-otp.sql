-- One row for each phone that ever asked for a code: what all its codes share, and the lock that puts its requests in a row.
create table otp_phone (
  phone text primary key,
  verified_until timestamptz,
  blocked_until timestamptz
);

-- sending: the gateway is being asked, so the code can't be used yet. replaced: a later code of the phone took its place.
create table otp (
  token_hash bytea primary key check (length(token_hash) = 32),
  phone text not null references otp_phone (phone),
  ref text not null,
  -- SHA-256 of token and code: without the token, which is not stored, the six digits can't be tried out.
  code_hash bytea not null check (length(code_hash) = 32),
  state text not null check (state in ('sending', 'live', 'replaced', 'consumed', 'blocked')),
  wrong_tries integer not null default 0 check (wrong_tries between 0 and 5),
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create unique index otp_live on otp (phone) where state = 'live';
create index otp_phone_created_at on otp (phone, created_at);
create index otp_created_at on otp (created_at);
