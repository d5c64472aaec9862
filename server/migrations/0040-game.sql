-- The games of the site: filled on first start from seed/games.json, data from then on.
create table game (
  code text primary key,
  name text not null,
  category text not null,
  -- Name of the provider in the outside file.
  provider text not null,
  -- The provider counts amount × this.
  ft_wallet_slot integer not null,
  logo text not null default '',
  background text not null default '',
  web text,
  android text,
  ios text,
  launch text not null default 'link',
  launch_needs_password boolean not null default false,
  -- Hidden: as if it didn't exist. In maintenance: shown, but no account is opened, no game launched, no money sent.
  is_hidden boolean not null default false,
  in_maintenance boolean not null default false,
  position integer not null default 0,
  constraint game_code check (code ~ '^[A-Za-z0-9]{1,32}$' and code <> 'WALLET'),
  constraint game_category check (category in ('slot', 'sport', 'lotto')),
  constraint game_multiplier check (ft_wallet_slot between 1 and 1000000),
  constraint game_launch check (launch in ('link', 'form', 'fixed'))
);

-- A member's login at a game. The row is there before the provider is asked, so that a player who was opened without our
-- hearing of it is still ours. Passwords are sealed.
create table game_account (
  member_id text not null,
  game_code text not null references game (code),
  provider text not null,
  username text not null,
  password bytea not null,
  -- Sent to the provider as the new password, without an answer: one of the two is right.
  password_next bytea,
  password_reset_at timestamptz,
  state text not null default 'OPENING',
  -- How often the provider has been asked to open it under this username.
  create_calls integer not null default 0,
  -- OPENING: until then somebody is asking the provider.
  asking_until timestamptz,
  opened_at timestamptz not null default now(),
  activated_at timestamptz,
  -- The member's connection broke before the answer of the activation was written.
  reply_lost_at timestamptz,
  -- Reference of the transfer under way.
  busy_with text,
  -- Grows with every transfer and every refresh: a balance that was read before it grew is not to be believed.
  version bigint not null default 0,
  is_stale boolean not null default false,
  refreshed_at timestamptz,
  primary key (member_id, game_code),
  constraint game_account_username check (username ~ '^[A-Za-z0-9]{1,16}$'),
  constraint game_account_state check (state in ('OPENING', 'ACTIVE')),
  constraint game_account_active check ((state = 'ACTIVE') = (activated_at is not null))
);

-- Providers don't tell letters of different case apart.
create unique index game_account_unique_username on game_account (provider, lower(username));

-- Who was shown a password, when, and why. Never changed or deleted.
create table game_reveal (
  id bigint generated always as identity primary key,
  member_id text not null,
  game_code text not null,
  username text not null,
  action text not null,
  request_id text not null,
  address text not null,
  at timestamptz not null default now(),
  constraint game_reveal_action check (action in ('activate', 'account', 'reset', 'launch'))
);

create index game_reveal_member on game_reveal (member_id, at);

-- Wallets that an operator has closed: their members look, but move no money.
create table wallet_suspension (
  member_id text primary key,
  reason text not null,
  since timestamptz not null default now()
);
