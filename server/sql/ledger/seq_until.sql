-- migration: 0358

-- seq of the account's last entry that belongs to the operation or to an earlier one; 0 when there is none. Operation
-- ids only grow within an account, so that a search needs no index on operation_id. Most callers ask about one of the
-- last entries: the search steps back from the last entry in steps that double, then bisects.
create or replace function ledger.seq_until(p_account bigint, p_operation bigint)
returns bigint language plpgsql stable as $$
declare
  -- The entry v_low may belong to a later operation; all entries after v_high do.
  v_high bigint := coalesce((select account.seq from ledger.account account where account.id = p_account), 0);
  v_low bigint := v_high;
  v_step bigint := 1;
  v_middle bigint;
begin
  while v_low > 0 loop
    exit when (select entry.operation_id from ledger.entry entry
      where entry.account_id = p_account and entry.seq = v_low) <= p_operation;
    v_high := v_low - 1;
    v_low := greatest(v_low - v_step, 0);
    v_step := v_step * 2;
  end loop;
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    if (select entry.operation_id from ledger.entry entry
      where entry.account_id = p_account and entry.seq = v_middle) <= p_operation then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$$;
