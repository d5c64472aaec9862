-- migration: 0358

-- Reverses a second leg that is still QUEUED: the money stays in the wallet.
create or replace function commands.transfer_cancel_second_leg(p_id uuid) returns void language plpgsql as $$
declare
  v_leg record;
begin
  update transfer_leg leg
     set state = 'REVERSED', code = 'TRANSFER_FAIL', detail = 'RESTS_IN_WALLET', finished_at = clock_timestamp()
    from transfer where leg.transfer_id = p_id and leg.leg = 2 and leg.state = 'QUEUED'
      and transfer.id = leg.transfer_id
  returning leg.member_id, leg.game_code, transfer.reference into v_leg;
  if found then perform commands.transfer_release_account(v_leg.member_id, v_leg.game_code, v_leg.reference); end if;
end
$$;
