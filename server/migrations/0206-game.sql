-- The games of the site: filled on first start from seed/games.json, data from then on. How a game is launched is known to
-- the adapter of its provider.
create table game (
  code text primary key,
  name text not null,
  category text not null,
  -- Name of the provider in the outside file.
  provider text not null,
  -- The provider runs many games: the provider's own word for this one. Null launches the provider's main game.
  provider_game text,
  -- The provider counts amount × this.
  ft_wallet_slot integer not null,
  logo text not null default '',
  background text not null default '',
  web text,
  android text,
  ios text,
  -- Hidden: as if it didn't exist. In maintenance: shown, but no account is opened, no game launched, no money sent.
  is_hidden boolean not null default false,
  in_maintenance boolean not null default false,
  position integer not null default 0,
  constraint game_code check (code ~ '^[A-Za-z0-9]{1,32}$' and code <> 'WALLET'),
  constraint game_category check (category in ('slot', 'sport', 'lotto')),
  constraint game_multiplier check (ft_wallet_slot between 1 and 1000000),
  constraint game_provider_game check (provider_game ~ '^[A-Za-z0-9_-]{1,64}$')
);

-- A member's login at a game. The row is inserted before the call to the provider, so that a player that was opened while
-- its answer was lost is still ours. Passwords are sealed.
create table game_account (
  member_id uuid not null constraint game_account_member_exists references member (id),
  game_code text not null constraint game_account_game_exists references game (code),
  provider text not null,
  username text not null,
  password bytea not null,
  -- Sent to the provider as the new password, without an answer: one of the two is right.
  password_next bytea,
  password_reset_at timestamptz,
  state text not null default 'OPENING',
  -- Number of calls to the provider to open it under this username.
  create_calls integer not null default 0,
  -- OPENING: lease of the call to the provider.
  asking_until timestamptz,
  opened_at timestamptz not null default now(),
  activated_at timestamptz,
  -- The member's connection broke before the answer of the activation was written.
  reply_lost_at timestamptz,
  -- Reference of the transfer under way.
  busy_with text,
  -- Grows with every transfer and every refresh: a balance that was read at an earlier version is stale.
  version bigint not null default 0,
  is_stale boolean not null default false,
  refreshed_at timestamptz,
  -- What the last refresh found besides the cash, in minor units of the member's currency: stakes in open bets, and stakes
  -- of settled bets since the account was opened (null where the provider doesn't tell). The provider's word, no ledger.
  outstanding bigint not null default 0,
  turnover bigint,
  -- False from a transfer until the next refresh: a transfer returns the cash, not what is staked in open bets.
  are_bets_known boolean not null default true,
  primary key (member_id, game_code),
  constraint game_account_username check (username ~ '^[A-Za-z0-9]{1,16}$'),
  constraint game_account_state check (state in ('OPENING', 'ACTIVE')),
  constraint game_account_active check ((state = 'ACTIVE') = (activated_at is not null)),
  constraint game_account_outstanding check (outstanding >= 0),
  constraint game_account_turnover check (turnover >= 0)
);

-- Providers don't tell letters of different case apart.
create unique index game_account_unique_username on game_account (provider, lower(username));

-- Log of shown passwords: to whom, when, and why. Never changed or deleted.
create table game_reveal (
  id bigint generated always as identity primary key,
  member_id uuid not null,
  game_code text not null,
  username text not null,
  action text not null,
  request_id text not null,
  address text not null,
  at timestamptz not null default now(),
  constraint game_reveal_account_exists foreign key (member_id, game_code) references game_account (member_id, game_code),
  constraint game_reveal_action check (action in ('activate', 'account', 'reset', 'launch'))
);

create index game_reveal_member on game_reveal (member_id, at);
