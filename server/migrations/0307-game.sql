-- The games of the site. The first start fills it from seed/games.json. The adapter of the provider launches a game.
create table game (
  code text primary key,
  name text not null,
  category text not null,
  -- Name of the provider in the outside file.
  provider text not null,
  -- The provider's name of this game, if it runs several. Null launches the provider's main game.
  provider_game text,
  -- Multiplier: the provider counts amount × this.
  ft_wallet_slot integer not null,
  logo text not null default '',
  background text not null default '',
  web text,
  android text,
  ios text,
  -- Hidden: treated as nonexistent. In maintenance: shown, but no account is opened, no game launched, no money sent.
  is_hidden boolean not null default false,
  in_maintenance boolean not null default false,
  position integer not null default 0,
  -- {"th": …, "la": …, "en": …}. Null: the name is a brand, the same in every language.
  names jsonb,
  constraint game_code check (code ~ '^[A-Za-z0-9]{1,32}$' and code <> 'WALLET'),
  constraint game_category check (category in ('slot', 'sport', 'lotto')),
  constraint game_multiplier check (ft_wallet_slot between 1 and 1000000),
  constraint game_provider_game check (provider_game ~ '^[A-Za-z0-9_-]{1,64}$')
);

create trigger lookup_changed after insert or update or delete or truncate on game
  for each statement execute function lookup_changed();

-- A member's login at a game. The row is inserted before the call to the provider, so that a player that was opened while the reply
-- was lost is not orphaned. Passwords are sealed.
create table game_account (
  member_id uuid not null constraint game_account_member_exists references member (id),
  game_code text not null constraint game_account_game_exists references game (code),
  provider text not null,
  username text not null,
  password bytea not null,
  -- Sent to the provider as the new password, no reply yet: one of the two is valid.
  password_next bytea,
  password_reset_at timestamptz,
  state text not null default 'OPENING',
  -- Number of calls to the provider that opened it under this username.
  create_calls integer not null default 0,
  -- OPENING: lease of the call to the provider.
  asking_until timestamptz,
  opened_at timestamptz not null default now(),
  activated_at timestamptz,
  -- The member's connection broke before the reply of the activation was written.
  reply_lost_at timestamptz,
  -- Reference of the pending transfer.
  busy_with text,
  -- Raised by every transfer and refresh: a balance read at an earlier version is stale.
  version bigint not null default 0,
  is_stale boolean not null default false,
  refreshed_at timestamptz,
  -- From the last refresh, in minor units of the member's currency: stakes in open bets, and stakes of bets settled since the account
  -- was opened (null if not reported). Reported by the provider, not part of the ledger.
  outstanding bigint not null default 0,
  turnover bigint,
  -- False from a transfer until the next refresh: a transfer reports the cash, not the stakes in open bets.
  are_bets_known boolean not null default true,
  primary key (member_id, game_code),
  constraint game_account_username check (username ~ '^[A-Za-z0-9]{1,16}$'),
  constraint game_account_state check (state in ('OPENING', 'ACTIVE')),
  constraint game_account_active check ((state = 'ACTIVE') = (activated_at is not null)),
  constraint game_account_outstanding check (outstanding >= 0),
  constraint game_account_turnover check (turnover >= 0)
);

-- Providers treat usernames as case-insensitive.
create unique index game_account_unique_username on game_account (provider, lower(username));

-- Log of shown passwords: to whom, when, and why. Append-only.
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
