-- migration: 0358

-- Ends the reservation of a game account, without a new balance.
create or replace function commands.transfer_release_account(p_member uuid, p_game text, p_reference text) returns void language sql as $$
  update game_account a set busy_with = null, version = a.version + 1
   where a.member_id = p_member and a.game_code = p_game and a.busy_with = p_reference;
$$;
