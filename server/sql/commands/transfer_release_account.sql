-- migration: 0358

-- Ends the reservation of a game account, without a new balance.
create or replace function commands.transfer_release_account(p_member uuid, p_game text, p_reference text)
returns void language sql as $$
  update game_account account set busy_with = null, version = account.version + 1
   where account.member_id = p_member and account.game_code = p_game and account.busy_with = p_reference;
$$;
