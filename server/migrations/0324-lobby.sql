-- Games that members play and like.
alter table game_account add column launched_at timestamptz;
create index game_account_launched on game_account (launched_at) where launched_at is not null;

-- When a game in maintenance is expected to open; null: unknown.
alter table game add column closed_until timestamptz;

create table game_favourite (
  member_id uuid not null constraint game_favourite_member_exists references member (id),
  game_code text not null constraint game_favourite_game_exists references game (code),
  created_at timestamptz not null default now(),
  primary key (member_id, game_code)
);
