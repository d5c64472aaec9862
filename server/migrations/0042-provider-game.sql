-- A provider runs many games: which of them this one is, in the provider's own word. Null opens the provider's main game.
alter table game
  add column provider_game text,
  add constraint game_provider_game check (provider_game ~ '^[A-Za-z0-9_-]{1,64}$');
