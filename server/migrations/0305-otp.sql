-- One-time codes that prove a phone.

-- One row per phone that ever requested a code: the state shared by its codes, and the lock that serialises its requests.
create table otp_phone (
  phone text primary key,
  verified_until timestamptz,
  blocked_until timestamptz,
  -- Network and token hash of the caller that proved the phone. The proof is bound to both, so that another caller cannot register
  -- a phone that was just proved.
  proved_from text,
  proved_with bytea,
  constraint otp_phone_proved_with check (length(proved_with) = 32)
);

-- sending: the gateway call is pending and the code cannot be used yet. replaced: by a later code of the phone.
create table otp (
  token_hash bytea primary key,
  phone text not null constraint otp_phone_exists references otp_phone (phone),
  ref text not null,
  -- SHA-256 of token and code: the token is not stored, and without it the six digits cannot be tried out.
  code_hash bytea not null,
  state text not null,
  wrong_tries integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint otp_token_hash check (length(token_hash) = 32),
  constraint otp_code_hash check (length(code_hash) = 32),
  constraint otp_state check (state in ('sending', 'live', 'replaced', 'consumed', 'blocked')),
  constraint otp_wrong_tries check (wrong_tries between 0 and 5)
);

create unique index otp_live on otp (phone) where state = 'live';
create index otp_phone_created_at on otp (phone, created_at);
create index otp_created_at on otp (created_at);

-- Phones, networks and devices that have proved a phone before. Their codes have a separate quota, so that strangers who request
-- thousands of codes do not stop all registrations.
create table otp_known (
  kind text not null,
  -- The phone, the network as limits count it, or the SHA-256 of the device's token in hexadecimal.
  name text not null,
  verified_at timestamptz not null,
  primary key (kind, name),
  constraint otp_known_kind check (kind in ('phone', 'address', 'device')),
  constraint otp_known_name check (name <> '')
);

create index otp_known_verified_at on otp_known (verified_at);
