-- migration: 0358

-- A deposit is never refused for lack of money. The call fails, and the lane bisects it until it finds the command.
create or replace function commands.deposit_refused(p_rows jsonb) returns text[] language plpgsql as $$
begin
  raise exception 'commands: the ledger refused the deposit %', p_rows -> 0 ->> 'id';
end
$$;
